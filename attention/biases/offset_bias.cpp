#include "offset_bias.h"

#include <fmt/format.h>

#include <cmath>

#include "../../autograd/check_defined.h"
#include "../../autograd/ops/attention/attention.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"

namespace heed::attention {
namespace {

// [n]: first, first + 1, ..
Tensor places(Index first, Index count, DType dtype) {
  std::vector<double> out;
  for (Index i = 0; i < count; ++i) out.push_back(static_cast<double>(first + i));
  return tensor(out, Shape{count}, dtype);
}

void check_counts(const char* op, Index queries, Index keys) {
  if (queries >= 0 && keys >= 0) return;
  throw ShapeError(fmt::format("{}: {} queries and {} keys", op, queries, keys));
}

Tensor slopes_of(Index heads, DType dtype) {
  if (heads <= 0) throw ValueError(fmt::format("alibi: heads {} must be positive", heads));
  Index power = 1;
  Array::empty({heads}, DType::f64);  // what no memory holds is refused before the first is made
  while (power <= heads / 2) power *= 2;
  std::vector<double> slopes;
  for (Index h = 1; h <= power; ++h) {
    slopes.push_back(std::exp2(-8.0 * static_cast<double>(h) / static_cast<double>(power)));
  }
  for (Index h = 1; static_cast<Index>(slopes.size()) < heads; h += 2) {
    slopes.push_back(std::exp2(-4.0 * static_cast<double>(h) / static_cast<double>(power)));
  }
  return tensor(slopes, Shape{heads}, dtype);
}

Tensor checked_slopes(const Tensor& slopes) {
  check_defined("alibi", slopes, "slopes");
  check_floating("alibi", slopes.dtype());
  if (slopes.rank() == 1) return slopes;
  throw ShapeError("alibi: slopes must be [H], not " + describe(slopes));
}

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

// The last query stands Q - 1 places after the first: its first key is the farthest behind.
Tensor OffsetBias::offsets(Index queries, Index keys, Index first) const {
  check_counts("bias", queries, keys);
  return by_offset(1 - queries - first, std::max<Index>(queries + keys - 1, 0));
}

Tensor OffsetBias::offsets(Index queries, Index keys) const {
  return offsets(queries, keys, keys - queries);
}

Tensor OffsetBias::at(Index queries, Index keys, Index first) const {
  return offset_block(offsets(queries, keys, first), queries, keys);
}

Alibi::Alibi(Index heads, DType dtype) : slopes(buffer("slopes", slopes_of(heads, dtype))) {}

Alibi::Alibi(Tensor given)
    : slopes(checked_slopes(given).requires_grad() ? parameter("slopes", given)
                                                   : buffer("slopes", given)) {}

Tensor Alibi::by_offset(Index least, Index count) const {
  return unsqueeze(slopes, 1) * -abs(places(least, count, slopes.dtype()));
}

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
  for (Index i = 0; i < count; ++i) buckets.push_back(bucket(least + i));
  return transpose(embedding(weight, Array::from(buckets)), 0, 1);
}

Tensor gaussian_bias(const Tensor& centres, Index keys, double sigma) {
  check_defined("gaussian_bias", centres, "centres");
  check_floating("gaussian_bias", centres.dtype());
  if (!(sigma > 0) || !std::isfinite(sigma)) {
    throw ValueError(fmt::format("gaussian_bias: sigma {} must be positive", sigma));
  }
  if (centres.rank() == 0) throw ShapeError("gaussian_bias: centres must be [.., Q], not a number");
  check_counts("gaussian_bias", centres.size(-1), keys);
  const Tensor off = places(0, keys, centres.dtype()) - unsqueeze(centres, -1);
  return square(off) * (-0.5 / (sigma * sigma));
}

}  // namespace heed::attention
