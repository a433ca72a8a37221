#include <gtest/gtest.h>

#include "../../../core/error.h"
#include "../../support/numbers.h"
#include "../../support/seeded_test.h"
#include "../../support/throws.h"
#include "../one_node.h"

namespace heed::onnx {
namespace {

using OnnxControl = SeededTest<47>;

ValueInfo floats(const std::string& name) { return {name, DataType::f64, std::nullopt}; }

// sum' = sum w + x, given and kept; w is of the graph around.
std::shared_ptr<Graph> step() {
  auto out = std::make_shared<Graph>();
  out->nodes = {{.op_type = "Mul", .inputs = {"sum", "w"}, .outputs = {"less"}},
                {.op_type = "Add", .inputs = {"less", "x"}, .outputs = {"next"}},
                {.op_type = "Neg", .inputs = {"next"}, .outputs = {"kept"}}};
  out->inputs = {floats("sum"), floats("x")};
  out->outputs = {floats("next"), floats("kept")};
  return out;
}

Model scan(std::vector<Attribute> more, const Tensor& w = full({}, 0.5, DType::f64),
           std::int64_t count = 1) {
  Node node{.op_type = "Scan",
            .inputs = {"first", "all"},
            .outputs = {"last", "each"},
            .attributes = {{"body", step()}, {"num_scan_inputs", count}}};
  for (Attribute& each : more) node.attributes.push_back(std::move(each));
  Model out;
  out.opsets = {{"", 17}};
  out.graph.nodes = {node};
  out.graph.inputs = {floats("first"), floats("all")};
  out.graph.outputs = {floats("last"), floats("each")};
  out.graph.initializers = {tensor_value("w", w.array())};
  return out;
}

Attribute numbers(const char* name, std::int64_t value) {
  return {name, std::vector<std::int64_t>{value}};
}

TEST_F(OnnxControl, ScanGoesAlongAnyAxisEitherWay) {
  const Tensor first = random({3, 5}), all = random({3, 5, 7});
  for (const bool turned : {false, true}) {
    const std::int64_t way = turned ? 1 : 0;
    const GraphModule module(decode_model(
        encode_model(
            scan({numbers("scan_input_axes", -1), numbers("scan_input_directions", way),
                  numbers("scan_output_axes", 1), numbers("scan_output_directions", way)})),
        "f"));
    const std::vector<Tensor> got = module.run(std::vector<Tensor>{first, all});
    Tensor sum = first;
    std::vector<Tensor> kept(7);
    for (Index t = 0; t < 7; ++t) {
      const Index at = turned ? 6 - t : t;
      sum = sum * 0.5 + select(all, 2, at);
      kept[static_cast<std::size_t>(at)] = -sum;
    }
    EXPECT_LT(difference(got[0], sum), 1e-12);
    EXPECT_EQ(got[1].shape(), (Shape{3, 7, 5}));
    EXPECT_LT(difference(got[1], stack(kept, 1)), 1e-12);
  }
}

TEST_F(OnnxControl, ScanIsTrained) {
  const GraphModule module(scan({}, random({5})));
  const auto parameters = module.parameters();
  ASSERT_EQ(parameters.size(), 1U);
  const Tensor first = random({5}), all = random({7, 5}), g = random({7, 5});
  sum(module.run(std::vector<Tensor>{first, all})[1] * g).backward();
  Tensor w = clone(parameters[0].detach());
  w.set_requires_grad(true);
  Tensor now = first, loss = zeros({}, DType::f64);
  for (Index t = 0; t < 7; ++t) {
    now = now * w + select(all, 0, t);
    loss = loss - sum(now * select(g, 0, t));
  }
  loss.backward();
  EXPECT_LT(difference(parameters[0].grad(), w.grad()), 1e-12);
}

TEST_F(OnnxControl, ScanRefusesWhatDoesNotFit) {
  EXPECT_ERROR_WITH(FormatError, "3 of its 2 inputs are sequences",
                    GraphModule{scan({}, full({}, 0.5, DType::f64), 3)});
  EXPECT_ERROR_WITH(FormatError, "0 of its 2 inputs are sequences",
                    GraphModule{scan({}, full({}, 0.5, DType::f64), -1)});
  EXPECT_ERROR_WITH(FormatError,
                    "2 numbers in scan_input_axes and scan_input_directions, for 1 sequences",
                    GraphModule{scan({{"scan_input_axes", std::vector<std::int64_t>{0, 1}}})});
  Model other = scan({});
  std::get<std::shared_ptr<Graph>>(other.graph.nodes[0].attributes[0].value)->outputs.pop_back();
  EXPECT_ERROR_WITH(FormatError, "its body makes 1 values of 2, of 1 states and 1 sequences",
                    GraphModule{other});
  Model old = scan({});
  old.opsets[""] = 8;
  EXPECT_ERROR_WITH(FormatError, "before version 9 Scan had an axis for the batch",
                    GraphModule{old});
  Model two = scan({}, full({}, 0.5, DType::f64), 2);
  two.graph.nodes[0].outputs.insert(two.graph.nodes[0].outputs.begin(), "both");
  std::get<std::shared_ptr<Graph>>(two.graph.nodes[0].attributes[0].value)->outputs = {
      floats("next"), floats("kept"), floats("less")};
  const GraphModule module(two);
  EXPECT_ERROR_WITH(ShapeError, "its sequence 1 has 0 steps, its first 3",
                    module.run(std::vector<Tensor>{random({3, 5}), zeros({0, 5}, DType::f64)}));
  EXPECT_ERROR_WITH(ShapeError, "Scan",
                    module.run(std::vector<Tensor>{random({3, 5}), zeros({0, 5}, DType::f64)}));
}

TEST_F(OnnxControl, ScanOfNoStepsLeavesItsStatesAndGivesNothing) {
  const GraphModule module(scan({numbers("scan_input_axes", -1), numbers("scan_output_axes", 1)}));
  const Tensor first = random({3, 5}).set_requires_grad(true);
  const std::vector<Tensor> got =
      module.run(std::vector<Tensor>{first, zeros({3, 5, 0}, DType::f64)});
  EXPECT_TRUE(got[0].equal(first));
  EXPECT_EQ(got[1].shape(), (Shape{3, 0, 5}));
  EXPECT_EQ(got[1].dtype(), DType::f64);
  (sum(got[0]) + sum(got[1])).backward();
  EXPECT_TRUE(first.grad().equal(ones({3, 5}, DType::f64)));
}

}  // namespace
}  // namespace heed::onnx
