// A decoder-only Transformer language model (Vaswani et al. 2017; Radford et al. 2019): pre-norm
// layers that see only what stands before them, with dot-product attention or with a Synthesizer.
// The output layer is the embedding's table.
//
//   ids [B, T] -> embedding + positions -> layers, causal -> norm -> logits [B, T, V]
#pragma once

#include <string>
#include <vector>

#include "../../attention/mechanisms/transformer/synthesizer_kinds.h"
#include "../../attention/mechanisms/transformer/transformer_encoder.h"
#include "../../autograd/ops/packed/packed.h"
#include "../../io/fields.h"
#include "../../nn/embedding.h"

namespace language_model {

using namespace heed;  // an application speaks the library's language

enum class Positions { learned, sinusoidal, rotary };

struct ModelOptions {
  Index vocabulary = 2;
  Index layers = 4;
  Index width = 128;
  Index heads = 4;
  Index context = 64;  ///< the longest text that it sees
  double dropout = 0;
  Positions positions = Positions::learned;
  std::string attention = "dot";  ///< see attention::synthesizer_kinds()
  DType dtype = DType::f32;
  void fields(io::Fields& f) {
    f.size("layers", layers, 1, 1024, "of the model");
    f.size("width", width, 1, 1 << 14, "of the model");
    f.size("heads", heads, 1, 1 << 14, "of each layer, a divisor of the width");
    f.size("context", context, 1, 1 << 24, "tokens that the model sees");
    f.choice("positions", positions,
             {{"learned", Positions::learned},
              {"sinusoidal", Positions::sinusoidal},
              {"rotary", Positions::rotary}},
             "of the tokens");
    f.text("attention", attention,
           "dot, or synthesizer- and dense, random, fixed-random, factorised-dense, "
           "factorised-random, or several with + between, dot-product among them");
    f.number("dropout", dropout, 0, 0.99, "probability");
  }
};

/// What decoding step by step keeps: each layer's keys and values.
using Past = attention::TransformerEncoder::State;

class LanguageModel : public nn::Module {
 public:
  /// Throws ValueError for sizes that do not fit together, and rotary positions with a Synthesizer.
  explicit LanguageModel(const ModelOptions& options);

  ModelOptions options;
  attention::SynthesizerKinds synthesizer;  ///< none: dot-product attention
  nn::Embedding& tokens;
  Tensor& places;  ///< [context, width]; undefined unless learned
  nn::Dropout& dropout;
  attention::TransformerEncoder& layers;

  /// [B, T] -> [B, T, V]: row t scores what stands at t + 1. Throws ShapeError for T > context.
  Tensor operator()(const Tensor& ids) const;
  /// The same of texts one behind the other, i64 [N] -> [N, V], each of which sees itself alone.
  /// Throws ShapeError, ValueError as check_offsets(), and ValueError with a Synthesizer, which
  /// knows places of one text only.
  Tensor operator()(const Packed& ids) const;
  /// What each layer looks at in a text [T] -> weights [heads, T, T] each. Throws ShapeError.
  std::vector<Array> looks(const Tensor& ids) const;
  /// The next tokens [B, T] of a text -> [B, V], the scores of what follows the last of them. Costs
  /// O(T (past + T) width). Throws ShapeError beyond the context, GradError while recording,
  /// ValueError with a Synthesizer, which has no keys to keep.
  Tensor step(const Tensor& ids, Past& past) const;

 private:
  // [count, width]; undefined where they are rotary.
  Tensor positions(Index first, Index count) const;
  Tensor embed(const Tensor& ids, const Tensor& rows) const;
  // ids [B, T], the first of which stand at `first`.
  Tensor embed(const Tensor& ids, Index first) const;
};

}  // namespace language_model
