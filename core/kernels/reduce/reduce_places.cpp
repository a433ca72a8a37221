// The reductions whose answer is not one of x's numbers: where the extreme stands, whether any
// holds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../error.h"
#include "../../parallel.h"
#include "../elementwise/iterate.h"
#include "reduce.h"
#include "reduce_simd.h"

namespace heed::kernels {
namespace {

// Where the extreme of a row of neighbours stands: of which block by vectors, then in it.
template <class T, class Before>
Index place_in_row(Reduce extreme, const T* row, Index size, const Before& before) {
  constexpr Index kBlock = 4096;
  Index block = 0;
  T best{};
  for (Index first = 0; first < size; first += kBlock) {
    const auto count = static_cast<std::size_t>(std::min(kBlock, size - first));
    const T part = simd::reductions<T>().reduce(extreme, row + first, 1, count);
    if (first > 0 && !before(part, best) && !std::isnan(part)) continue;
    block = first;
    best = part;
    if (std::isnan(best)) break;
  }
  const T* const from = row + block;
  const T* const end = row + std::min(size, block + kBlock);
  const T* const found = std::isnan(best)
                             ? std::find_if(from, end, [](T value) { return std::isnan(value); })
                             : std::find(from, end, best);
  return static_cast<Index>(found - row);
}

// before(a, b): a is a strictly better extreme than b.
template <class Before>
Array place_of_extreme(const char* op, Reduce extreme, const Array& x, Index axis, bool keepdim,
                       const Before& before) {
  const Index place = normalize_axis(op, axis, x.rank());
  const Index size = x.shape()[place];
  Shape shape = x.shape();
  shape[place] = 1;
  if (size == 0 && shape.numel() > 0) {
    throw ShapeError(fmt::format("{}: no elements to reduce in {}", op, describe(x)));
  }
  Array out = Array::empty(shape, DType::i64);
  Strides kept = x.strides();
  kept[place] = 0;
  const Walk<2> walk(shape, {&out.strides(), &kept});
  const auto is_nan = [](auto value) { return value != value; };
  visit_dtype(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = x.data<T>();
    auto* to = out.mutable_data<std::int64_t>();
    const Index step = x.strides()[place];
    walk.run(
        [&](const auto& at, Index n) {
          for (Index i = 0; i < n; ++i) {
            const T* row = from + at[1] + i * walk.inner_step(1);
            Index& result = to[at[0] + i * walk.inner_step(0)];
            if constexpr (std::is_floating_point_v<T>) {
              if (step == 1) {
                result = place_in_row(extreme, row, size, before);
                continue;
              }
            }
            Index best = 0;
            for (Index k = 1; k < size; ++k) {
              const T value = row[k * step];
              const T held = row[best * step];
              if (before(value, held) || (is_nan(value) && !is_nan(held))) best = k;
            }
            result = best;
          }
        },
        size);
  });
  return keepdim ? out : out.squeeze(place);
}

// Whether an element that is 0 (or not, for `wanted`) stands among those reduced.
Array holds(const char* op, const Array& x, const std::vector<Index>& axes, bool keepdim,
            bool wanted) {
  const std::vector<Index> places = normalize_axes(op, axes, x.rank());
  Array out = Array::empty(reduced_shape(x.shape(), places, keepdim), DType::boolean);
  std::vector<Index> order;  // kept axes, then reduced ones
  for (Index axis = 0; axis < x.rank(); ++axis) {
    if (!std::binary_search(places.begin(), places.end(), axis)) order.push_back(axis);
  }
  order.insert(order.end(), places.begin(), places.end());
  const Index rows = out.numel();
  const Index width = rows == 0 ? 0 : x.numel() / rows;
  const Array flat = x.permute(order).contiguous();
  bool* to = out.mutable_data<bool>();
  visit_dtype(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = flat.data<T>();
    parallel_for(
        rows, std::max<Index>(1, kGrain / std::max<Index>(width, 1)), [&](Index begin, Index end) {
          for (Index i = begin; i < end; ++i) {
            const T* row = from + i * width;
            to[i] =
                std::any_of(row, row + width, [=](T value) { return (value != T{0}) == wanted; });
          }
        });
  });
  return out;
}

}  // namespace

Array argmax(const Array& x, Index axis, bool keepdim, const char* op) {
  return place_of_extreme(op, Reduce::max, x, axis, keepdim, [](auto a, auto b) { return a > b; });
}

Array argmin(const Array& x, Index axis, bool keepdim, const char* op) {
  return place_of_extreme(op, Reduce::min, x, axis, keepdim, [](auto a, auto b) { return a < b; });
}

Array any(const Array& x, const std::vector<Index>& axes, bool keepdim) {
  return holds("any", x, axes, keepdim, true);
}

Array all(const Array& x, const std::vector<Index>& axes, bool keepdim) {
  Array out = holds("all", x, axes, keepdim, false);
  bool* to = out.mutable_data<bool>();
  for (Index i = 0; i < out.numel(); ++i) to[i] = !to[i];
  return out;
}

}  // namespace heed::kernels
