// What a mechanism keeps of the steps before those of a call beside its state, as a short
// convolution and a token shift look back at them; nothing at the beginning.
#pragma once

#include <utility>
#include <vector>

#include "../../../autograd/tensor.h"

namespace heed::attention {

class PastSteps {
 public:
  /// At the place `first`, behind what `kept` says, in the order of the calls of take(). `causal`:
  /// nothing may be known of steps that come later. `real`: see there.
  PastSteps(Index first, bool causal, std::vector<Tensor> kept, Tensor real = Tensor())
      : first_(first), causal_(causal), kept_(std::move(kept)), real_(std::move(real)) {}

  Index first() const { return first_; }
  bool causal() const { return causal_; }
  /// bool [B, T]: which steps of the call are there; undefined: all.
  const Tensor& real() const { return real_; }
  /// What keep() was given in the call before, in the same order; undefined at the beginning.
  Tensor take() const { return now_.size() < kept_.size() ? kept_[now_.size()] : Tensor(); }
  void keep(const Tensor& x) { now_.push_back(x); }
  /// x [B, T, width] with the `count` steps before it in front, zeros at the beginning, [B, count +
  /// T, width]; the last `count` of all of them are kept.
  Tensor with_past(const Tensor& x, Index count);
  /// All that was kept.
  const std::vector<Tensor>& now() const { return now_; }

 private:
  Index first_;
  bool causal_;
  std::vector<Tensor> kept_, now_;
  Tensor real_;
};

}  // namespace heed::attention
