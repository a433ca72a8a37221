// Scores [N, C, d..] against classes [N, d..].
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/losses/nll_loss.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "operators.h"

namespace heed::onnx {
namespace {

heed::Reduction reduction_of(NodeReader& node) {
  const std::string given = node.text("reduction", "mean");
  if (given == "none") return heed::Reduction::none;
  if (given == "sum") return heed::Reduction::sum;
  node.only("reduction", "mean");
  return heed::Reduction::mean;
}

Operation cross_entropy_of(NodeReader& node) {
  node.inputs(2, 3);
  node.outputs(2);
  const auto reduction = reduction_of(node);
  const Index ignored = node.integer("ignore_index", -100);
  const bool logarithms = node.has_output(1);
  return [=](const std::vector<Tensor>& in, const Run&) {
    std::vector<Tensor> out = {cross_entropy(
        in[0], in[1],
        {.weight = input_or_none(in, 2), .ignore_index = ignored, .reduction = reduction})};
    if (logarithms) out.push_back(log_softmax(in[0], 1));
    return out;
  };
}

Operation likelihood_of(NodeReader& node) {
  node.inputs(2, 3);
  const auto reduction = reduction_of(node);
  const Index ignored = node.integer("ignore_index", -100);
  return one([=](const std::vector<Tensor>& in, const Run&) {
    return nll_loss(
        in[0], in[1],
        {.weight = input_or_none(in, 2), .ignore_index = ignored, .reduction = reduction});
  });
}

}  // namespace

void add_losses(Makers& to) {
  to["SoftmaxCrossEntropyLoss"] = cross_entropy_of;
  to["NegativeLogLikelihoodLoss"] = likelihood_of;
}

}  // namespace heed::onnx
