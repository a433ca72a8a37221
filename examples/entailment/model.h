// Readers of pairs that differ in the attention only: words to vectors, which of them the other
// sentence has, too; what a kind of attention makes of the two sentences; a classifier of one tanh
// layer.
#pragma once

#include <functional>
#include <memory>

#include "../../attention/mechanisms/pairs/pair_output.h"
#include "../../io/model_directory.h"
#include "../../nn/dropout.h"
#include "../../nn/embedding.h"
#include "../../nn/sequential.h"
#include "../known_words.h"
#include "corpus.h"

namespace entailment {

struct ModelOptions {
  std::string attention = "word_by_word";
  Index vocabulary = 0;
  Index width = 100;
  Index hidden = 100;
  double dropout = 0.4;
  bool overlap = true;
  bool stems = true;
  bool differences = false;
  void fields(io::Fields& f) {
    f.choice("attention", attention,
             {"none", "last", "word_by_word", "two_way", "lstmn", "decomposable", "esim"},
             "between the two sentences; none: conditional encoding");
    f.size("width", width, 1, 1 << 14, "of a word");
    f.size("hidden", hidden, 1, 1 << 14, "of what reads, aligns and compares");
    f.number("dropout", dropout, 0, 0.99, "probability");
    f.flag("overlap", overlap, "each word says whether the other sentence has it, too");
    f.flag("stems", stems, "words are known by their stems");
    f.flag("differences", differences, "decomposable attention compares as ESIM does");
  }
};

struct Reading : attention::PairOutput {
  Tensor logits = {};  ///< [B, 3]
};

class PairReader : public nn::Module {
  using Lengths = std::vector<Index>;
  // What the kind of attention makes of words' vectors.
  std::function<attention::PairOutput(const Tensor& premise, const Tensor& hypothesis,
                                      const Lengths&, const Lengths&, bool need_weights)>
      match_;
  Index make_attention();  // gives back the width of a pair
  Tensor vectors(const Side& side) const;

 public:
  /// Throws ValueError for options out of range.
  explicit PairReader(const ModelOptions& options);

  const ModelOptions options;
  nn::Embedding& words;
  nn::Embedding* shared;  ///< null without overlap
  nn::Dropout& dropout;
  nn::Sequential& classify;

  /// weights [B, 1, T] of a look from the last word alone; undefined where there are none.
  Reading operator()(const Batch& batch, bool need_weights = false) const;
};

/// All that it takes to judge a pair.
struct Judge {
  data::Vocabulary vocabulary;
  std::unique_ptr<PairReader> model;
  command_line::KnownWords known = {.min_count = 2};
};
io::DirectoryFiles files_of(const Judge& judge);
/// Throws IoError; FormatError for a damaged folder, or a vocabulary that does not fit the weights.
Judge load(const std::string& folder);

}  // namespace entailment
