#include "softmax.h"

#include "../reduce/reduce_simd.h"
#include "axis_rows.h"
#include "softmax_columns_simd.h"

namespace heed::kernels {
namespace {

constexpr Index kCost = 8;  // of an exponential

// Calls body(offset, columns) for strips of the columns of x [.., size, inner] along which the axis
// runs.
template <class Body>
void each_strip(Index numel, Index size, Index inner, const Body& body) {
  const Index strips = (inner - 1) / simd::kStrip + 1;
  const Index width = std::min(inner, simd::kStrip);
  each_rows(numel / (size * inner) * strips, size * width, kCost, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index first = i % strips * simd::kStrip;
      body(i / strips * size * inner + first, std::min(simd::kStrip, inner - first));
    }
  });
}

// Elements from one place of the axis to the next, or 0 where the axis should rather be laid last.
Index columns_behind(const Array& x, Index axis) {
  constexpr Index kNarrowest = 8;
  const Index inner = row_major(x.shape())[axis];
  return inner >= kNarrowest && x.numel() > 0 ? inner : 0;
}

}  // namespace

Array softmax(const Array& x, Index axis, const Array& mask, bool log) {
  if (x.dtype() == DType::bf16) return softmax(x.widened(), axis, mask, log);
  const char* op = log ? "log_softmax" : "softmax";
  check_floating(op, x.dtype());
  axis = normalize_axis(op, axis, x.rank());
  if (const Index inner = mask.defined() ? 0 : columns_behind(x, axis)) {
    const Array from = x.contiguous();
    Array out = Array::empty(x.shape(), x.dtype());
    visit_floating(op, x.dtype(), [&](auto zero) {
      using T = decltype(zero);
      each_strip(x.numel(), x.size(axis), inner, [&](Index at, Index columns) {
        simd::softmax_columns<T>().forward(from.data<T>() + at, out.mutable_data<T>() + at,
                                           x.size(axis), inner, columns, log);
      });
    });
    return out;
  }
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
        simd::reductions<T>().softmax(from + at, may ? may + at : nullptr, to + at,
                                      static_cast<std::size_t>(size), log);
      }
    });
  });
  return with_axis_back(out, axis);
}

Array softmax_grad(const Array& g, const Array& y, Index axis, bool log) {
  const char* op = log ? "log_softmax" : "softmax";
  axis = normalize_axis(op, axis, y.rank());
  if (const Index inner = columns_behind(y, axis)) {
    const Array from_g = g.contiguous(), from_y = y.contiguous();
    Array out = Array::empty(y.shape(), y.dtype());
    visit_floating(op, y.dtype(), [&](auto zero) {
      using T = decltype(zero);
      each_strip(y.numel(), y.size(axis), inner, [&](Index at, Index columns) {
        simd::softmax_columns<T>().backward(from_g.data<T>() + at, from_y.data<T>() + at,
                                            out.mutable_data<T>() + at, y.size(axis), inner,
                                            columns, log);
      });
    });
    return out;
  }
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
        simd::reductions<T>().softmax_grad(from_g + at, from_y + at, to + at,
                                           static_cast<std::size_t>(size), log);
      }
    });
  });
  return with_axis_back(out, axis);
}

}  // namespace heed::kernels
