// Graphs that make no sense, and what is computed once, freed, or run in a branch.
#include <gtest/gtest.h>

#include <cmath>

#include "../../core/allocator.h"
#include "../../core/error.h"
#include "../support/numbers.h"
#include "../support/seeded_test.h"
#include "../support/throws.h"
#include "one_node.h"

namespace heed::onnx {
namespace {

using OnnxPlan = SeededTest<51>;

ValueInfo value(const std::string& name, DataType type = DataType::f32) {
  return {.name = name, .type = type, .shape = {}};
}
Model model_of(std::vector<Node> nodes, const std::vector<std::string>& inputs,
               const std::vector<std::string>& outputs) {
  Model out;
  out.opsets = {{"", 17}};
  out.graph.nodes = std::move(nodes);
  for (const std::string& name : inputs) out.graph.inputs.push_back(value(name));
  for (const std::string& name : outputs) out.graph.outputs.push_back(value(name));
  return out;
}
Node node(const std::string& op, const std::vector<std::string>& inputs,
          const std::vector<std::string>& outputs, const std::string& name = "",
          const std::vector<Attribute>& attributes = {}) {
  return {
      .op_type = op, .name = name, .inputs = inputs, .outputs = outputs, .attributes = attributes};
}
void refuses(const std::string& text, const Model& model) {
  EXPECT_ERROR(FormatError, "file: at byte 0: onnx: " + text, GraphModule(model, {}, "file"));
}

TEST_F(OnnxPlan, RefusesGraphsThatMakeNoSense) {
  refuses("Relu \"y\": its input \"z\" is made by no node",
          model_of({node("Relu", {"z"}, {"y"})}, {"x"}, {"y"}));
  // A cycle, a node of itself, and nodes in another order.
  refuses(
      "Add \"first\": its input \"b\" is made by a later node, or by itself: nodes must be in "
      "order",
      model_of({node("Add", {"x", "b"}, {"a"}, "first"), node("Relu", {"a"}, {"b"})}, {"x"},
               {"b"}));
  refuses(
      "Relu \"y\": its input \"y\" is made by a later node, or by itself: nodes must be in order",
      model_of({node("Relu", {"y"}, {"y"})}, {"x"}, {"y"}));
  refuses("the value \"y\" is made twice",
          model_of({node("Relu", {"x"}, {"y"}), node("Neg", {"x"}, {"y"})}, {"x"}, {"y"}));
  refuses("the value \"x\" is made twice", model_of({node("Relu", {"x"}, {"x"})}, {"x"}, {"x"}));
  refuses("the value \"x\" is made twice",
          model_of({node("Relu", {"x"}, {"y"})}, {"x", "x"}, {"y"}));
  refuses("a value without a name", model_of({node("Relu", {"x"}, {"y"})}, {"x", ""}, {"y"}));
  refuses("nothing makes the result \"z\"", model_of({node("Relu", {"x"}, {"y"})}, {"x"}, {"z"}));
  refuses("the graph has no results", model_of({node("Relu", {"x"}, {"y"})}, {"x"}, {}));
  Model twice = model_of({node("Relu", {"w"}, {"y"})}, {}, {"y"});
  twice.graph.initializers = {tensor_value("w", Array::zeros({3}, DType::f32)),
                              tensor_value("w", Array::zeros({3}, DType::i64))};
  refuses("the value \"w\" is made twice", twice);
}

TEST_F(OnnxPlan, NamesWhatItDoesNotKnow) {
  refuses("NonMaxSuppression \"/nms\": the operator \"NonMaxSuppression\" of ONNX is not supported",
          model_of({node("NonMaxSuppression", {"x"}, {"y"}, "/nms")}, {"x"}, {"y"}));
  refuses("Loop \"y\": the operator \"Loop\" of ONNX is not supported",
          model_of({node("Loop", {"x"}, {"y"})}, {"x"}, {"y"}));
  const std::string shown = "\"" + std::string(80, 'L') + "...\" (5003 bytes)";
  refuses(shown + " \"y\": the operator " + shown + " of ONNX is not supported",
          model_of({node(std::string(5003, 'L'), {"x"}, {"y"})}, {"x"}, {"y"}));
  Model other = model_of({node("Relu", {"x"}, {"y"})}, {"x"}, {"y"});
  other.graph.nodes[0].domain = "com.microsoft";
  refuses("Relu \"y\": the file imports no operators of \"com.microsoft\"", other);
  other.opsets["com.microsoft"] = 1;
  refuses("Relu \"y\": the operator \"Relu\" of \"com.microsoft\" is not supported", other);
  Model old = model_of({node("Relu", {"x"}, {"y"})}, {"x"}, {"y"});
  old.opsets[""] = 6;
  refuses("version 6 of ONNX's operators is not supported, 7 to 24 are", old);
  old.opsets[""] = 25;
  refuses("version 25 of ONNX's operators is not supported, 7 to 24 are", old);
  old.opsets.erase("");
  refuses("Relu \"y\": the file imports no operators of \"\"", old);
}

TEST_F(OnnxPlan, ErrorsOfARunBeginWithTheNode) {
  const GraphModule module(
      model_of({node("MatMul", {"x", "z"}, {"y"}, "/layer/MatMul")}, {"x", "z"}, {"y"}));
  EXPECT_ERROR_WITH(ShapeError, "MatMul \"/layer/MatMul\": matmul: inner sizes differ",
                    module(randn({2, 3}), randn({5, 7})));
}

// What PyTorch writes for x.view(x.size(0), -1): sizes are put together while the graph runs.
TEST_F(OnnxPlan, ShapesOfInputsAreComputedEachTimeAndConstantsOnce) {
  const auto constant = [&](const std::string& name, const Array& array) {
    return node("Constant", {}, {name}, "", {{"value", tensor_value("", array)}});
  };
  const Model model = model_of(
      {constant("zero", Array::from(Ints{0}, {})), constant("axes", Array::from(Ints{0})),
       constant("three", Array::from(Ints{3})), constant("two", Array::from(Ints{2})),
       node("Mul", {"three", "two"}, {"six"}), node("Sub", {"six", "three"}, {"again"}),
       node("Shape", {"x"}, {"shape"}), node("Gather", {"shape", "zero"}, {"first"}),
       node("Unsqueeze", {"first", "axes"}, {"batch"}),
       node("Concat", {"batch", "again", "two"}, {"sizes"}, "", {{"axis", std::int64_t{0}}}),
       node("Reshape", {"x", "sizes"}, {"y"})},
      {"x"}, {"y"});
  const GraphModule module(model);
  EXPECT_EQ(module.steps(), 5U);
  EXPECT_EQ(module(randn({5, 6})).shape(), (Shape{5, 3, 2}));
  EXPECT_EQ(module(randn({7, 6})).shape(), (Shape{7, 3, 2}));
}

TEST_F(OnnxPlan, WhatFailsWhileItIsFoldedIsTheFilesFault) {
  Model model =
      model_of({node("Div", {"a", "b"}, {"c"}), node("Reshape", {"x", "c"}, {"y"})}, {"x"}, {"y"});
  model.graph.initializers = {tensor_value("a", Array::from(Ints{3})),
                              tensor_value("b", Array::from(Ints{0}))};
  refuses("Div \"c\": a division of integers by 0", model);
}

TEST_F(OnnxPlan, ConstantsOfAnF64RunAreComputedInF64) {
  const Model model = model_of({node("Constant", {}, {"two"}, "",
                                     {{"value", tensor_value("", Array::full({}, 2, DType::f32))}}),
                                node("Sqrt", {"two"}, {"root"}), node("Mul", {"x", "root"}, {"y"})},
                               {"x"}, {"y"});
  const GraphModule module(model);
  EXPECT_EQ(module.steps(), 1U);
  const Tensor x = random({5, 7});
  EXPECT_LT(difference(module(x), each(x, [](double v) { return v * std::sqrt(2.0); })), 1e-15);
  EXPECT_EQ(module(ones({3})).to_vector<float>(), std::vector<float>(3, std::sqrt(2.0F)));
}

TEST_F(OnnxPlan, ResultsThatAreViewsOfTheModulesOwnNumbersAreCopies) {
  Model model = model_of({node("Transpose", {"w"}, {"turned"}), node("Reshape", {"c", "s"}, {"y"})},
                         {}, {"turned", "w", "y"});
  model.graph.initializers = {tensor_value("w", Array::zeros({3, 5}, DType::f32)),
                              tensor_value("c", Array::zeros({67}, DType::i64)),
                              tensor_value("s", Array::from(Ints{67, 1}))};
  const GraphModule module(model);
  const NoGrad scope;
  const std::vector<Tensor> none;
  for (const Tensor& each : module.run(none)) Tensor(each).fill_(7);
  for (const Tensor& each : module.run(none)) EXPECT_EQ(sum(each).item(), 0);
}

// Nothing that a file asks for is made while it is loaded, but for a few numbers.
TEST_F(OnnxPlan, LargeTensorsAreMadeByRunningAlone) {
  Model model = model_of({node("ConstantOfShape", {"sizes"}, {"y"})}, {}, {"y"});
  model.graph.initializers = {tensor_value("sizes", Array::from(Ints{1LL << 40}))};
  const GraphModule module(model);
  set_memory_limit(1LL << 30);
  EXPECT_THROW(module(), OutOfMemory);
  set_memory_limit(0);
  Model joined = model_of({node("Concat", {"a", "a"}, {"b"}, "", {{"axis", std::int64_t{0}}}),
                           node("Concat", {"b", "b"}, {"y"}, "", {{"axis", std::int64_t{0}}})},
                          {}, {"y"});
  joined.graph.initializers = {tensor_value("a", Array::zeros({33}, DType::i64))};
  EXPECT_EQ(GraphModule(joined).steps(), 2U);
  joined.graph.initializers = {tensor_value("a", Array::zeros({3}, DType::i64))};
  const GraphModule folded(joined);
  EXPECT_EQ(folded.steps(), 0U);
  folded().fill_(7);  // a result is the caller's own
  EXPECT_EQ(folded().to_vector<std::int64_t>(), Ints(12, 0));
}

TEST_F(OnnxPlan, ValuesAreFreedAfterTheirLastUse) {
  std::vector<Node> nodes;
  for (int i = 0; i < 40; ++i)
    nodes.push_back(
        node("Neg", {i == 0 ? "x" : "v" + std::to_string(i)}, {"v" + std::to_string(i + 1)}));
  nodes.push_back(node("Exp", {"x"}, {"unused"}));
  nodes.push_back(node("Add", {"v40", "x"}, {"y"}));
  const GraphModule module(model_of(nodes, {"x"}, {"y"}));
  const Index count = 1 << 20;
  const Tensor x = randn({count});
  release_cached_memory();
  const NoGrad no_grad;
  set_memory_limit(memory_stats().reserved_bytes + 5 * 4 * count);  // of 42 tensors 5 at once
  Tensor y;
  EXPECT_NO_THROW(y = module(x));
  set_memory_limit(0);
  EXPECT_EQ(difference(y, x + x), 0);
}

// As files of trainings have them: a mask of what was dropped, the averages of a batch.
TEST_F(OnnxPlan, ResultsThatNobodyUsesNeedNotBeKnown) {
  const Model model =
      model_of({node("Dropout", {"x"}, {"a", "mask"}),
                node("MaxPool", {"a"}, {"y", "places"}, "", {{"kernel_shape", Ints{2}}})},
               {"x"}, {"y"});
  EXPECT_EQ(GraphModule(model)(randn({2, 3, 5})).shape(), (Shape{2, 3, 4}));
  Model used = model;
  used.graph.outputs.push_back(value("places"));
  refuses("MaxPool \"y\": result 1 (\"places\") is not supported", used);
  Model twice = model;
  twice.graph.nodes[1].outputs[1] = "mask";
  refuses("the value \"mask\" is made twice", twice);
}

TEST_F(OnnxPlan, BranchesUseWhatIsAroundThem) {
  const auto branch = [&](const std::string& op) {
    auto out = std::make_shared<Graph>();
    out->initializers = {tensor_value("w", Array::from(std::vector<float>{3, 5}))};
    out->nodes = {node(op, {"a", "w"}, {"b"}), node("Mul", {"b", "outer"}, {"out"})};
    out->outputs = {value("out")};
    return out;
  };
  Model model = model_of({node("Neg", {"x"}, {"a"}),
                          node("If", {"condition"}, {"y"}, "",
                               {{"then_branch", branch("Add")}, {"else_branch", branch("Sub")}})},
                         {"condition", "x"}, {"y"});
  model.graph.inputs[0].type = DataType::boolean;
  model.graph.initializers = {tensor_value("outer", Array::from(std::vector<float>{7}))};
  const GraphModule module(decode_model(encode_model(model), "f"));
  const Tensor x = tensor({1.0, 2.0});
  EXPECT_EQ(module(tensor(true), x).to_vector<float>(), (std::vector<float>{14, 21}));
  EXPECT_EQ(module(tensor(false), x).to_vector<float>(), (std::vector<float>{-28, -49}));
  EXPECT_EQ(module.named_parameters().size(), 3U);  // both branches' own, and the one around
  sum(module(tensor(false), x)).backward();
  EXPECT_ERROR_WITH(ShapeError, "If \"y\": the condition must be one truth, not bool[2]",
                    module(tensor({true, false}), x));
  std::get<std::shared_ptr<Graph>>(model.graph.nodes[1].attributes[0].value)->nodes[0].inputs[0] =
      "none";
  EXPECT_ERROR_WITH(FormatError, "Add \"b\": its input \"none\" is made by no node",
                    GraphModule{model});
  std::get<std::shared_ptr<Graph>>(model.graph.nodes[1].attributes[0].value)->nodes[0].inputs[0] =
      "a";
  std::get<std::shared_ptr<Graph>>(model.graph.nodes[1].attributes[0].value)
      ->outputs.push_back(value("b"));
  EXPECT_ERROR_WITH(FormatError, "If \"y\": its branches have other numbers of results",
                    GraphModule{model});
}

}  // namespace
}  // namespace heed::onnx
