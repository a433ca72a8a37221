// A tagger of aspect and opinion terms: words' vectors, a GRU over them, and above it coupled
// multi-layer attentions (Wang et al. 2017) or what is compared with them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../../attention/mechanisms/pairs/coupled.h"
#include "../../data/word_vectors.h"
#include "../../io/model_directory.h"
#include "../../nn/dropout.h"
#include "../../nn/embedding.h"
#include "../../train/run.h"
#include "corpus.h"

namespace aspects {

struct ModelOptions {
  std::string attention = "cmla";
  Index vocabulary = 2;
  Index width = 100;
  Index hidden = 50;
  Index slices = 20;
  Index layers = 2;
  double dropout = 0.5;
  bool bidirectional = true;
  DType dtype = DType::f32;
  void fields(io::Fields& f) {
    f.choice("attention", attention, {"cmla", "uncoupled", "none"},
             "cmla; uncoupled: each side asks only with what it found itself; none: the GRU's "
             "states are labelled as they are");
    f.size("width", width, 1, 1 << 12, "of a word's vector");
    f.size("hidden", hidden, 1, 1 << 12, "of the GRU, in each direction");
    f.size("slices", slices, 1, 1 << 12, "K of the attention");
    f.size("layers", layers, 1, 100, "of the attention");
    f.flag("bidirectional", bidirectional, "the GRU reads backwards, too");
    f.number("dropout", dropout, 0, 0.99, "of words and of the GRU's states");
  }
};

/// What the words begin with.
struct BeginOptions {
  std::string vectors = {};
  void fields(io::Fields& f) {
    f.text("vectors", vectors, "words' vectors, a line each; left out: learned from the sentences");
  }
};

/// Of both sides: logits [B, T, 3] and, where there is attention, weights [B, T] of each layer.
struct Reading {
  std::array<Tensor, 2> logits;
  std::array<std::vector<Tensor>, 2> weights;
};

class Tagger : public nn::Module {
 public:
  /// Throws ValueError for options out of range.
  explicit Tagger(const ModelOptions& options);

  ModelOptions options;
  nn::Embedding& words;
  nn::Dropout& dropout;
  nn::GRU& gru;
  attention::CoupledMultiLayerAttention* attend = nullptr;  ///< null without attention
  std::array<nn::Linear*, 2> label = {};                    ///< null with it

  /// ids i64 [B, T].
  Reading operator()(const Tensor& ids, const std::vector<Index>& lengths) const;
};

/// Cross-entropy of the words' labels, both sides' added; its weight is the words.
train::Loss loss_of(const Tagger& tagger, const Batch& batch);

/// A tagger with the words that it knows.
struct Reader {
  data::Vocabulary vocabulary;
  std::unique_ptr<Tagger> tagger;
  BeginOptions begin = {};
};
/// Which begins with these vectors. Throws ValueError where they are not as wide as options say.
Reader make_reader(ModelOptions options, const data::WordVectors& vectors);
io::DirectoryFiles files_of(const Reader& reader);
/// Throws IoError, FormatError.
Reader load_reader(const std::string& folder);

}  // namespace aspects
