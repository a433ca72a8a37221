// Derivatives of functions, as tensors: products with the Jacobian J from the left (vjp, reverse
// mode) and from the right (jvp), whole Jacobians and Hessians of small functions, products with
// the Hessian H. Functions are taken at the values of their inputs, leave every grad() alone, and
// give constants. They must not write their inputs in place.
//
//   const Tensor h = hessian([](const Tensor& x) { return sum(x * x * x); }, x);   // [n, n]
//   const auto [value, hv] = hvp(loss, x, v);
#pragma once

#include "tensor.h"

namespace heed {

using OneToOne = std::function<Tensor(const Tensor&)>;
using ManyToOne = std::function<Tensor(const std::vector<Tensor>&)>;

/// function(x), and a product shaped as the input (vjp, hvp) or as the value (jvp).
struct Product {
  Tensor value, product;
};
struct Products {
  Tensor value;
  std::vector<Tensor> products;  ///< one an input
};

/// v J, v shaped as the value (undefined: 1 for a single element). One backward pass. Throws
/// ShapeError and DTypeError where v does not fit; DTypeError for inputs that are not floating.
Product vjp(const OneToOne& function, const Tensor& x, const Tensor& v = Tensor());
Products vjp(const ManyToOne& function, const std::vector<Tensor>& inputs,
             const Tensor& v = Tensor());

/// J v, v shaped as the input (one for each): the derivative along v. Two backward passes, the
/// second through the first (v J is linear in v, and its own derivative along x is J), so every
/// operator inside must be differentiable twice. Throws as vjp().
Product jvp(const OneToOne& function, const Tensor& x, const Tensor& v);
Product jvp(const ManyToOne& function, const std::vector<Tensor>& inputs,
            const std::vector<Tensor>& v);

/// The value's shape, then the input's: one backward pass for each element of the value. Throws
/// ShapeError when both ranks together pass kMaxRank.
Tensor jacobian(const OneToOne& function, const Tensor& x);
std::vector<Tensor> jacobian(const ManyToOne& function, const std::vector<Tensor>& inputs);

/// x's shape twice, of a function of one element (ShapeError otherwise).
Tensor hessian(const OneToOne& function, const Tensor& x);

/// H v for a function of one element, v shaped as x; the Hessian itself is never held.
Product hvp(const OneToOne& function, const Tensor& x, const Tensor& v);

}  // namespace heed
