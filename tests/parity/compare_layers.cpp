#include "compare_layers.h"

#include <gtest/gtest.h>

#include "../../core/generator.h"

namespace heed::parity {
namespace {

namespace tn = torch::nn;
constexpr double kTolerance = 1e-9;

std::vector<std::string> names_of(const nn::NamedTensors& entries) {
  std::vector<std::string> out;
  for (const auto& [name, tensor] : entries) out.push_back(name);
  return out;
}

// Parameters, then buffers, as a module without children lists them.
nn::NamedTensors state_of(const tn::Module& module) {
  nn::NamedTensors out;
  for (const auto& entry : module.named_parameters()) {
    out.emplace_back(entry.key(), from_torch(entry.value()));
  }
  for (const auto& entry : module.named_buffers()) {
    if (entry.value().defined()) out.emplace_back(entry.key(), from_torch(entry.value()));
  }
  return out;
}

}  // namespace

void compare(nn::Module& ours, tn::Module& theirs, const Shapes& shapes, const OurCall& our_call,
             const TheirCall& their_call) {
  ours.to(DType::f64);
  theirs.to(torch::kFloat64);
  auto buffers = theirs.named_buffers();  // to() converts counts as well
  if (auto* count = buffers.find("num_batches_tracked")) count->set_data(count->to(torch::kInt64));
  const nn::NamedTensors state = state_of(theirs);
  ASSERT_EQ(names_of(ours.state_dict()), names_of(state));
  ours.load_state_dict(state);

  Generator generator(7);
  std::vector<Tensor> x;
  std::vector<torch::Tensor> their_x;
  for (const auto& shape : shapes) {
    x.push_back(draw(shape, Domain::any, DType::f64, generator));
    their_x.push_back(to_torch(x.back()).requires_grad_());
    x.back().set_requires_grad();
  }
  const Tensor y = our_call(x);
  const torch::Tensor their_y = their_call(their_x);
  ASSERT_NO_FATAL_FAILURE(expect_close(y, their_y, kTolerance, "value"));

  const std::vector<Index> out_shape(y.shape().begin(), y.shape().end());
  const Tensor cotangent = draw(out_shape, Domain::any, DType::f64, generator);
  y.backward(cotangent);
  their_y.backward(to_torch(cotangent));
  for (std::size_t i = 0; i < x.size(); ++i) {
    expect_close(x[i].grad(), their_x[i].grad(), kTolerance, "input " + std::to_string(i));
  }
  const auto parameters = theirs.named_parameters();
  for (const auto& [name, parameter] : ours.named_parameters()) {
    expect_close(parameter.grad(), parameters[name].grad(), kTolerance, name);
  }
  for (const auto& [name, buffer] : ours.named_buffers()) {
    expect_close(buffer, buffers[name], kTolerance, name);
  }
}

}  // namespace heed::parity
