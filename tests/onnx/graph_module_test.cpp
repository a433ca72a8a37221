// Graphs as modules: their state, training, dtypes, inputs.
#include "../../onnx/graph_module.h"

#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../../io/saved_module.h"
#include "../../nn/gradcheck.h"
#include "../../optim/adam.h"
#include "../io/temporary_folder.h"
#include "../support/numbers.h"
#include "../support/seeded_test.h"
#include "../support/throws.h"
#include "graphs.h"
#include "one_node.h"

namespace heed::onnx {
namespace {

using OnnxModule = SeededTest<52>;

std::vector<std::string> names(const nn::NamedTensors& tensors) {
  std::vector<std::string> out;
  for (const auto& [name, tensor] : tensors) out.push_back(name);
  return out;
}
using Names = std::vector<std::string>;

TEST_F(OnnxModule, StateHasTheFilesNames) {
  Model model;
  model.opsets = {{"", 17}};
  const auto floats = [](const Shape& shape) { return randn(shape).array().clone(); };
  model.graph.initializers = {tensor_value("layers.0.weight", floats({3})),
                              tensor_value("layers.0.bias", floats({3})),
                              tensor_value("layers.1.weight", floats({3})),
                              tensor_value("scale", floats({})),
                              tensor_value("a..b", floats({3})),
                              tensor_value("scale.x", floats({3})),
                              tensor_value("layers", floats({3})),
                              tensor_value("sizes", Array::from(Ints{3})),
                              tensor_value("least", floats({}))};
  std::string last = "x";
  for (const TensorValue& tensor : model.graph.initializers) {
    const std::string out = last + "+";
    if (tensor.name == "sizes" || tensor.name == "least") {
      model.graph.nodes.push_back({.op_type = tensor.name == "sizes" ? "Reshape" : "Clip",
                                   .inputs = {last, tensor.name},
                                   .outputs = {out}});
    } else {
      model.graph.nodes.push_back(
          {.op_type = "Add", .inputs = {last, tensor.name}, .outputs = {out}});
    }
    last = out;
  }
  model.graph.inputs = {{.name = "x", .type = DataType::f32, .shape = {}}};
  model.graph.outputs = {{.name = last, .type = DataType::f32, .shape = {}}};
  const GraphModule module(model);
  EXPECT_EQ(
      names(module.named_parameters()),
      (Names{"a__b", "scale_x", "layers_", "layers.0.weight", "layers.0.bias", "layers.1.weight"}));
  EXPECT_EQ(names(module.named_buffers()), Names{"scale"});
  // The module's numbers are its own.
  module.parameters()[3].array();
  nn::NamedTensors state = module.state_dict();
  {
    const NoGrad no_grad;
    for (auto& [name, tensor] : state) tensor.fill_(7);
  }
  EXPECT_NE(model.graph.initializers[0].array.select(0, 0).item(), 7);
  const GraphModule chosen(
      model, {.trained = [](const TensorValue& tensor) { return tensor.name == "scale"; }});
  EXPECT_EQ(names(chosen.named_parameters()), Names{"scale"});
  EXPECT_EQ(chosen.named_buffers().size(), 6U);
}

TEST_F(OnnxModule, MlpIsWhatItsFormulaSays) {
  const Model model = mlp();
  const GraphModule module(model);
  const Tensor x = randn({5, 7});
  const auto w = [&](std::size_t i) { return Tensor(model.graph.initializers[i].array); };
  EXPECT_LT(difference(module(x), linear(relu(linear(x, w(0), w(1))), w(2), w(3))), 1e-6);
}

TEST_F(OnnxModule, IsTrained) {
  for (const auto& [name, model, x] : graphs()) {
    GraphModule module(model);
    optim::Adam optimizer(module.parameters(), {.lr = 0.02});
    const Tensor target = randn(module.run({x})[0].shape());
    double first = 0, last = 0;
    for (int i = 0; i < 40; ++i) {
      optimizer.zero_grad();
      const Tensor loss = mean(square(module.run({x})[0] - target));
      loss.backward();
      optimizer.step();
      (i == 0 ? first : last) = loss.item();
    }
    EXPECT_LT(last, 0.9 * first) << name;
    for (const auto& [parameter, tensor] : module.named_parameters())
      EXPECT_TRUE(tensor.grad().defined()) << name << " " << parameter;
  }
}

TEST_F(OnnxModule, GradientsOfWholeGraphsAreRight) {
  for (const auto& [name, model, x] : graphs()) {
    GraphModule module(model);
    module.eval();
    module.to(DType::f64);
    const Tensor input = is_floating(x.dtype()) ? x.to(DType::f64) : x;
    const auto report =
        nn::gradcheck(module, [&] { return module.run({input})[0]; }, {.max_elements = 7});
    EXPECT_TRUE(report) << name << ": " << report.text();
    const auto second =
        nn::gradgradcheck(module, [&] { return module.run({input})[0]; }, {.max_elements = 2});
    EXPECT_TRUE(second) << name << ": " << second.text();
  }
}

TEST_F(OnnxModule, InF64ItIsCloseToF32) {
  for (const auto& [name, model, x] : graphs()) {
    GraphModule module(model);
    module.eval();
    const Tensor narrow = module.run({x})[0];
    write_case("whole_" + name, model, {x});
    EXPECT_EQ(narrow.dtype(), DType::f32);
    module.to(DType::f64);
    const Tensor input = is_floating(x.dtype()) ? x.to(DType::f64) : x;
    const Tensor wide = module.run({input})[0];
    EXPECT_EQ(wide.dtype(), DType::f64) << name;
    EXPECT_LT(difference(wide, narrow.to(DType::f64)), 1e-5) << name;
    if (is_floating(x.dtype())) {
      EXPECT_ERROR_WITH(DTypeError, "must be f64, not f32", module.run({x}));
    }
    module.to(DType::f32);
    EXPECT_TRUE(same_bits(module.run({x})[0], narrow)) << name;
  }
}

TEST_F(OnnxModule, StateIsSavedAndLoaded) {
  const TemporaryFolder folder;
  for (const auto& [name, model, x] : graphs()) {
    GraphModule first(model), second(model);
    first.eval();
    second.eval();
    {
      const NoGrad no_grad;
      for (const Tensor& each : second.parameters()) each.mul_(1.5);
    }
    EXPECT_FALSE(same_bits(first.run({x})[0], second.run({x})[0])) << name;
    io::write_safetensors(folder / name, first.state_dict());
    second.load_state_dict(io::read_safetensors(folder / name).arrays);
    EXPECT_TRUE(same_bits(first.run({x})[0], second.run({x})[0])) << name;
  }
}

TEST_F(OnnxModule, FilesAreLoadedForEvaluation) {
  const TemporaryFolder folder;
  write_model(folder / "a.onnx", mlp());
  const auto module = load(folder / "a.onnx");
  EXPECT_FALSE(module->training());
  EXPECT_EQ((*module)(randn({2, 7})).shape(), (Shape{2, 3}));
  EXPECT_EQ(module->class_name(), "GraphModule");
  EXPECT_THROW(load(folder / "none.onnx"), IoError);
  Model bad = mlp();
  bad.graph.nodes[1].op_type = "Rilu";
  write_model(folder / "bad.onnx", bad);
  EXPECT_ERROR_WITH(FormatError, "Rilu \"v1\": the operator \"Rilu\" of ONNX is not supported",
                    load(folder / "bad.onnx"));
  try {
    load(folder / "bad.onnx");
  } catch (const FormatError& error) {
    EXPECT_EQ(error.path(), folder / "bad.onnx");
    EXPECT_GT(error.offset(), 0U);  // where the node stands
  }
}

TEST_F(OnnxModule, InputsByNameAndSeveralResults) {
  Model model;
  model.opsets = {{"", 17}};
  model.graph.nodes = {{.op_type = "Add", .inputs = {"x", "y"}, .outputs = {"sum"}},
                       {.op_type = "Sub", .inputs = {"x", "y"}, .outputs = {"rest"}}};
  model.graph.inputs = {{.name = "x", .type = DataType::f32, .shape = {{"batch", 3}}},
                        {.name = "y", .type = DataType::f32, .shape = {{"batch", ""}}}};
  model.graph.outputs = {{.name = "sum", .type = DataType::f32, .shape = {}},
                         {.name = "rest", .type = DataType::f32, .shape = {}}};
  const GraphModule module(model);
  const Tensor x = randn({2, 3}), y = randn({2, 3});
  const nn::NamedTensors out = module.run({{"y", y}, {"x", x}});
  EXPECT_EQ(names(out), (Names{"sum", "rest"}));
  EXPECT_EQ(difference(out[1].second, x - y), 0);
  EXPECT_EQ(difference(module.run({x, y})[0], x + y), 0);
  EXPECT_EQ(module.inputs().size(), 2U);
  EXPECT_EQ(module.outputs()[1].name, "rest");
  EXPECT_ERROR(ValueError, "onnx: the graph has 2 results, \"sum\", \"rest\": call run()",
               module(x, y));
  EXPECT_ERROR(ValueError, "onnx: 1 inputs, where the graph has 2: \"x\", \"y\"", module.run({x}));
  EXPECT_ERROR(ValueError, "onnx: no input is named \"z\"; there are \"x\", \"y\"",
               module.run({{"z", x}}));
  EXPECT_ERROR(ValueError, "onnx: input \"x\" is there twice", module.run({{"x", x}, {"x", x}}));
  EXPECT_ERROR(ValueError, "onnx: input \"y\" is missing", module.run({{"x", x}}));
  EXPECT_ERROR(GradError, "onnx: input \"y\" is undefined", module.run({x, Tensor()}));
  EXPECT_ERROR(ShapeError, "onnx: input \"x\" must be [batch, 3], not f32[2, 5]",
               module.run({randn({2, 5}), y}));
  EXPECT_ERROR(ShapeError, "onnx: input \"y\" must be [batch, ?], not f32[3]",
               module.run({x, randn({3})}));
  EXPECT_ERROR(ShapeError, "onnx: input \"y\" is [5, 3], where batch is 5; it is 2 in input \"x\"",
               module.run({x, randn({5, 3})}));
  EXPECT_ERROR(DTypeError, "onnx: input \"y\" must be f32, not i64[1]", module.run({x, ints({1})}));
  // Where nothing of the graph's own says otherwise, the inputs decide.
  EXPECT_EQ(module.run({x.to(DType::f64), y.to(DType::f64)})[0].dtype(), DType::f64);
  EXPECT_ERROR(DTypeError, "onnx: input \"y\" must be f64, not f32[2, 3]",
               module.run({x.to(DType::f64), y}));
}

TEST_F(OnnxModule, ListedInitialisersAreNoInputs) {
  Model model = mlp();
  model.ir_version = 3;
  for (const TensorValue& tensor : model.graph.initializers)
    model.graph.inputs.insert(model.graph.inputs.begin(),
                              {.name = tensor.name, .type = DataType::f32, .shape = {}});
  const GraphModule module(model);
  EXPECT_EQ(module.inputs().size(), 1U);
  EXPECT_EQ(module(randn({2, 7})).shape(), (Shape{2, 3}));
}

TEST_F(OnnxModule, OneTensorOfTwoNodesIsOneParameter) {
  Model model = mlp();
  model.graph.nodes[2].inputs = {"v1", "fc1.weight"};  // tied: [11, 7] once more, turned round
  model.graph.nodes[2].attributes = {};
  GraphModule module(model);
  const Tensor x = randn({5, 7});
  sum(square(module(x))).backward();
  const Tensor w = module.named_parameters()[0].second;
  const Tensor own = w.detach().clone().requires_grad(true),
               bias = module.named_parameters()[1].second.detach();
  sum(square(matmul(relu(linear(x, own, bias)), own))).backward();
  EXPECT_LT(relative_difference(w.grad(), own.grad()), 1e-6);
}

TEST_F(OnnxModule, HooksSeeTheFirstResult) {
  GraphModule module(mlp());
  int called = 0;
  module.register_forward_hook([&](const nn::Module&, const Tensor& out) {
    ++called;
    return out * 2.0;
  });
  const Tensor x = randn({2, 7});
  const Tensor twice = module(x);
  EXPECT_EQ(called, 1);
  EXPECT_EQ(twice.shape(), (Shape{2, 3}));
}

// Whatever a file says, what comes is an error of ours or a result.
TEST_F(OnnxModule, AnyByteChangedEndsInATypedErrorOrARun) {
  Generator generator(7);
  std::size_t refused = 0, ran = 0, failed = 0;
  for (const auto& [name, model, x] : graphs()) {
    const std::string bytes = encode_model(model);
    for (std::size_t size = 0; size < bytes.size(); size += 5) {  // cut there
      try {
        GraphModule(decode_model(std::string_view(bytes).substr(0, size), "f"), LoadOptions(), "f");
      } catch (const FormatError& error) {
        EXPECT_EQ(error.path(), "f");
      }
    }
    for (int i = 0; i < 600; ++i) {
      std::string changed = bytes;
      const Tensor draws = rand({4}, DType::f64, generator);
      const auto draw = [&](Index k, std::size_t below) {
        return static_cast<std::size_t>(draws.array().select(0, k).item() *
                                        static_cast<double>(below));
      };
      changed[draw(0, changed.size())] = static_cast<char>(draw(1, 256));
      if (i % 3 == 0) changed[draw(2, changed.size())] = static_cast<char>(draw(3, 256));
      std::unique_ptr<GraphModule> module;
      try {
        module = std::make_unique<GraphModule>(decode_model(changed, "f"), LoadOptions(), "f");
      } catch (const FormatError&) {
        ++refused;
        continue;
      }
      try {
        const NoGrad no_grad;
        module->run({x});
        ++ran;
      } catch (const Error&) {
        ++failed;
      }
    }
  }
  EXPECT_GT(refused, 100U);
  EXPECT_GT(ran, 100U);
  EXPECT_GT(failed, 10U);
}

}  // namespace
}  // namespace heed::onnx
