// A score over keys that are prepared already, for mechanisms that ask the same keys many times, in
// parts (local attention) or with another past each time (coverage).
#pragma once

#include "../score.h"

namespace heed::attention {

class PreparedScore : public Score {
 public:
  /// `score` must outlive this; `last` is handed to it with each call.
  explicit PreparedScore(const Score& score, Tensor last = Tensor())
      : score_(score), last_(std::move(last)) {}

  Tensor operator()(const Tensor& query, const Tensor& prepared,
                    const Tensor& last = Tensor()) const override;
  Tensor context(const Tensor& query, const Tensor& prepared, const Tensor& values,
                 const Mask& mask, const Added& added,
                 AttentionCall* call = nullptr) const override;
  bool per_feature() const override { return score_.per_feature(); }

 private:
  const Score& score_;
  Tensor last_;
};

}  // namespace heed::attention
