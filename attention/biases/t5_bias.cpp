#include "t5_bias.h"

#include <fmt/format.h>

#include <cmath>

#include "../../autograd/factories.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/traced.h"

namespace heed::attention {
namespace {

T5Options checked(const T5Options& options) {
  if (options.heads <= 0) {
    throw ValueError(fmt::format("t5: heads {} must be positive", options.heads));
  }
  const Index side = options.bidirectional ? options.buckets / 2 : options.buckets;
  if (side < 2 || options.max_distance <= side / 2) {
    throw ValueError(fmt::format(
        "t5: {} buckets for distances up to {}: each side needs 2, and half of them fewer than "
        "the distances",
        options.buckets, options.max_distance));
  }
  return options;
}

}  // namespace

T5Bias::T5Bias(const T5Options& options)
    : weight(parameter("weight",
                       zeros(Shape{checked(options).buckets, options.heads}, options.dtype))),
      options_(options) {}

// Half of a side's buckets hold one distance each, the others grow with its logarithm.
Index T5Bias::bucket(Index distance) const {
  const Index side = options_.bidirectional ? options_.buckets / 2 : options_.buckets;
  const Index begin = options_.bidirectional && distance > 0 ? side : 0;
  const Index far = options_.bidirectional ? std::abs(distance) : std::max<Index>(-distance, 0);
  const Index exact = side / 2;
  if (far < exact) return begin + far;
  // In f32, as the models that are loaded were trained.
  const auto ratio = [exact](Index x) {
    return std::log(static_cast<float>(x) / static_cast<float>(exact));
  };
  const float step = ratio(far) / ratio(options_.max_distance) * static_cast<float>(side - exact);
  return begin + std::min(exact + static_cast<Index>(step), side - 1);
}

Tensor T5Bias::by_offset(Index least, Index count) const {
  std::vector<Index> buckets;
  if (traced()) {  // a table of all distances, beyond whose ends nothing changes
    const Index most = options_.max_distance;
    for (Index distance = -most; distance <= most; ++distance) buckets.push_back(bucket(distance));
    const Tensor near = minimum(maximum(arange(count) + least, tensor(-most)), tensor(most)) + most;
    return transpose(embedding(weight, embedding(Tensor(Array::from(buckets)), near)), 0, 1);
  }
  for (Index i = 0; i < count; ++i) buckets.push_back(bucket(least + i));
  return transpose(embedding(weight, Array::from(buckets)), 0, 1);
}

}  // namespace heed::attention
