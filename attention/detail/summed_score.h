// Scaled dot products and what is added to each, as one score: as a map of scores is to see them,
// which sees no biases.
#pragma once

#include "../score.h"

namespace heed::attention {

class SummedScore : public Score {
 public:
  /// `added` broadcasts to the scores [.., Q, K] and is finite.
  explicit SummedScore(const Tensor& added) : added_(added) {}

  std::optional<Form> form(const Tensor& query, const Tensor& keys) const override;
  Tensor operator()(const Tensor& query, const Tensor& keys,
                    const Tensor& past = Tensor()) const override;

 private:
  Tensor added_;
};

}  // namespace heed::attention
