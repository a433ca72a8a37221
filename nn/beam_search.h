// Beam search: the likeliest texts that a decoder can write, for a batch of sources at once.
//
//   score(y) = log p(y) / lp(y) + cp,   lp(y) = ((5 + |y|) / 6)^length_penalty
//   cp = coverage_penalty sum_k log min(sum_t weights_tk, 1)                   (Wu et al. 2016, 14)
//
// |y| counts the end mark; k counts the places that were looked at, so not padding. A source leaves
// the batch when `beam` of its texts are finished, or n_best are and none that is still written can
// come to a better score. Texts cut at the longest stand behind the finished ones. A row for which
// the constraints leave no word goes no further; where that is the last of a source, its texts are
// cut there. A beam of 1 is greedy decoding. Where texts may not be all that there is (prefixes,
// suppressed ..), probabilities are those of the words that may come, but for `forbidden`, which
// lose theirs.
#pragma once

#include <vector>

#include "../autograd/tensor.h"

namespace heed::nn {

/// A batch of texts being written, which a search drives: a row a text.
class Decoding {
 public:
  virtual ~Decoding() = default;
  /// The last word of each row, i64 [R] -> scores (logits) of its next, [R, V]. `weights`, where it
  /// is not null and the decoder attends, gets the step's, [R, K], of one K throughout.
  virtual Tensor step(const Tensor& words, Tensor* weights) = 0;
  /// Carries on with these rows, i64 [R']. `sources` false: R' = R, and each row goes on from one
  /// of the same source, so that what belongs to the source may stay in its place.
  virtual void reorder(const Tensor& rows, bool sources) = 0;
};

struct BeamSearchOptions {
  Index begin, end;  ///< the marks
  Index beam = 5;
  /// For each source, words a text with its end mark; none: 100 for all.
  std::vector<Index> longest = {};
  double length_penalty = 0;
  double coverage_penalty = 0;        ///< above 0 the decoder must give weights
  Index n_best = 1;                   ///< at most beam
  std::vector<Index> forbidden = {};  ///< words that are never written, as padding
  /// For each source, the words its texts begin with; none: of all nothing.
  std::vector<std::vector<Index>> prefixes = {};
  /// Runs of words that no text has behind its prefix.
  std::vector<std::vector<Index>> suppressed = {};
  Index shortest = 0;             ///< words a text at least, the end mark not counted
  double repetition_penalty = 1;  ///< scores of words used: x / p, or x p below 0 (Keskar 2019)
  Index no_repeat = 0;            ///< no run of so many words twice; 0: any
  bool need_weights = false;
};

struct Hypothesis {
  std::vector<Index> words;    ///< without the marks
  double log_probability = 0;  ///< with that of the end mark, if it came
  double score = 0;
  bool finished = false;  ///< false: cut at the longest, or where no word was left that may come
  Array weights = {};     ///< [|words| + finished, K] where they were asked for
};

/// The n best of each source, best first; the decoding stands at its beginning with a row a source.
/// Of equally likely texts the lower row's, then the lower word comes first. Nothing is recorded.
/// Throws ValueError for options that make no sense, and for scores that are NaN, +infinity, or
/// none of a row finite, before constraints take words away; where a source without a text has no
/// finite score but of words that are `forbidden`; for constraints that leave a source no word to
/// begin with. ShapeError, DTypeError for what the decoding gives.
std::vector<std::vector<Hypothesis>> beam_search(Decoding& decoding, Index sources,
                                                 const BeamSearchOptions& options);

}  // namespace heed::nn
