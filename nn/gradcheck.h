// Gradient checks of whole models: every parameter, and every f64 input, against central
// differences.
//
//   model.to(DType::f64);
//   auto report = nn::gradcheck(model, x);                               // model(x)
//   auto other = nn::gradcheck(model, [&] { return loss(model(ids), y); });  // whatever it takes
//   if (!report) std::puts(report.text().c_str());
//
// The report names parameters as state_dict() does. The model runs in the mode it is in: eval()
// first where it has Dropout.
#pragma once

#include <concepts>

#include "../autograd/gradcheck.h"
#include "module.h"

namespace heed::nn {

/// Moves every parameter that is not frozen, and the leaves in `inputs`, while `forward` runs the
/// model. Throws DTypeError, naming the parameter, unless all are f64: call model.to(DType::f64).
GradcheckReport gradcheck(Module& model, const std::function<Tensor()>& forward,
                          const GradcheckOptions& options = {},
                          const std::vector<NamedLeaf>& inputs = {});
/// The same for second order.
GradcheckReport gradgradcheck(Module& model, const std::function<Tensor()>& forward,
                              const GradcheckOptions& options = {},
                              const std::vector<NamedLeaf>& inputs = {});

namespace detail {
/// Gives the floating ones a leaf of their own, named "input i".
std::vector<NamedLeaf> separate(const std::vector<Tensor*>& inputs);
}  // namespace detail

/// Checks model(inputs...); inputs that are not floating are passed on as they are.
template <std::derived_from<Module> M, std::same_as<Tensor>... Inputs>
GradcheckReport gradcheck(M& model, Inputs... inputs) {
  const auto leaves = detail::separate({&inputs...});
  return gradcheck(
      model, [&] { return model(inputs...); }, {}, leaves);
}
template <std::derived_from<Module> M, std::same_as<Tensor>... Inputs>
GradcheckReport gradgradcheck(M& model, Inputs... inputs) {
  const auto leaves = detail::separate({&inputs...});
  return gradgradcheck(
      model, [&] { return model(inputs...); }, {}, leaves);
}

}  // namespace heed::nn
