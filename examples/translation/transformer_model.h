// The Transformer (Vaswani et al. 2017) with layer norms before each part, which trains without
// care: words scaled by sqrt(E), sinusoidal positions of any sentence's length.
#pragma once

#include "../../attention/mechanisms/transformer/transformer.h"
#include "translator.h"

namespace translation {

class TransformerModel : public Translator {
 public:
  explicit TransformerModel(const ModelOptions& options);

  attention::Transformer& layers;

  /// The looks are those of each layer's and head's attention to the source.
  Tensor features(const Rows& source, const Rows& before,
                  std::vector<Look>* looks = nullptr) const override;
  Tensor features(const Packed& source, const Packed& before) const override;
  /// A step's weights are the mean over heads of the last layer but one (of a single layer, its),
  /// which aligns best (Garg et al. 2019).
  std::unique_ptr<nn::Decoding> start(const Rows& source) const override;
  std::vector<Array> self_looks(const Rows& source) const override;

  /// Packed words [N] -> tokens [N, E], each text's from place 0.
  Packed embed(const nn::Embedding& table, const Packed& words) const;
  /// The encoder's output, [B, K, E].
  Tensor read(const Rows& source) const;
  /// Words [B, T], the first of which stands at `first` -> [B, T, E].
  Tensor embed(const nn::Embedding& table, const Tensor& words, Index first = 0) const;
};

}  // namespace translation
