#include "elementwise.h"

#include <fmt/format.h>

#include <cmath>

#include "../../error.h"
#include "elementwise_simd.h"
#include "elementwise_walk.h"
#include "integer.h"

namespace heed::kernels {
namespace {

#define HEED_NAME(name, ...) #name,
constexpr const char* kUnaryNames[] = {HEED_UNARY_KERNELS(HEED_NAME)};
constexpr const char* kBinaryNames[] = {HEED_BINARY_KERNELS(HEED_NAME)};
#undef HEED_NAME

void check_same(const char* op, const Array& x, const Array& y) {
  if (!x.defined() || !y.defined()) {
    throw DTypeError(
        fmt::format("{}: dtypes differ: x is {}, y is {}", op, describe(x), describe(y)));
  }
  if (x.dtype() != y.dtype()) {
    throw DTypeError(fmt::format("{}: dtypes differ: x is {}, y is {}: {}", op, describe(x),
                                 describe(y), conversion("x", x.dtype(), "y", y.dtype())));
  }
}

// bf16 beside bf16 or f32: computed in f32.
bool one_is_narrow(const Array& x, const Array& y) {
  return x.defined() && y.defined() && widened(x.dtype()) == widened(y.dtype()) &&
         (x.dtype() == DType::bf16 || y.dtype() == DType::bf16);
}

}  // namespace

const char* name(Unary op) { return kUnaryNames[static_cast<int>(op)]; }
const char* name(Binary op) { return kBinaryNames[static_cast<int>(op)]; }

Array unary(Unary op, const Array& x) {
  if (x.dtype() == DType::bf16) return unary(op, x.widened());
  if (x.dtype() == DType::i64 && takes_integers(op)) return integer_unary(op, x);
  return visit_floating(name(op), x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto run = simd::elements<T>().unary;
    return map_runs<T>(x, [op, run](const T* from, T* to, std::size_t n) { run(op, from, to, n); });
  });
}

Array binary(Binary op, const Array& x, const Array& y) {
  if (one_is_narrow(x, y)) return binary(op, x.widened(), y.widened());
  check_same(name(op), x, y);
  if (takes(op, x.dtype())) return integer_binary(op, x, y);
  return visit_floating(name(op), x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto run = simd::elements<T>().binary_rows;
    return zip_runs<T>(name(op), x, y,
                       [op, run](const simd::BinaryRows<T>& rows) { run(op, rows); });
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

template <class Body>
Array zip_bool(const char* op, const Array& x, const Array& y, const Body& body) {
  check_bool(op, x);
  check_bool(op, y);
  return zip<bool, bool>(op, x, y, body);
}

}  // namespace

Array compare(Compare op, const Array& x, const Array& y) {
  if (one_is_narrow(x, y)) return compare(op, x.widened(), y.widened());
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
  return zip_bool("logical_and", x, y, [](bool a, bool b) { return a && b; });
}

Array logical_or(const Array& x, const Array& y) {
  return zip_bool("logical_or", x, y, [](bool a, bool b) { return a || b; });
}

Array logical_xor(const Array& x, const Array& y) {
  return zip_bool("logical_xor", x, y, [](bool a, bool b) { return a != b; });
}

Array classify(Kind kind, const Array& x) {
  if (x.dtype() == DType::bf16) return classify(kind, x.widened());
  return visit_dtype(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      switch (kind) {
        case Kind::nan: return zip<bool, T>("isnan", x, x, [](T a, T) { return std::isnan(a); });
        case Kind::infinite:
          return zip<bool, T>("isinf", x, x, [](T a, T) { return std::isinf(a); });
        case Kind::finite: break;
      }
      return zip<bool, T>("isfinite", x, x, [](T a, T) { return std::isfinite(a); });
    }
    return Array::full(x.shape(), kind == Kind::finite, DType::boolean);
  });
}

Array where(const Array& condition, const Array& x, const Array& y) {
  check_bool("where", condition);
  if (one_is_narrow(x, y)) return where(condition, x.widened(), y.widened());
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
          simd::elements<T>().where(chosen + at[1], left + at[2], step_x != 0, right + at[3],
                                    step_y != 0, to + at[0], static_cast<std::size_t>(n));
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

void binary_into(Binary op, Array& to, const Array& x) {
  if (x.dtype() == DType::bf16 && to.dtype() == DType::f32) return binary_into(op, to, x.widened());
  check_same(name(op), to, x);
  const Array wide = x.expand(to.shape());
  const Walk<2> walk(to.shape(), {&to.strides(), &wide.strides()});
  const Index step_to = walk.inner_step(0);
  const Index step_x = walk.inner_step(1);
  visit_floating(name(op), to.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* target = to.mutable_data<T>();
    const T* from = x.data<T>();
    if (step_to == 1 && (step_x == 1 || step_x == 0)) {
      walk.run_rows([&](const auto& at, Index n, Index rows) {
        T* const row = target + at[0];
        simd::elements<T>().binary_rows(
            op, {row, true, walk.outer_step(0), from + at[1], step_x != 0, walk.outer_step(1), row,
                 walk.outer_step(0), rows, static_cast<std::size_t>(n)});
      });
      return;
    }
    walk.run([&](const auto& at, Index n) {
      T buffer_to[kBuffer];
      T buffer_x[kBuffer];
      pieces(n, false, [&](Index i, Index count) {
        T* run_to = target + at[0] + i * step_to;
        const T* run_x = from + at[1] + i * step_x;
        if (step_x != 0) run_x = gathered(run_x, step_x, count, buffer_x);
        const T* old = gathered<T>(run_to, step_to, count, buffer_to);
        T* out = step_to == 1 ? run_to : buffer_to;
        simd::elements<T>().binary(op, old, true, run_x, step_x != 0, out,
                                   static_cast<std::size_t>(count));
        if (step_to == 1) return;
        for (Index k = 0; k < count; ++k) run_to[k * step_to] = buffer_to[k];
      });
    });
  });
  to.bump_version();
}

void add_into(Array& to, const Array& x) {
  check_same("add_into", to, x);
  if (!(to.shape() == x.shape())) {
    throw ShapeError(fmt::format("add_into: {} into {}", describe(x), describe(to)));
  }
  binary_into(Binary::add, to, x);
}

}  // namespace heed::kernels
