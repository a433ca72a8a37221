#include "cumulative.h"

#include <fmt/format.h>

#include <algorithm>

#include "../error.h"
#include "iterate.h"

namespace heed::kernels {
namespace {

// h_t = a_t h_{t-1} + b_t, with a_t = 1 where `a` is null. Several neighbours of a long axis run
// side by side, so that memory is read in order whichever axis it is.
template <class T>
Array scan(const Array* a, const Array& b, Index axis, bool reverse) {
  Array out = Array::empty(b.shape(), b.dtype());
  const Index size = b.shape()[axis];
  if (out.numel() == 0) return out;
  Shape others = b.shape();
  others[axis] = 1;
  const Array& factor = a ? *a : b;
  const Walk<3> walk(others, {&out.strides(), &factor.strides(), &b.strides()});
  const Index to_step = out.strides()[axis], a_step = factor.strides()[axis],
              b_step = b.strides()[axis];
  const T* from_a = factor.data<T>();
  const T* from_b = b.data<T>();
  T* to = out.mutable_data<T>();
  constexpr Index kBlock = 64;
  const Index block = to_step == 1 ? 1 : kBlock;
  walk.run(
      [&](const auto& at, Index n) {
        double state[kBlock];
        for (Index first = 0; first < n; first += block) {
          const Index width = std::min(block, n - first);
          std::fill_n(state, width, 0.0);
          for (Index step = 0; step < size; ++step) {
            const Index t = reverse ? size - 1 - step : step;
            T* y = to + at[0] + t * to_step + first * walk.inner_step(0);
            const T* f = from_a + at[1] + t * a_step + first * walk.inner_step(1);
            const T* x = from_b + at[2] + t * b_step + first * walk.inner_step(2);
            for (Index i = 0; i < width; ++i) {
              const double value = double{x[i * walk.inner_step(2)]};
              const double scale = a ? double{f[i * walk.inner_step(1)]} : 1.0;
              state[i] = step == 0 ? value : scale * state[i] + value;
              y[i * walk.inner_step(0)] = static_cast<T>(state[i]);
            }
          }
        }
      },
      size);
  return out;
}

}  // namespace

Array cumsum(const Array& x, Index axis, bool reverse) {
  axis = normalize_axis("cumsum", axis, x.rank());
  return visit_floating("cumsum", x.dtype(),
                        [&](auto zero) { return scan<decltype(zero)>(nullptr, x, axis, reverse); });
}

Array linear_scan(const Array& a, const Array& b, Index axis, bool reverse) {
  axis = normalize_axis("linear_scan", axis, b.rank());
  if (!(a.shape() == b.shape())) {
    throw ShapeError(
        fmt::format("linear_scan: a {} and b {} must have one shape", describe(a), describe(b)));
  }
  if (a.dtype() != b.dtype()) {
    throw DTypeError(
        fmt::format("linear_scan: dtypes differ: a is {}, b is {}", describe(a), describe(b)));
  }
  return visit_floating("linear_scan", b.dtype(),
                        [&](auto zero) { return scan<decltype(zero)>(&a, b, axis, reverse); });
}

}  // namespace heed::kernels
