#include "../../autograd/ops/elementwise/activation.h"

#include "../../autograd/ops/elementwise/clamp.h"
#include "../../autograd/ops/elementwise/compare.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "operators.h"

namespace heed::onnx {
namespace {

template <Tensor (*kFunction)(const Tensor&)>
Operation plain(NodeReader& node) {
  node.inputs(1, 1);
  return of_one(kFunction);
}

Operation leaky_relu_of(NodeReader& node) {
  node.inputs(1, 1);
  const double alpha = node.number("alpha", 0.01);
  return of_one([alpha](const Tensor& x) { return leaky_relu(x, alpha); });
}
Operation elu_of(NodeReader& node) {
  node.inputs(1, 1);
  const double alpha = node.number("alpha", 1);
  return of_one([alpha](const Tensor& x) { return elu(x, alpha); });
}
// Klambauer et al. 2017
Operation selu_of(NodeReader& node) {
  node.inputs(1, 1);
  const double alpha = node.number("alpha", 1.67326319217681884765625),
               gamma = node.number("gamma", 1.05070102214813232421875);
  return of_one([=](const Tensor& x) { return elu(x, alpha) * gamma; });
}
// max(0, x) + min(0, alpha (exp(x / alpha) - 1))
Operation celu_of(NodeReader& node) {
  node.inputs(1, 1);
  const double alpha = node.number("alpha", 1);
  if (alpha == 0) node.fail("attribute alpha is 0");
  return of_one([alpha](const Tensor& x) { return elu(x / alpha, 1) * alpha; });
}
Operation thresholded_relu_of(NodeReader& node) {
  node.inputs(1, 1);
  const double alpha = node.number("alpha", 1);
  return of_one([alpha](const Tensor& x) { return where(x > alpha, x, 0.0); });
}
Operation hard_sigmoid_of(NodeReader& node) {
  node.inputs(1, 1);
  const double alpha = node.number("alpha", 0.2), beta = node.number("beta", 0.5);
  return of_one([=](const Tensor& x) { return clamp(x * alpha + beta, 0, 1); });
}
Tensor hard_swish(const Tensor& x) { return x * clamp(x * (1.0 / 6) + 0.5, 0, 1); }
Operation prelu_of(NodeReader& node) {
  node.inputs(2, 2);
  return one([](const std::vector<Tensor>& in, const Run&) {
    return where(in[0] > 0.0, in[0], in[0] * in[1]);
  });
}
Operation gelu_of(NodeReader& node) {
  node.inputs(1, 1);
  const std::string approximate = node.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh") node.only("approximate", "none");
  const Gelu form = approximate == "tanh" ? Gelu::tanh : Gelu::exact;
  return of_one([form](const Tensor& x) { return gelu(x, form); });
}
// x sigmoid(alpha x)
Operation swish_of(NodeReader& node) {
  node.inputs(1, 1);
  const double alpha = node.number("alpha", 1);
  return of_one([alpha](const Tensor& x) { return alpha == 1 ? silu(x) : x * sigmoid(x * alpha); });
}
Tensor soft_plus(const Tensor& x) { return softplus(x); }

}  // namespace

void add_activations(Makers& to) {
  to["Relu"] = plain<relu>;
  to["Sigmoid"] = plain<sigmoid>;
  to["Tanh"] = plain<tanh>;
  to["Softplus"] = plain<soft_plus>;
  to["Softsign"] = plain<softsign>;
  to["Mish"] = plain<mish>;
  to["HardSwish"] = plain<hard_swish>;
  to["LeakyRelu"] = leaky_relu_of;
  to["Elu"] = elu_of;
  to["Selu"] = selu_of;
  to["Celu"] = celu_of;
  to["ThresholdedRelu"] = thresholded_relu_of;
  to["HardSigmoid"] = hard_sigmoid_of;
  to["PRelu"] = prelu_of;
  to["Gelu"] = gelu_of;
  to["Swish"] = swish_of;
}

}  // namespace heed::onnx
