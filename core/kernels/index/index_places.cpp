#include "index_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "../../error.h"

namespace heed::kernels {

Array nonzero(const Array& x) {
  const Array flat = x.contiguous();
  const Index rank = x.rank();
  return visit_dtype(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = flat.data<T>();
    const Index zeros = std::count(from, from + flat.numel(), T{0});
    Array out = Array::empty(Shape{flat.numel() - zeros, rank}, DType::i64);
    auto* to = out.mutable_data<std::int64_t>();
    for (Index i = 0; i < flat.numel(); ++i) {
      if (from[i] == T{0}) continue;
      Index rest = i;
      for (Index axis = rank - 1; axis >= 0; --axis) {
        to[axis] = rest % x.shape()[axis];
        rest /= x.shape()[axis];
      }
      to += rank;
    }
    return out;
  });
}

namespace {

// One i64 index an axis: masks become the columns of their places. A bool without axes answers for
// none: `whole`, the shape of all, then has an axis of one place, or of none where it is false.
std::vector<Array> one_an_axis(const char* op, const Shape& shape,
                               const std::vector<Array>& indices, Shape& whole) {
  if (indices.empty()) throw ShapeError(fmt::format("{}: no index is given", op));
  std::vector<Array> out;
  for (const Array& index : indices) {
    const Index first = static_cast<Index>(out.size());
    const Index axes = index.dtype() == DType::boolean ? index.rank() : 1;
    if (first + axes > shape.rank()) {
      throw ShapeError(fmt::format("{}: indices for more than the {} axes of {}", op, shape.rank(),
                                   to_string(shape)));
    }
    if (index.dtype() == DType::i64) {
      whole = broadcast_shapes(op, whole, index.shape());
      out.push_back(index);
      continue;
    }
    if (index.dtype() != DType::boolean) {
      throw DTypeError(fmt::format("{}: indices must be i64 or bool, not {}", op, describe(index)));
    }
    for (Index axis = 0; axis < axes; ++axis) {
      if (index.shape()[axis] == shape[first + axis]) continue;
      throw ShapeError(fmt::format("{}: mask {} does not fit {} from axis {}", op, describe(index),
                                   to_string(shape), first));
    }
    const Array places = nonzero(index);
    whole = broadcast_shapes(op, whole, Shape{places.size(0)});
    for (Index axis = 0; axis < axes; ++axis) out.push_back(places.select(1, axis));
  }
  return out;
}

}  // namespace

LeadingPlaces leading_places(const char* op, const Shape& shape,
                             const std::vector<Array>& indices) {
  Shape whole;
  const std::vector<Array> places = one_an_axis(op, shape, indices, whole);
  LeadingPlaces out{Array::zeros(whole, DType::i64), static_cast<Index>(places.size())};
  auto* to = out.rows.mutable_data<std::int64_t>();
  for (Index axis = 0; axis < out.axes; ++axis) {
    const Index size = shape[axis];
    const Array index = places[static_cast<std::size_t>(axis)].expand(whole).contiguous();
    const auto* id = index.data<std::int64_t>();
    for (Index i = 0; i < index.numel(); ++i) {
      if (id[i] < -size || id[i] >= size) {
        throw IndexError(fmt::format("{}: index {} is out of range [{}, {}) of axis {}", op, id[i],
                                     -size, size, axis));
      }
      to[i] = to[i] * size + (id[i] < 0 ? id[i] + size : id[i]);
    }
    out.count = checked_mul(op, out.count, size);
  }
  return out;
}

Array put_rows(const Array& table, const Array& rows, const Array& values) {
  Array out = table.clone();
  if (rows.numel() == 0 || out.numel() == 0) return out;
  const Array from = values.contiguous();
  const Array flat = rows.contiguous();
  const auto* row = flat.data<std::int64_t>();
  const std::size_t bytes =
      static_cast<std::size_t>(out.numel() / out.size(0)) * size_of(out.dtype());
  for (Index i = 0; i < flat.numel(); ++i) {
    std::memcpy(out.mutable_raw() + static_cast<std::size_t>(row[i]) * bytes,
                from.raw() + static_cast<std::size_t>(i) * bytes, bytes);
  }
  return out;
}

Array last_of_equals(const Array& rows, Index count) {
  Array out = Array::zeros(Shape{rows.numel()}, DType::boolean);
  const Array flat = rows.contiguous();
  const auto* row = flat.data<std::int64_t>();
  bool* last = out.mutable_data<bool>();
  std::vector<bool> seen(static_cast<std::size_t>(count));
  for (Index i = flat.numel() - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(row[i]);
    last[i] = !seen[at];
    seen[at] = true;
  }
  return out;
}

}  // namespace heed::kernels
