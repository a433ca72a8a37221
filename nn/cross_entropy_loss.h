// CrossEntropyLoss: cross_entropy() with its options kept. Class weights are a buffer, "weight",
// and follow the dtype of the model.
#pragma once

#include <concepts>

#include "../autograd/ops/losses/cross_entropy.h"
#include "layer.h"

namespace heed::nn {

class CrossEntropyLoss : public Layer<CrossEntropyLoss> {
 public:
  /// Throws ValueError for a label_smoothing outside [0, 1] and weights not of rank 1, DTypeError.
  explicit CrossEntropyLoss(const CrossEntropyOptions& options = {});
  /// Class weights, which PyTorch has first.
  template <std::same_as<Tensor> T>
  explicit CrossEntropyLoss(const T& weights, const CrossEntropyOptions& others = {})
      : CrossEntropyLoss(with_weights(others, weights)) {}
  explicit CrossEntropyLoss(Reduction reduction)
      : CrossEntropyLoss(CrossEntropyOptions{.reduction = reduction}) {}

  Tensor& weight;  ///< [C], a factor a class; undefined: all 1

  /// logits [N, C], targets i64 [N] -> rank 0, or [N] for Reduction::none. Throws as
  /// cross_entropy().
  Tensor operator()(const Tensor& logits, const Tensor& targets) const;

 private:
  static CrossEntropyOptions with_weights(CrossEntropyOptions options, const Tensor& weights) {
    options.weight = weights;
    return options;
  }
  CrossEntropyOptions options_;
};

}  // namespace heed::nn
