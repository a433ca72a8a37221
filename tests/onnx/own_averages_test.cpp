// Batch normalisations whose averages are numbers of something else, too, as exporters write them
// that merge equal initializers.
#include "../../onnx/own_averages.h"

#include <gtest/gtest.h>

#include <set>

#include "../support/numbers.h"
#include "../support/seeded_test.h"
#include "one_node.h"

namespace heed::onnx {
namespace {

using OwnAverages = SeededTest<61>;
using Strings = std::vector<std::string>;

Node node(const char* op, const Strings& inputs, const std::string& output) {
  return {.op_type = op, .inputs = inputs, .outputs = {output}};
}
Node batch_norm(const Strings& inputs, const std::string& output) {
  Node out = node("BatchNormalization", inputs, output);
  out.attributes = {{"epsilon", 0.25F}, {"momentum", 0.75F}};
  return out;
}

// Two layers in f64 that begin with mean = bias and variance = weight.
Model merged(const Tensor& weight, const Tensor& bias) {
  Model out = model_on(
      {weight},
      {node("Identity", {"bn1.weight"}, "bn1.running_var"),
       batch_norm({"x0", "bn1.weight", "bn1.bias", "bn1.bias", "bn1.running_var"}, "between"),
       batch_norm({"between", "bn1.weight", "bn1.bias", "bn1.bias", "bn1.weight"}, "y")},
      {"y"}, 17);
  out.graph.initializers = {tensor_value("bn1.weight", weight.array()),
                            tensor_value("bn1.bias", bias.array())};
  return out;
}

std::set<std::string> names(const nn::NamedTensors& tensors) {
  std::set<std::string> out;
  for (const auto& [name, tensor] : tensors) out.insert(name);
  return out;
}

TEST_F(OwnAverages, AreBuffersAndMoveByThemselves) {
  const Tensor weight = abs(random({3})) + 0.5, bias = random({3}), x = random({7, 3});
  GraphModule module(merged(weight, bias));
  EXPECT_EQ(names(module.named_parameters()), (std::set<std::string>{"bn1.weight", "bn1.bias"}));
  EXPECT_EQ(names(module.named_buffers()),
            (std::set<std::string>{"bn1.running_var", "bn1.bias_mean", "bn1.bias_mean_",
                                   "bn1.weight_variance"}));
  const auto layer = [&](const Tensor& in) {
    return (in - bias) / sqrt(weight + 0.25) * weight + bias;
  };
  module.eval();
  EXPECT_LT(difference(module.run(std::vector<Tensor>{x})[0], layer(layer(x))), 1e-13);

  module.train();
  sum(module.run(std::vector<Tensor>{x})[0]).backward();
  const nn::NamedTensors state = module.state_dict();
  const auto now = [&](const std::string& name) {
    for (const auto& [own, tensor] : state) {
      if (own == name) return tensor.detach();
    }
    return Tensor();
  };
  EXPECT_EQ(difference(now("bn1.weight"), weight), 0);
  EXPECT_EQ(difference(now("bn1.bias"), bias), 0);
  EXPECT_LT(difference(now("bn1.bias_mean"), bias * 0.75 + mean(x, {0}) * 0.25), 1e-13);
  EXPECT_LT(difference(now("bn1.running_var"), weight * 0.75 + var(x, {0}) * 0.25), 1e-13);
  // What comes out of the first layer has the bias for its mean, which therefore stays.
  EXPECT_LT(difference(now("bn1.bias_mean_"), bias), 1e-13);
}

TEST_F(OwnAverages, WhatIsTrainedIsNotMoved) {
  const Tensor weight = abs(random({3})) + 0.5, bias = random({3}), x = random({7, 3});
  Model model = merged(weight, bias);
  model.graph.nodes[0] = node("Mul", {"bn1.weight", "two"}, "bn1.running_var");
  model.graph.initializers.push_back(tensor_value("two", Array::full(Shape{}, 2.0, DType::f64)));
  GraphModule module(model);
  module.eval();
  const Tensor first = (x - bias) / sqrt(weight * 2 + 0.25) * weight + bias;
  EXPECT_LT(difference(module.run(std::vector<Tensor>{x})[0],
                       (first - bias) / sqrt(weight + 0.25) * weight + bias),
            1e-13);
  module.train();
  module.run(std::vector<Tensor>{x});
  EXPECT_EQ(difference(module.named_parameters()[0].second.detach(), weight), 0);
}

TEST_F(OwnAverages, NothingChangesWhereTheyAreAlone) {
  Model model = merged(random({3}), random({3}));
  model.graph.initializers.push_back(tensor_value("mean", random({3}).array()));
  model.graph.initializers.push_back(tensor_value("variance", random({3}).array()));
  model.graph.nodes = {batch_norm({"x0", "bn1.weight", "bn1.bias", "mean", "variance"}, "y")};
  own_averages(model.graph);
  EXPECT_EQ(model.graph.initializers.size(), 4U);
  EXPECT_EQ(model.graph.nodes[0].inputs,
            (Strings{"x0", "bn1.weight", "bn1.bias", "mean", "variance"}));
}

// A small file may not ask for any number of copies of what is large in it.
TEST_F(OwnAverages, CopiesAreNoMoreThanTheFile) {
  Model model = merged(zeros({100003}), zeros({3}));
  model.graph.nodes.clear();
  for (int i = 0; i < 101; ++i) {
    model.graph.nodes.push_back(
        batch_norm({"x0", "bn1.weight", "bn1.bias", "bn1.bias", "bn1.weight"}, "y"));
  }
  own_averages(model.graph);
  Index numbers = 0;
  for (const TensorValue& each : model.graph.initializers) numbers += each.array.numel();
  EXPECT_LE(numbers, 2 * 100006 + (1 << 16));
}

}  // namespace
}  // namespace heed::onnx
