// Words that users of PyTorch and NumPy bring: those that mean something of ours, and those that heed
// has no function for, which the compiler refuses in a line.
#pragma once

#include "backward.h"
#include "grad_mode.h"
#include "ops/elementwise/elementwise.h"
#include "ops/linalg/linalg.h"
#include "ops/linalg/matmul.h"
#include "ops/losses/binary_cross_entropy.h"
#include "ops/reduce/reduce.h"
#include "ops/shape/shape.h"

namespace heed {

// NOLINTBEGIN(readability-identifier-naming)
using no_grad = NoGrad;
using NoGradGuard = NoGrad;
using enable_grad = EnableGrad;
using inference_mode = InferenceMode;
// NOLINTEND(readability-identifier-naming)

inline Tensor add(const Tensor& x, const Tensor& y) { return x + y; }
inline Tensor add(const Tensor& x, Scalar y) { return x + y; }
inline Tensor sub(const Tensor& x, const Tensor& y) { return x - y; }
inline Tensor sub(const Tensor& x, Scalar y) { return x - y; }
inline Tensor mul(const Tensor& x, const Tensor& y) { return x * y; }
inline Tensor mul(const Tensor& x, Scalar y) { return x * y; }
inline Tensor div(const Tensor& x, const Tensor& y) { return x / y; }
inline Tensor div(const Tensor& x, Scalar y) { return x / y; }
inline Tensor neg(const Tensor& x) { return -x; }
inline Tensor eq(const Tensor& x, const Tensor& y) { return x == y; }
inline Tensor ne(const Tensor& x, const Tensor& y) { return x != y; }
inline Tensor lt(const Tensor& x, const Tensor& y) { return x < y; }
inline Tensor le(const Tensor& x, const Tensor& y) { return x <= y; }
inline Tensor gt(const Tensor& x, const Tensor& y) { return x > y; }
inline Tensor ge(const Tensor& x, const Tensor& y) { return x >= y; }
inline Tensor bce_with_logits(const Tensor& logits, const Tensor& targets) {
  return binary_cross_entropy_with_logits(logits, targets);
}
/// input + a b
inline Tensor addmm(const Tensor& input, const Tensor& a, const Tensor& b) {
  return input + mm(a, b);
}
/// The gradient of one output by one input; of lists in braces it is backward.h's.
template <std::same_as<Tensor> T>
Tensor grad(const T& output, const T& input, const BackwardOptions& options = {}) {
  return grad(std::vector<Tensor>{output}, std::vector<Tensor>{input}, {}, options)[0];
}

Tensor fft(const Tensor&, Say<"heed has no Fourier transform"> = {}) = delete;
Tensor rfft(const Tensor&, Say<"heed has no Fourier transform"> = {}) = delete;
Tensor inverse(const Tensor&, Say<"heed has no inverse of a matrix"> = {}) = delete;
Tensor det(const Tensor&, Say<"heed has no determinant"> = {}) = delete;
Tensor svd(const Tensor&, Say<"heed has no singular value decomposition"> = {}) = delete;
Tensor from_blob(const void*, const Shape&, Say<"Array::from(vector, shape) copies"> = {}) = delete;

}  // namespace heed
