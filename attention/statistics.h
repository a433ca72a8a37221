// A look at the weights of an attend() that did not make them: from the sums that tiled attention
// keeps, a query at a time, so that no [Q, K] block is ever made. Without gradients.
#pragma once

#include "../autograd/ops/attention/attention.h"

namespace heed::attention {

class AttentionStatistics {
 public:
  /// Of nothing: all members throw GradError.
  AttentionStatistics() = default;
  /// Of a tiled pass.
  explicit AttentionStatistics(AttentionCall call) : call_(std::move(call)) {}
  /// Of weights [.., Q, K] that are there.
  explicit AttentionStatistics(const Tensor& weights) : weights_(weights.detach()) {}

  /// The same of heads [B, H, ..] that stood in groups, [B, H / G, G, ..].
  AttentionStatistics side_by_side() const;

  /// [.., R, K]: the weights of the queries `queries`, i64 [R]. Throws IndexError.
  Tensor rows(const Tensor& queries) const;
  /// [.., K]: how much each key was attended to, by all queries together.
  Tensor received() const;
  /// [.., Q]: the entropy of each query's weights in nats; 0 where there are none.
  Tensor entropies() const;

 private:
  void check() const;
  Tensor shaped(const Tensor& x) const;
  bool grouped_ = false;
  AttentionCall call_;
  Tensor weights_;
};

}  // namespace heed::attention
