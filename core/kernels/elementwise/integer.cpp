#include "integer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "../../error.h"
#include "iterate.h"

namespace heed::kernels {
namespace {

// Signed overflow is undefined; unsigned wraps.
std::int64_t wrapped(std::uint64_t value) { return static_cast<std::int64_t>(value); }
std::uint64_t bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

std::int64_t apply(Unary op, std::int64_t a) {
  switch (op) {
    case Unary::neg: return wrapped(0 - bits(a));
    case Unary::abs: return a < 0 ? wrapped(0 - bits(a)) : a;
    case Unary::sign: return (a > 0) - (a < 0);
    default: return wrapped(bits(a) * bits(a));
  }
}

template <class T>
T apply(Binary op, T a, T b) {
  switch (op) {
    case Binary::maximum: return std::max(a, b);
    case Binary::minimum: return std::min(a, b);
    default: break;
  }
  if constexpr (std::is_same_v<T, bool>) {
    return op == Binary::add ? a || b : a && b;
  } else {
    if (op == Binary::add) return wrapped(bits(a) + bits(b));
    if (op == Binary::sub) return wrapped(bits(a) - bits(b));
    return wrapped(bits(a) * bits(b));
  }
}

template <class Body>
decltype(auto) visit_integer(DType dtype, const Body& body) {
  return dtype == DType::i64 ? body(std::int64_t{}) : body(bool{});
}

// body(first of a row of x, its step, its length, the place in the result) for each result.
template <class T, class Body>
void each_row(const Array& x, const std::vector<Index>& axes, const Body& body) {
  std::vector<Index> order;
  for (Index axis = 0; axis < x.rank(); ++axis) {
    if (!std::binary_search(axes.begin(), axes.end(), axis)) order.push_back(axis);
  }
  Index width = 1;
  for (const Index axis : axes) {
    order.push_back(axis);
    width *= x.size(axis);
  }
  const Array rows = x.permute(order).contiguous();
  const T* const from = rows.data<T>();
  const Index count = width == 0 ? 0 : x.numel() / width;
  for (Index row = 0; row < count; ++row) body(from + row * width, width, row);
}

}  // namespace

bool takes_integers(Unary op) {
  return op == Unary::neg || op == Unary::abs || op == Unary::sign || op == Unary::square;
}

bool takes(Binary op, DType dtype) {
  if (is_floating(dtype)) return false;
  const bool either =
      op == Binary::add || op == Binary::mul || op == Binary::maximum || op == Binary::minimum;
  return either || (op == Binary::sub && dtype == DType::i64);
}

Array integer_unary(Unary op, const Array& x) {
  const Array from = x.contiguous();
  Array out = Array::empty(x.shape(), DType::i64);
  const std::int64_t* const a = from.data<std::int64_t>();
  std::int64_t* const to = out.mutable_data<std::int64_t>();
  for (Index i = 0; i < out.numel(); ++i) to[i] = apply(op, a[i]);
  return out;
}

Array integer_binary(Binary op, const Array& x, const Array& y) {
  const Shape shape = broadcast_shapes(name(op), x.shape(), y.shape());
  Array out = Array::empty(shape, x.dtype());
  const Array wide_x = x.expand(shape);
  const Array wide_y = y.expand(shape);
  visit_integer(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* const a = x.data<T>();
    const T* const b = y.data<T>();
    T* const to = out.mutable_data<T>();
    const Walk<3> walk(shape, {&out.strides(), &wide_x.strides(), &wide_y.strides()});
    walk.run([&](const auto& at, Index n) {
      for (Index i = 0; i < n; ++i) {
        to[at[0] + i] =
            apply(op, a[at[1] + i * walk.inner_step(1)], b[at[2] + i * walk.inner_step(2)]);
      }
    });
  });
  return out;
}

Array integer_reduce(Reduce op, const Array& x, const std::vector<Index>& axes, bool keepdim) {
  const Shape shape = reduced_shape(x.shape(), axes, keepdim);
  const bool extreme = op == Reduce::max || op == Reduce::min;
  if (extreme && x.numel() == 0 && shape.numel() > 0) {
    throw ShapeError(fmt::format("{}: no elements to reduce in {}",
                                 op == Reduce::max ? "amax" : "amin", describe(x)));
  }
  if (extreme && x.dtype() == DType::boolean) {
    return op == Reduce::max ? any(x, axes, keepdim) : all(x, axes, keepdim);
  }
  const Array whole = x.to(DType::i64);
  Array out = Array::full(shape, op == Reduce::prod ? 1 : 0, DType::i64);
  std::int64_t* const to = out.mutable_data<std::int64_t>();
  each_row<std::int64_t>(whole, axes, [&](const std::int64_t* row, Index n, Index at) {
    std::int64_t result = extreme ? row[0] : to[at];
    constexpr Binary kSteps[] = {Binary::add, Binary::maximum, Binary::minimum, Binary::mul};
    for (Index i = 0; i < n; ++i) result = apply(kSteps[static_cast<int>(op)], result, row[i]);
    to[at] = result;
  });
  return out;
}

}  // namespace heed::kernels
