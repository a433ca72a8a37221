#include "low_rank.h"

#include <fmt/format.h>

#include <cmath>

#include "../autograd/factories.h"
#include "../autograd/grad_mode.h"
#include "../autograd/methods.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/linalg/matmul.h"
#include "../autograd/ops/shape/slicing.h"
#include "../core/error.h"
#include "init.h"

namespace heed::nn {

void check_low_rank(const LowRankOptions& options) {
  if (options.rank < 1 || !std::isfinite(options.alpha)) {
    throw ValueError(fmt::format("low_rank: rank {} must be positive, alpha {} finite",
                                 options.rank, options.alpha));
  }
  if (!(options.dropout >= 0 && options.dropout <= 1)) {  // in the words of the layer it becomes
    throw ValueError(fmt::format("Dropout: p {} is not in [0, 1]", options.dropout));
  }
}

namespace {

const LowRankOptions& checked(const LowRankOptions& options) {
  check_low_rank(options);
  return options;
}

}  // namespace

LowRank::LowRank(Index in, Index out, const LowRankOptions& options, DType dtype)
    : a(parameter("lora_a", zeros(Shape{checked(options).rank, in}, dtype))),
      b(parameter("lora_b", zeros(Shape{out, options.rank}, dtype))),
      options_(options),
      dropout_(child<Dropout>("dropout", options.dropout)) {
  kaiming_uniform_(a, std::sqrt(5.0));
}

Tensor LowRank::operator()(const Tensor& y, const Tensor& x, Index first, Index count) const {
  if (merged()) return y;
  const Scope scope(*this);
  const Tensor rows = count < 0 || count == b.size(0) ? b : narrow(b, 0, first, count);
  const Tensor inner = linear(dropout_(x), a, Tensor());
  const double scale = options_.alpha / static_cast<double>(options_.rank);
  return forwarded(y + linear(inner * scale, rows, Tensor()));
}

void LowRank::merge(Tensor weight) {
  if (merged()) return;
  const NoGrad scope;
  const double scale = options_.alpha / static_cast<double>(options_.rank);
  const Tensor sum = weight + matmul(b * scale, a);
  before_ = weight.clone();
  weight.copy_from(sum.array());
  merged_ = weight.array();
  version_ = merged_.version();
}

void LowRank::check_unmerge(const Tensor& weight) const {
  if (!merged()) return;
  const bool same =
      weight.defined() && weight.array().raw() == merged_.raw() && merged_.version() == version_;
  if (same) return;
  throw ValueError(path() +
                   ": unmerge: the weight beside it was written or replaced after it was merged");
}

void LowRank::unmerge(Tensor weight) {
  if (!merged()) return;
  check_unmerge(weight);
  const NoGrad scope;
  weight.copy_from(before_.array());
  before_ = Tensor();
  merged_ = Array();
}

}  // namespace heed::nn
