#include "relative.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../autograd/check_defined.h"
#include "../../autograd/factories.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/checked.h"
#include "../../core/error.h"
#include "../../core/traced.h"
#include "../../nn/init.h"

namespace heed::attention {
namespace {

Tensor table(const RelativeOptions& options, Index width) {
  if (width == 0) return Tensor();
  return zeros(Shape{2 * Checked("relative", options.clip) + 1, width}, options.dtype);
}

RelativeOptions checked(const RelativeOptions& options) {
  if (options.key_width > 0 && options.value_width >= 0 && options.clip >= 0) return options;
  throw ValueError(fmt::format(
      "relative: key width {} must be positive, value width {} and clip {} not negative",
      options.key_width, options.value_width, options.clip));
}

}  // namespace

RelativePositions::RelativePositions(const RelativeOptions& options)
    : keys(parameter("keys", table(checked(options), options.key_width))),
      values(parameter("values", table(options, options.value_width))),
      clip_(options.clip) {
  nn::normal_(keys, 0, 0.02);
  if (values.defined()) nn::normal_(values, 0, 0.02);
}

// i64 [Q, K]: the tables' row of each pair.
Tensor RelativePositions::rows(Index queries, Index count) const {
  if (traced()) {  // by operators that can be followed
    const Tensor places = unsqueeze(arange(queries) + (count - queries), 1);
    const Tensor near = minimum(maximum(arange(count) - places, tensor(-clip_)), tensor(clip_));
    return near + clip_;
  }
  Array rows = Array::empty(Shape{queries, count}, DType::i64);
  auto* to = rows.mutable_data<std::int64_t>();
  for (Index i = 0; i < queries; ++i) {
    const Index place = i + count - queries;
    for (Index j = 0; j < count; ++j) *to++ = std::clamp(j - place, -clip_, clip_) + clip_;
  }
  return rows;
}

Tensor RelativePositions::scores(const Tensor& query, Index count, double scale) const {
  check_defined("relative", query, "query");
  if (query.rank() < 2 || query.size(-1) != keys.size(1)) {
    throw ShapeError(
        fmt::format("relative: query must be [.., Q, {}], not {}", keys.size(1), describe(query)));
  }
  const Tensor by_row = matmul(query * scale, transpose(keys, 0, 1));  // [.., Q, 2 clip + 1]
  Shape shape = query.shape();
  shape[query.rank() - 1] = count;
  return gather(by_row, -1, expand(rows(query.size(-2), count), shape));
}

Tensor RelativePositions::context(const Tensor& weights) const {
  check_defined("relative", weights, "weights");
  if (!values.defined()) return zeros(Shape{}, weights.dtype());
  Shape shape = weights.shape();
  const Tensor places = expand(rows(weights.size(-2), weights.size(-1)), shape);
  shape[weights.rank() - 1] = values.size(0);
  const Tensor by_row = scatter_add(zeros(shape, weights.dtype()), -1, places, weights);
  return matmul(by_row, values);
}

}  // namespace heed::attention
