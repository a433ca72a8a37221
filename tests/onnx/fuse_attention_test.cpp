// Attention in parts, as one operator; and what only looks like it.
#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../support/numbers.h"
#include "../support/seeded_test.h"
#include "../support/throws.h"
#include "one_node.h"

namespace heed::onnx {
namespace {

using OnnxFusing = SeededTest<53>;

Node node(const std::string& op, const std::vector<std::string>& inputs, const std::string& output,
          const std::vector<Attribute>& attributes = {}) {
  return {.op_type = op, .inputs = inputs, .outputs = {output}, .attributes = attributes};
}
const Attribute kLast{"axis", std::int64_t{-1}};
Node number(const std::string& name, double value) {
  return node("Constant", {}, name,
              {{"value", tensor_value("", Array::full({}, value, DType::f32))}});
}

struct Attending {
  std::vector<Node> nodes;        // from "s0", the product, to "s", what the softmax takes
  std::vector<Tensor> more = {};  // inputs m0, m1, ..
  std::vector<Tensor> qkv = {};

  // The same graph whose weights are results, too, is not put together.
  Model model(bool whole, std::int64_t opset = 17) const {
    Model out;
    out.opsets = {{"", opset}};
    out.graph.nodes = {node("MatMul", {"q", "k"}, "s0")};
    out.graph.nodes.insert(out.graph.nodes.end(), nodes.begin(), nodes.end());
    out.graph.nodes.push_back(node("Softmax", {nodes.empty() ? "s0" : "s"}, "w", {kLast}));
    out.graph.nodes.push_back(node("MatMul", {"w", "v"}, "y"));
    std::size_t i = 0;
    for (const char* const name : {"q", "k", "v"})
      out.graph.inputs.push_back(
          {.name = name, .type = data_type_of(qkv[i++].dtype()), .shape = {}});
    for (i = 0; i < more.size(); ++i)
      out.graph.inputs.push_back(
          {.name = "m" + std::to_string(i), .type = data_type_of(more[i].dtype()), .shape = {}});
    out.graph.outputs = {{.name = "y", .type = DataType::f32, .shape = {}}};
    if (!whole) out.graph.outputs.push_back({.name = "w", .type = DataType::f32, .shape = {}});
    return out;
  }
  void check(bool fused = true) const {
    std::vector<Tensor> inputs = qkv;
    inputs.insert(inputs.end(), more.begin(), more.end());
    for (Tensor& each : inputs) {
      if (is_floating(each.dtype())) each = each.detach().clone().set_requires_grad();
    }
    const GraphModule together(decode_model(encode_model(model(true)), "f")), apart(model(false));
    EXPECT_EQ(together.steps() < apart.steps(), fused);
    const Tensor y = together.run(inputs)[0], wanted = apart.run(inputs)[0];
    EXPECT_LT(relative_difference(y, wanted), 1e-6);
    const Tensor g = randn_like(wanted);
    std::vector<Tensor> floats;
    for (const Tensor& each : inputs) {
      if (is_floating(each.dtype())) floats.push_back(each);
    }
    const auto own = grad({sum(y * g)}, floats), theirs = grad({sum(wanted * g)}, floats);
    for (std::size_t i = 0; i < own.size(); ++i)
      EXPECT_LT(relative_difference(own[i], theirs[i]), 1e-5) << i;
  }
};
std::vector<Tensor> qkv() {
  return {randn({2, 3, 5, 4}), randn({2, 3, 4, 7}), randn({2, 3, 7, 2})};
}

TEST_F(OnnxFusing, ScalesAndMasksOfEachKind) {
  const Tensor truths = (randn({2, 1, 5, 7}) > 0.0) | (arange(7) == 0.0);
  Attending{.nodes = {}, .qkv = qkv()}.check();
  Attending{.nodes = {number("c", 2), node("Div", {"s0", "c"}, "s")}, .qkv = qkv()}.check();
  Attending{.nodes = {number("c", 0.25), node("Mul", {"s0", "c"}, "s")}, .qkv = qkv()}.check();
  Attending{.nodes = {node("Add", {"s0", "m0"}, "s")}, .more = {randn({5, 7})}, .qkv = qkv()}
      .check();
  Attending{.nodes = {node("Add", {"m0", "s0"}, "s")}, .more = {randn({2, 3, 1, 7})}, .qkv = qkv()}
      .check();
  Attending{
      .nodes = {number("c", 2), node("Div", {"s0", "c"}, "s1"), node("Add", {"s1", "m0"}, "s")},
      .more = {randn({3, 5, 7})},
      .qkv = qkv()}
      .check();
  Attending{.nodes = {number("c", -INFINITY), node("Where", {"m0", "s0", "c"}, "s")},
            .more = {truths},
            .qkv = qkv()}
      .check();
  Attending{.nodes = {number("c", -INFINITY), number("d", 2), node("Div", {"s0", "d"}, "s1"),
                      node("Where", {"m0", "c", "s1"}, "s")},
            .more = {~truths},
            .qkv = qkv()}
      .check();
  Attending{.nodes = {}, .qkv = {randn({3, 5, 4}), randn({1, 4, 7}), randn({3, 7, 2})}}.check();
}

TEST_F(OnnxFusing, WhatDotAttentionDoesNotTakeRunsInParts) {
  const Tensor truths = (randn({2, 1, 5, 7}) > 0.0) | (arange(7) == 0.0);
  // A mask that makes the scores larger, numbers that are trained or many, a fill that does not
  // forbid, matrices.
  Attending{
      .nodes = {node("Add", {"s0", "m0"}, "s")}, .more = {randn({11, 1, 1, 5, 7})}, .qkv = qkv()}
      .check();
  Attending{.nodes = {node("Add", {"s0", "m0"}, "s")},
            .more = {randn({2, 3, 5, 7})},
            .qkv = {randn({1, 3, 1, 4}), randn({1, 3, 4, 7}), randn({1, 3, 7, 2})}}
      .check();
  Attending{.nodes = {node("Mul", {"s0", "m0"}, "s")}, .more = {randn({})}, .qkv = qkv()}.check();
  Attending{.nodes = {node("Div", {"s0", "m0"}, "s")}, .more = {rand({7}) + 0.5}, .qkv = qkv()}
      .check();
  Attending{.nodes = {number("c", -1), node("Where", {"m0", "s0", "c"}, "s")},
            .more = {truths},
            .qkv = qkv()}
      .check();
  Attending{.nodes = {}, .qkv = {randn({5, 4}), randn({4, 7}), randn({7, 2})}}.check();
}

TEST_F(OnnxFusing, WhatOnlyLooksLikeItStays) {
  // A scale behind the mask, something between, scores that somebody else uses.
  Attending{
      .nodes = {node("Add", {"s0", "m0"}, "s1"), number("c", 2), node("Div", {"s1", "c"}, "s")},
      .more = {randn({5, 7})},
      .qkv = qkv()}
      .check(false);
  Attending{.nodes = {node("Tanh", {"s0"}, "s")}, .qkv = qkv()}.check(false);
  Attending{.nodes = {node("Add", {"s0", "s0"}, "s")}, .qkv = qkv()}.check(false);
  const Attending plain{.nodes = {}, .qkv = qkv()};
  EXPECT_EQ(GraphModule(plain.model(true, 13)).steps(), 1U);
  EXPECT_EQ(GraphModule(plain.model(true, 12)).steps(), 3U);
  Model other = plain.model(true);
  other.graph.nodes[1].attributes = {{"axis", std::int64_t{1}}};
  EXPECT_EQ(GraphModule(other).steps(), 3U);
}

TEST_F(OnnxFusing, ARowThatMayAttendToNothingIsZeros) {
  const Attending masked{.nodes = {number("c", -INFINITY), node("Where", {"m0", "s0", "c"}, "s")},
                         .more = {arange(5).view({5, 1}) != 3.0},
                         .qkv = qkv()};
  std::vector<Tensor> inputs = masked.qkv;
  inputs.push_back(masked.more[0]);
  const Tensor y = GraphModule(masked.model(true)).run(inputs)[0];
  EXPECT_EQ(sum(abs(select(y, 2, 3))).item(), 0);
  EXPECT_TRUE(all(isfinite(y)).item<bool>());
}

TEST_F(OnnxFusing, GraphsThatMakeNoSenseAreRefusedAllTheSame) {
  Model model = Attending{.nodes = {}, .qkv = qkv()}.model(true);
  Model swapped = model;
  std::swap(swapped.graph.nodes[0], swapped.graph.nodes[1]);
  EXPECT_ERROR_WITH(FormatError, "Softmax \"w\": its input \"s0\" is made by a later node",
                    GraphModule{swapped});
  Model twice = model;
  twice.graph.nodes.push_back(node("MatMul", {"q", "k"}, "s0"));
  EXPECT_ERROR_WITH(FormatError, "the value \"s0\" is made twice", GraphModule{twice});
  model.graph.nodes[1].domain = "heed fused";
  EXPECT_ERROR_WITH(FormatError, "a node of the domain \"heed fused\"", GraphModule{model});
}

}  // namespace
}  // namespace heed::onnx
