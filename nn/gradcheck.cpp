#include "gradcheck.h"

#include <fmt/format.h>

#include "../core/error.h"
#include "../core/quoted.h"

namespace heed::nn {
namespace {

std::vector<NamedLeaf> leaves_of(const Module& model, const std::vector<NamedLeaf>& inputs) {
  std::vector<NamedLeaf> leaves;
  for (const auto& [name, tensor] : model.named_parameters()) {
    if (tensor.dtype() != DType::f64) {
      throw DTypeError(fmt::format("gradcheck: parameter {} is {}; call model.to(DType::f64) first",
                                   in_quotes(name), describe(tensor)));
    }
    if (tensor.requires_grad()) leaves.push_back({name, tensor});
  }
  leaves.insert(leaves.end(), inputs.begin(), inputs.end());
  return leaves;
}

}  // namespace

GradcheckReport gradcheck(Module& model, const std::function<Tensor()>& forward,
                          const GradcheckOptions& options, const std::vector<NamedLeaf>& inputs) {
  return heed::gradcheck([&] { return std::vector<Tensor>{forward()}; }, leaves_of(model, inputs),
                         options);
}

GradcheckReport gradgradcheck(Module& model, const std::function<Tensor()>& forward,
                              const GradcheckOptions& options,
                              const std::vector<NamedLeaf>& inputs) {
  return heed::gradgradcheck([&] { return std::vector<Tensor>{forward()}; },
                             leaves_of(model, inputs), options);
}

std::vector<NamedLeaf> detail::separate(const std::vector<Tensor*>& inputs) {
  std::vector<NamedLeaf> leaves;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Tensor& input = *inputs[i];
    if (!is_computed(input.dtype())) continue;
    input = Tensor(input.array().clone());
    input.set_requires_grad();
    leaves.push_back({fmt::format("input {}", i), input});
  }
  return leaves;
}

}  // namespace heed::nn
