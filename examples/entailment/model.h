// Readers of pairs that differ in the attention only: words to vectors, which of them the other
// sentence has, too; what a mechanism makes of the two sentences; a classifier of one tanh layer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "../../attention/mechanisms/decoders/lstmn_decoder.h"
#include "../../attention/mechanisms/memory/lstmn.h"
#include "../../attention/mechanisms/pairs/decomposable.h"
#include "../../attention/mechanisms/pairs/esim.h"
#include "../../attention/mechanisms/pairs/two_way.h"
#include "../../io/model_directory.h"
#include "../../nn/embedding.h"
#include "../../nn/sequential.h"
#include "corpus.h"

namespace entailment {

enum class Kind : std::uint8_t { none, last, word_by_word, two_way, lstmn, decomposable, esim };

struct ModelOptions {
  Kind attention = Kind::esim;
  Index vocabulary = 0;
  Index width = 100;
  Index hidden = 100;
  double dropout = 0.4;
  bool overlap = true;
  DType dtype = DType::f32;
  void fields(io::Fields& f) {
    f.choice("attention", attention,
             {{"none", Kind::none},
              {"last", Kind::last},
              {"word_by_word", Kind::word_by_word},
              {"two_way", Kind::two_way},
              {"lstmn", Kind::lstmn},
              {"decomposable", Kind::decomposable},
              {"esim", Kind::esim}},
             "between the two sentences; none: conditional encoding");
    f.size("width", width, 1, 1 << 14, "of a word");
    f.size("hidden", hidden, 1, 1 << 14, "of what reads, aligns and compares");
    f.number("dropout", dropout, 0, 0.99, "probability");
    f.flag("overlap", overlap, "each word says whether the other sentence has it, too");
  }
};

struct Reading {
  Tensor logits;                ///< [B, 3]
  Tensor weights = {};          ///< hypothesis over premise [B, T, L]; [B, 1, L] of the last alone
  Tensor premise_weights = {};  ///< premise over hypothesis [B, L, T], of what looks both ways
};

class PairReader : public nn::Module {
 public:
  /// Throws ValueError for options out of range.
  explicit PairReader(const ModelOptions& options);

  ModelOptions options;
  nn::Embedding& words;
  nn::Embedding* shared = nullptr;
  nn::Dropout& dropout;
  // Those of the kind, else null.
  attention::ConditionalEncoding* read = nullptr;
  attention::OneShotAttention* one_shot = nullptr;
  attention::WordByWord* word_by_word = nullptr;
  attention::TwoWay* two_way = nullptr;
  attention::LSTMN* tape = nullptr;
  attention::LSTMNDecoder* fused = nullptr;
  attention::DecomposableAttention* decomposable = nullptr;
  attention::ESIM* esim = nullptr;
  nn::Sequential& classify;

  Reading operator()(const Batch& batch, bool need_weights = false) const;

 private:
  Index make_mechanism();  // the width of its pair
  Tensor vectors(const Side& side) const;
  // The pair [B, any], and the weights.
  Tensor match(const Batch& batch, bool need_weights, Reading& out) const;
};

/// All that it takes to judge a pair.
struct Judge {
  data::Vocabulary vocabulary;
  std::unique_ptr<PairReader> model;
};
io::DirectoryFiles files_of(const Judge& judge);
/// Throws IoError; FormatError for a damaged folder, or a vocabulary that does not fit the weights.
Judge load(const std::string& folder);

}  // namespace entailment
