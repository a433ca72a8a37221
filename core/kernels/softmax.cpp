#include "softmax.h"

#include <fmt/format.h>

#include <algorithm>

#include "../error.h"
#include "../parallel.h"
#include "iterate.h"
#include "reduce_simd.h"

namespace heed::kernels {
namespace {

// Runs body(row) for each row of the last axis.
template <class Body>
void each_row(Index rows, Index size, const Body& body) {
  parallel_for(rows, std::max<Index>(1, kGrain / std::max<Index>(8 * size, 1)),
               [&](Index begin, Index end) {
                 for (Index row = begin; row < end; ++row) body(row);
               });
}

Array with_axis_last(const Array& x, Index axis) { return x.transpose(axis, -1).contiguous(); }

}  // namespace

Array softmax(const Array& x, Index axis, const Array& mask, bool log) {
  const char* op = log ? "log_softmax" : "softmax";
  check_floating(op, x.dtype());
  axis = normalize_axis(op, axis, x.rank());
  Array allowed;
  if (mask.defined()) {
    if (mask.dtype() != DType::boolean) {
      throw DTypeError(fmt::format("{}: the mask must be bool, not {}", op, describe(mask)));
    }
    if (!(broadcast_shapes(op, mask.shape(), x.shape()) == x.shape())) {
      throw ShapeError(
          fmt::format("{}: mask {} does not broadcast to {}", op, describe(mask), describe(x)));
    }
    allowed = with_axis_last(mask.expand(x.shape()), axis);
  }
  const Array rows = with_axis_last(x, axis);
  Array out = Array::empty(rows.shape(), x.dtype());
  const Index size = x.shape()[axis];
  if (x.numel() == 0) return out.transpose(axis, -1);
  visit_floating(op, x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = rows.data<T>();
    const bool* may = allowed.defined() ? allowed.data<bool>() : nullptr;
    T* to = out.mutable_data<T>();
    each_row(x.numel() / size, size, [&](Index row) {
      simd::softmax_row(from + row * size, may ? may + row * size : nullptr, to + row * size,
                        static_cast<std::size_t>(size), log);
    });
  });
  return out.transpose(axis, -1).contiguous();
}

Array softmax_grad(const Array& g, const Array& y, Index axis, bool log) {
  const char* op = log ? "log_softmax" : "softmax";
  axis = normalize_axis(op, axis, y.rank());
  const Array rows_g = with_axis_last(g, axis);
  const Array rows_y = with_axis_last(y, axis);
  Array out = Array::empty(rows_y.shape(), y.dtype());
  const Index size = y.shape()[axis];
  if (y.numel() == 0) return out.transpose(axis, -1);
  visit_floating(op, y.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from_g = rows_g.data<T>();
    const T* from_y = rows_y.data<T>();
    T* to = out.mutable_data<T>();
    each_row(y.numel() / size, size, [&](Index row) {
      simd::softmax_grad_row(from_g + row * size, from_y + row * size, to + row * size,
                             static_cast<std::size_t>(size), log);
    });
  });
  return out.transpose(axis, -1).contiguous();
}

}  // namespace heed::kernels
