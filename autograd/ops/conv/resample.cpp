#include "resample.h"

#include <algorithm>

#include "../elementwise/elementwise.h"
#include "../index/index.h"

namespace heed {

Tensor detail::resampled(const Tensor& x, Index axis, Index out,
                         const std::function<double(Index)>& place_of, bool linear) {
  const Index last = x.size(axis) - 1;
  Shape shape = Shape::filled(x.rank(), 1);
  shape[axis] = out;
  Array low = Array::empty(Shape{out}, DType::i64), high = Array::empty(Shape{out}, DType::i64);
  Array weight = Array::empty(shape, DType::f64);
  auto* const to_low = low.mutable_data<std::int64_t>();
  auto* const to_high = high.mutable_data<std::int64_t>();
  auto* const to_weight = weight.mutable_data<double>();
  for (Index i = 0; i < out; ++i) {
    const double place = std::clamp(place_of(i), 0.0, static_cast<double>(last));
    to_low[i] = static_cast<Index>(place);
    to_high[i] = std::min(to_low[i] + 1, last);
    to_weight[i] = place - static_cast<double>(to_low[i]);
  }
  Tensor first = index_select(x, axis, Tensor(low));
  if (!linear) return first;
  const Tensor w(weight.to(x.dtype()));
  return (1 - w) * first + w * index_select(x, axis, Tensor(high));
}

}  // namespace heed
