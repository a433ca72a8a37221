// A matrix that learns by a low-rank one beside it (Hu et al. 2022, "LoRA", section 4.1):
//
//   y = x W^T + (alpha / r) dropout(x) A^T B^T      A [r, in], B [out, r], of which W is not trained
//
// B begins at zero: at first nothing is changed. lora.h puts them into a whole model.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dropout.h"

namespace heed::nn {

struct LowRankOptions {
  Index rank = 8;      ///< r
  double alpha = 16;   ///< of the scale alpha / r
  double dropout = 0;  ///< of x, in training
};

/// Throws ValueError for a rank that is not positive, a scale that is not finite, a dropout that is
/// not in [0, 1].
void check_low_rank(const LowRankOptions& options);

class LowRank : public Module {
 public:
  /// Throws as check_low_rank().
  LowRank(Index in, Index out, const LowRankOptions& options, DType dtype = DType::f32);

  Tensor &a, &b;

  /// y with what is added to rows first .. first + count of W's product; -1: all of them. `y`
  /// itself while merged.
  Tensor operator()(const Tensor& y, const Tensor& x, Index first = 0, Index count = -1) const;

  /// W += (alpha / r) B A; nothing happens where it is merged.
  void merge(Tensor weight);
  /// Puts back the very numbers that were there. Throws ValueError where W is undefined, or was
  /// written or replaced meanwhile; nothing happens where it is not merged.
  void unmerge(Tensor weight);
  /// Throws what unmerge() would.
  void check_unmerge(const Tensor& weight) const;
  bool merged() const { return before_.defined(); }

  const LowRankOptions& options() const { return options_; }

 private:
  LowRankOptions options_;
  Dropout& dropout_;
  Tensor before_;
  Array merged_;  // W, and its version, since then
  std::uint32_t version_ = 0;
};

/// What a layer with such matrices is beside a Module.
class Adaptable {
 public:
  virtual ~Adaptable() = default;
  /// Its own matrices [out, in], each under the name of the LowRank that may stand beside it; none
  /// where it has none.
  virtual std::vector<std::pair<std::string, Tensor>> adaptable() const = 0;
  /// Puts a LowRank beside each of its own matrices. Throws ValueError where there are some.
  virtual void adapt(const LowRankOptions& options) = 0;
  /// The matrices with their adapters; none before adapt().
  virtual std::vector<std::pair<Tensor, LowRank*>> adapters() const = 0;
};

}  // namespace heed::nn
