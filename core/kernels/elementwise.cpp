#include "elementwise.h"

#include <fmt/format.h>

#include "../error.h"
#include "elementwise_simd.h"
#include "iterate.h"

namespace heed::kernels {
namespace {

constexpr Index kBuffer = 256;

constexpr const char* kUnaryNames[] = {"neg",        "abs",    "sign", "exp",     "log", "sqrt",
                                       "reciprocal", "square", "tanh", "sigmoid", "relu"};
constexpr const char* kBinaryNames[] = {
    "add", "sub", "mul", "div", "maximum", "minimum", "tanh_grad", "sigmoid_grad", "relu_grad"};

void check_same(const char* op, const Array& x, const Array& y) {
  if (!x.defined() || !y.defined() || x.dtype() != y.dtype()) {
    throw DTypeError(
        fmt::format("{}: dtypes differ: x is {}, y is {}", op, describe(x), describe(y)));
  }
}

// The run's elements side by side: the run itself when it is, else copied into `buffer`.
template <class T>
const T* gathered(const T* from, Index step, Index n, T* buffer) {
  if (step == 1) return from;
  for (Index i = 0; i < n; ++i) buffer[i] = from[i * step];
  return buffer;
}

// Calls body(i, count) over pieces short enough for the buffers; one piece where none is needed.
template <class Body>
void pieces(Index n, bool whole, const Body& body) {
  const Index piece = whole ? n : kBuffer;
  for (Index i = 0; i < n; i += piece) body(i, std::min(piece, n - i));
}

}  // namespace

const char* name(Unary op) { return kUnaryNames[static_cast<int>(op)]; }
const char* name(Binary op) { return kBinaryNames[static_cast<int>(op)]; }

Array unary(Unary op, const Array& x) {
  return visit_floating(name(op), x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    Array out = Array::empty(x.shape(), x.dtype());
    const T* from = x.data<T>();
    T* to = out.mutable_data<T>();
    const Walk<2> walk(x.shape(), {&out.strides(), &x.strides()});
    const Index step = walk.inner_step(1);
    walk.run([&](const auto& at, Index n) {
      T buffer[kBuffer];
      pieces(n, step == 1, [&](Index i, Index count) {
        const T* run = gathered(from + at[1] + i * step, step, count, buffer);
        simd::unary(op, run, to + at[0] + i, static_cast<std::size_t>(count));
      });
    });
    return out;
  });
}

Array binary(Binary op, const Array& x, const Array& y) {
  check_same(name(op), x, y);
  return visit_floating(name(op), x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const bool same = x.shape() == y.shape();
    const Shape shape = same ? x.shape() : broadcast_shapes(name(op), x.shape(), y.shape());
    Array out = Array::empty(shape, x.dtype());
    const T* left = x.data<T>();
    const T* right = y.data<T>();
    T* to = out.mutable_data<T>();
    if (same && x.is_contiguous() && y.is_contiguous() && out.numel() <= kGrain) {
      simd::binary(op, left, true, right, true, to, static_cast<std::size_t>(out.numel()));
      return out;
    }
    const Array wide_x = x.expand(shape);
    const Array wide_y = y.expand(shape);
    const Walk<3> walk(shape, {&out.strides(), &wide_x.strides(), &wide_y.strides()});
    const Index step_x = walk.inner_step(1);
    const Index step_y = walk.inner_step(2);
    const bool whole = (step_x == 1 || step_x == 0) && (step_y == 1 || step_y == 0);
    walk.run([&](const auto& at, Index n) {
      T buffer_x[kBuffer];
      T buffer_y[kBuffer];
      pieces(n, whole, [&](Index i, Index count) {
        const T* run_x = left + at[1] + i * step_x;
        const T* run_y = right + at[2] + i * step_y;
        if (step_x != 0) run_x = gathered(run_x, step_x, count, buffer_x);
        if (step_y != 0) run_y = gathered(run_y, step_y, count, buffer_y);
        simd::binary(op, run_x, step_x != 0, run_y, step_y != 0, to + at[0] + i,
                     static_cast<std::size_t>(count));
      });
    });
    return out;
  });
}

namespace {

// out[i] = body(x[i], y[i]) for dtypes and operators that need no SIMD of their own.
template <class To, class T, class Body>
Array zip(const char* op, const Array& x, const Array& y, const Body& body) {
  const Shape shape = broadcast_shapes(op, x.shape(), y.shape());
  Array out = Array::empty(shape, dtype_of<To>);
  const Array wide_x = x.expand(shape);
  const Array wide_y = y.expand(shape);
  const T* left = x.data<T>();
  const T* right = y.data<T>();
  To* to = out.template mutable_data<To>();
  const Walk<3> walk(shape, {&out.strides(), &wide_x.strides(), &wide_y.strides()});
  const Index step_x = walk.inner_step(1);
  const Index step_y = walk.inner_step(2);
  walk.run([&](const auto& at, Index n) {
    for (Index i = 0; i < n; ++i) {
      to[at[0] + i] = body(left[at[1] + i * step_x], right[at[2] + i * step_y]);
    }
  });
  return out;
}

void check_bool(const char* op, const Array& x) {
  if (!x.defined() || x.dtype() != DType::boolean) {
    throw DTypeError(fmt::format("{}: takes bool, not {}", op, describe(x)));
  }
}

}  // namespace

Array compare(Compare op, const Array& x, const Array& y) {
  check_same("compare", x, y);
  return visit_dtype(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    switch (op) {
      case Compare::eq: return zip<bool, T>("eq", x, y, [](T a, T b) { return a == b; });
      case Compare::ne: return zip<bool, T>("ne", x, y, [](T a, T b) { return a != b; });
      case Compare::lt: return zip<bool, T>("lt", x, y, [](T a, T b) { return a < b; });
      case Compare::le: return zip<bool, T>("le", x, y, [](T a, T b) { return a <= b; });
      case Compare::gt: return zip<bool, T>("gt", x, y, [](T a, T b) { return a > b; });
      case Compare::ge: break;
    }
    return zip<bool, T>("ge", x, y, [](T a, T b) { return a >= b; });
  });
}

Array logical_not(const Array& x) {
  check_bool("logical_not", x);
  return zip<bool, bool>("logical_not", x, x, [](bool a, bool) { return !a; });
}

Array logical_and(const Array& x, const Array& y) {
  check_bool("logical_and", x);
  check_bool("logical_and", y);
  return zip<bool, bool>("logical_and", x, y, [](bool a, bool b) { return a && b; });
}

Array where(const Array& condition, const Array& x, const Array& y) {
  check_bool("where", condition);
  check_same("where", x, y);
  const Shape shape =
      broadcast_shapes("where", broadcast_shapes("where", condition.shape(), x.shape()), y.shape());
  Array out = Array::empty(shape, x.dtype());
  const Array mask = condition.expand(shape);
  const Array wide_x = x.expand(shape);
  const Array wide_y = y.expand(shape);
  const Walk<4> walk(shape,
                     {&out.strides(), &mask.strides(), &wide_x.strides(), &wide_y.strides()});
  const bool* chosen = mask.data<bool>();
  visit_dtype(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* left = x.data<T>();
    const T* right = y.data<T>();
    T* to = out.mutable_data<T>();
    const Index step_mask = walk.inner_step(1);
    const Index step_x = walk.inner_step(2);
    const Index step_y = walk.inner_step(3);
    walk.run([&](const auto& at, Index n) {
      if (step_mask == 0) {  // one answer for the whole run
        const bool first = chosen[at[1]];
        const T* from = first ? left + at[2] : right + at[3];
        const Index step = first ? step_x : step_y;
        for (Index i = 0; i < n; ++i) to[at[0] + i] = from[i * step];
        return;
      }
      if constexpr (std::is_floating_point_v<T>) {
        if (step_mask == 1 && (step_x == 0 || step_x == 1) && (step_y == 0 || step_y == 1)) {
          simd::where(chosen + at[1], left + at[2], step_x != 0, right + at[3], step_y != 0,
                      to + at[0], static_cast<std::size_t>(n));
          return;
        }
      }
      for (Index i = 0; i < n; ++i) {
        to[at[0] + i] =
            chosen[at[1] + i * step_mask] ? left[at[2] + i * step_x] : right[at[3] + i * step_y];
      }
    });
  });
  return out;
}

void add_into(Array& to, const Array& x) {
  check_same("add_into", to, x);
  if (!(to.shape() == x.shape())) {
    throw ShapeError(fmt::format("add_into: {} into {}", describe(x), describe(to)));
  }
  const Walk<2> walk(to.shape(), {&to.strides(), &x.strides()});
  visit_floating("add_into", to.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* target = to.mutable_data<T>();
    const T* from = x.data<T>();
    walk.run([&](const auto& at, Index n) {
      T* a = target + at[0];
      const T* b = from + at[1];
      if (walk.inner_step(0) == 1 && walk.inner_step(1) == 1) {
        simd::binary(Binary::add, a, true, b, true, a, static_cast<std::size_t>(n));
        return;
      }
      for (Index i = 0; i < n; ++i) a[i * walk.inner_step(0)] += b[i * walk.inner_step(1)];
    });
  });
  to.bump_version();
}

void scale_into(Array& to, double factor) {
  const Walk<1> walk(to.shape(), {&to.strides()});
  visit_floating("scale_into", to.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* target = to.mutable_data<T>();
    const T by = static_cast<T>(factor);
    walk.run([&](const auto& at, Index n) {
      T* a = target + at[0];
      if (walk.inner_step(0) == 1) {
        simd::binary(Binary::mul, a, true, &by, false, a, static_cast<std::size_t>(n));
        return;
      }
      for (Index i = 0; i < n; ++i) a[i * walk.inner_step(0)] *= by;
    });
  });
  to.bump_version();
}

}  // namespace heed::kernels
