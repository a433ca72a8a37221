#include "activation.h"

#include <fmt/format.h>

#include "../../error.h"
#include "activation_simd.h"
#include "elementwise_walk.h"

namespace heed::kernels {
namespace {

#define HEED_NAME(name) #name,
constexpr const char* kNames[] = {HEED_ACTIVATIONS(HEED_NAME)};
#undef HEED_NAME
// Of one element, in additions.
constexpr Index kCost = 8;

}  // namespace

const char* name(Activation op) {
  return op == Activation::gelu_tanh ? "gelu" : kNames[static_cast<int>(op)];
}

Array activation(Activation op, const Array& x, double a, double b) {
  return visit_floating(name(op), x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return map_runs<T>(
        x,
        [&](const T* from, T* to, std::size_t n) {
          simd::activations<T>().forward(op, from, to, n, static_cast<T>(a), static_cast<T>(b));
        },
        kCost);
  });
}

Array activation_grad(Activation op, const Array& g, const Array& x, double a, double b) {
  if (g.dtype() != x.dtype()) {
    throw DTypeError(
        fmt::format("{}: dtypes differ: g is {}, x is {}", name(op), describe(g), describe(x)));
  }
  if (!(g.shape() == x.shape())) {
    throw ShapeError(
        fmt::format("{}: shapes differ: g is {}, x is {}", name(op), describe(g), describe(x)));
  }
  return visit_floating(name(op), x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    Array out = Array::empty(x.shape(), x.dtype());
    const T* left = g.data<T>();
    const T* right = x.data<T>();
    T* to = out.mutable_data<T>();
    const Walk<3> walk(x.shape(), {&out.strides(), &g.strides(), &x.strides()});
    const Index step_g = walk.inner_step(1);
    const Index step_x = walk.inner_step(2);
    walk.run(
        [&](const auto& at, Index n) {
          T buffer_g[kBuffer];
          T buffer_x[kBuffer];
          pieces(n, step_g == 1 && step_x == 1, [&](Index i, Index count) {
            simd::activations<T>().grad(
                op, gathered(left + at[1] + i * step_g, step_g, count, buffer_g),
                gathered(right + at[2] + i * step_x, step_x, count, buffer_x), to + at[0] + i,
                static_cast<std::size_t>(count), static_cast<T>(a), static_cast<T>(b));
          });
        },
        kCost);
    return out;
  });
}

}  // namespace heed::kernels
