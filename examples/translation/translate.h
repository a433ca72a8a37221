// Translating lines of text: greedy or by beam search, batches of similar lengths, unknown words
// replaced by the source's that was looked at most.
#pragma once

#include <string>
#include <vector>

#include "translator.h"

namespace translation {

struct TranslateOptions {
  Index beam = 5;                                   ///< 1: greedy
  double length_penalty = 1, coverage_penalty = 0;  ///< see nn/beam_search.h
  Index n_best = 1;
  Index longest = 200;  ///< words written at most; a source of n words gets 2 n + 10
  Index tokens = 4000;  ///< rows times words of the sources of a batch
  bool replace_unknown = true;
  bool need_weights = false;
};

struct Translation {
  std::string text;
  std::vector<std::string> parts;  ///< what the text is joined from
  double score = 0, log_probability = 0;
  Index left_out = 0;        ///< words at the source's end that the model has no places for
  heed::Array weights = {};  ///< [|parts| + 1 (the end mark), K] where they were asked for
};

/// The n best of each line, best first; an empty line has an empty one. Throws ValueError, in the
/// name of beam_search.
std::vector<std::vector<Translation>> translate(const Language& language,
                                                const std::vector<std::string>& lines,
                                                const TranslateOptions& options);

/// The source as the model reads it, with its end mark.
std::vector<Index> read_line(const data::Coder& coder, const std::string& line);

}  // namespace translation
