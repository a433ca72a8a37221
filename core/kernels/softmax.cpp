#include "softmax.h"

#include "axis_rows.h"
#include "reduce_simd.h"

namespace heed::kernels {
namespace {

constexpr Index kCost = 8;  // of an exponential

}  // namespace

Array softmax(const Array& x, Index axis, const Array& mask, bool log) {
  const char* op = log ? "log_softmax" : "softmax";
  check_floating(op, x.dtype());
  axis = normalize_axis(op, axis, x.rank());
  const Array allowed = mask_rows(op, mask, x, axis);
  const Array rows = with_axis_last(x, axis);
  Array out = Array::empty(rows.shape(), x.dtype());
  const Index size = x.shape()[axis];
  if (x.numel() == 0) return out.transpose(axis, -1);
  visit_floating(op, x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = rows.data<T>();
    const bool* may = allowed.defined() ? allowed.data<bool>() : nullptr;
    T* to = out.mutable_data<T>();
    each_rows(x.numel() / size, size, kCost, [&](Index begin, Index end) {
      for (Index at = begin * size; at < end * size; at += size) {
        simd::softmax_row(from + at, may ? may + at : nullptr, to + at,
                          static_cast<std::size_t>(size), log);
      }
    });
  });
  return with_axis_back(out, axis);
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
    each_rows(y.numel() / size, size, kCost, [&](Index begin, Index end) {
      for (Index at = begin * size; at < end * size; at += size) {
        simd::softmax_grad_row(from_g + at, from_y + at, to + at, static_cast<std::size_t>(size),
                               log);
      }
    });
  });
  return with_axis_back(out, axis);
}

}  // namespace heed::kernels
