// The steps that stand before those of a call, as a short convolution and a token shift look back
// at them: zeros at the beginning, and what was kept when a sequence goes on.
#pragma once

#include <utility>
#include <vector>

#include "../../../autograd/tensor.h"

namespace heed::attention {

class PastSteps {
 public:
  /// At the place `first`, behind what `kept` says, in the order of the calls of with_past().
  PastSteps(Index first, std::vector<Tensor> kept) : first_(first), kept_(std::move(kept)) {}

  Index first() const { return first_; }
  /// x [B, T, width] with the `count` steps before it in front, [B, count + T, width]; the last
  /// `count` of all of them are kept.
  Tensor with_past(const Tensor& x, Index count);
  /// What is kept behind this call's steps.
  const std::vector<Tensor>& now() const { return now_; }

 private:
  Index first_;
  std::vector<Tensor> kept_, now_;
};

}  // namespace heed::attention
