// Activations and other functions of one element that take numbers beside it, each with its
// derivative in one pass. f32 and f64, any strides; results are fresh and contiguous.
#pragma once

#include "../../array.h"

namespace heed::kernels {

/// `a` and `b` are the numbers each takes.
// clang-format off
#define HEED_ACTIVATIONS(X)                                                              \
  X(log_sigmoid) /* log(1 / (1 + exp(-x))) */                                            \
  X(leaky_relu)  /* x where x > 0, else a x */                                           \
  X(elu)         /* x where x > 0, else a (exp(x) - 1) */                                \
  X(gelu)        /* x (1 + erf(x / sqrt(2))) / 2 */                                      \
  X(gelu_tanh)   /* x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2; its name is gelu */ \
  X(silu)        /* x / (1 + exp(-x)) */                                                 \
  X(softplus)    /* log(1 + exp(a x)) / a, x where a x > b */                            \
  X(clamp)       /* min(max(x, a), b) */
// clang-format on

#define HEED_NAMED(name) name,
enum class Activation : std::uint8_t { HEED_ACTIVATIONS(HEED_NAMED) };
#undef HEED_NAMED

const char* name(Activation op);

/// Throws DTypeError.
Array activation(Activation op, const Array& x, double a = 0, double b = 0);
/// g times the derivative at x; both of one shape and dtype. The derivative is the left one at the
/// kinks of leaky_relu and elu, and 1 at both bounds of clamp.
Array activation_grad(Activation op, const Array& g, const Array& x, double a = 0, double b = 0);

}  // namespace heed::kernels
