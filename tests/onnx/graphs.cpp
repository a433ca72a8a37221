#include "graphs.h"

#include <cmath>

#include "../../autograd/autograd.h"

namespace heed::onnx {
namespace {

using Ints = std::vector<std::int64_t>;

// A graph in the making: each call adds a node and gives its result's name.
class Builder {
 public:
  explicit Builder(std::int64_t opset) { model_.opsets = {{"", opset}}; }

  std::string input(const std::string& name, DataType type, const std::vector<Dim>& shape) {
    model_.graph.inputs.push_back({.name = name, .type = type, .shape = shape});
    return name;
  }
  std::string weight(const std::string& name, const Shape& shape, double scale = 0.4,
                     double around = 0) {
    model_.graph.initializers.push_back(
        tensor_value(name, (randn(shape) * scale + around).array().clone()));
    return name;
  }
  std::string above_0(const std::string& name, const Shape& shape) {
    model_.graph.initializers.push_back(tensor_value(name, (rand(shape) + 0.5).array().clone()));
    return name;
  }
  std::string number(float value) {
    return add("Constant", {}, {{"value", tensor_value("", Array::full({}, value, DType::f32))}});
  }
  std::string list(const Ints& values) {
    return add("Constant", {}, {{"value", tensor_value("", Array::from(values))}});
  }
  std::vector<std::string> add_all(const std::string& op, const std::vector<std::string>& inputs,
                                   const std::vector<Attribute>& attributes, int results) {
    std::vector<std::string> out;
    for (int i = 0; i < results; ++i) out.push_back("v" + std::to_string(count_++));
    model_.graph.nodes.push_back(
        {.op_type = op, .inputs = inputs, .outputs = out, .attributes = attributes});
    return out;
  }
  std::string add(const std::string& op, const std::vector<std::string>& inputs,
                  const std::vector<Attribute>& attributes = {}) {
    return add_all(op, inputs, attributes, 1)[0];
  }
  Model result(const std::string& name) {
    model_.graph.outputs.push_back({.name = name, .type = DataType::f32, .shape = {}});
    return model_;
  }

  // (x - mean) / sqrt(mean of squares + eps) w + b, as PyTorch writes it before version 17.
  std::string layer_norm(const std::string& x, const std::string& name, Index width) {
    const std::vector<Attribute> last = {{"axes", Ints{-1}}};
    const std::string off = add("Sub", {x, add("ReduceMean", {x}, last)});
    const std::string squares = add("ReduceMean", {add("Pow", {off, number(2)})}, last);
    const std::string unit = add("Div", {off, add("Sqrt", {add("Add", {squares, number(1e-5F)})})});
    return add("Add", {add("Mul", {unit, weight(name + ".weight", {width}, 0.1, 1)}),
                       weight(name + ".bias", {width})});
  }
  std::string gelu(const std::string& x) {
    const std::string erf = add("Erf", {add("Div", {x, number(std::sqrt(2.0F))})});
    return add("Mul", {add("Mul", {x, add("Add", {erf, number(1)})}), number(0.5F)});
  }
  std::string linear(const std::string& x, const std::string& name, Index in, Index out) {
    return add("Add", {add("MatMul", {x, weight("onnx::MatMul_" + name, {in, out})}),
                       weight(name + ".bias", {out})});
  }

 private:
  Model model_;
  int count_ = 0;
};

Model cnn() {
  Builder b(13);
  const std::string x = b.input("x", DataType::f32, {"batch", 2, 9, 7});
  std::string y =
      b.add("Conv", {x, b.weight("conv1.weight", {4, 2, 3, 3}), b.weight("conv1.bias", {4})},
            {{"pads", Ints{1, 1, 1, 1}}, {"kernel_shape", Ints{3, 3}}});
  y = b.add("BatchNormalization",
            {y, b.weight("bn.weight", {4}, 0.1, 1), b.weight("bn.bias", {4}),
             b.weight("bn.running_mean", {4}), b.above_0("bn.running_var", {4})},
            {{"epsilon", 1e-5F}});
  y = b.add("MaxPool", {b.add("Tanh", {y})},
            {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}});
  y = b.add("Sigmoid", {b.add("Conv", {y, b.weight("conv2.weight", {6, 2, 3, 1})},
                              {{"group", std::int64_t{2}}})});
  y = b.add("Flatten", {b.add("GlobalAveragePool", {y})});
  return b.result(b.add("Gemm", {y, b.weight("fc.weight", {5, 6}), b.weight("fc.bias", {5})},
                        {{"transB", std::int64_t{1}}}));
}

// Sizes of the result are put together from the input's, as for out.view(B, T, -1).
Model recurrent() {
  Builder b(14);
  const std::string ids = b.input("ids", DataType::i64, {"batch", "length"});
  std::string y = b.add("Transpose", {b.add("Gather", {b.weight("words.weight", {11, 3}), ids})},
                        {{"perm", Ints{1, 0, 2}}});
  y = b.add("GRU",
            {y, b.weight("onnx::GRU_1", {2, 15, 3}), b.weight("onnx::GRU_2", {2, 15, 5}),
             b.weight("onnx::GRU_3", {2, 30})},
            {{"hidden_size", std::int64_t{5}},
             {"direction", std::string("bidirectional")},
             {"linear_before_reset", std::int64_t{1}}});
  y = b.add("Transpose", {y}, {{"perm", Ints{0, 2, 1, 3}}});
  y = b.add("Reshape", {y, b.list({0, 0, -1})});
  const auto out =
      b.add_all("LSTM",
                {y, b.weight("onnx::LSTM_1", {1, 16, 10}), b.weight("onnx::LSTM_2", {1, 16, 4}),
                 b.weight("onnx::LSTM_3", {1, 32})},
                {{"hidden_size", std::int64_t{4}}}, 2);
  const std::string states = b.add("Squeeze", {out[1], b.list({0})});
  return b.result(b.add("Gemm", {states, b.weight("out.weight", {3, 4}), b.weight("out.bias", {3})},
                        {{"transB", std::int64_t{1}}}));
}

Model transformer() {
  Builder b(13);
  const Index width = 6;
  const std::string x = b.input("x", DataType::f32, {"batch", "length", width});
  const std::string shape = b.add("Shape", {x});
  const auto size = [&](std::int64_t axis) {
    const std::string one = b.add(
        "Gather",
        {shape, b.add("Constant", {}, {{"value", tensor_value("", Array::from(Ints{axis}, {}))}})});
    return b.add("Unsqueeze", {one, b.list({0})});
  };
  const std::string batch = size(0), length = size(1);
  const std::vector<Attribute> first = {{"axis", std::int64_t{0}}};
  const std::string heads = b.add("Concat", {batch, length, b.list({2, 3})}, first);
  const auto split = [&](const std::string& of, const Ints& perm) {
    return b.add("Transpose", {b.add("Reshape", {of, heads})}, {{"perm", perm}});
  };
  const std::string unit = b.layer_norm(x, "norm1", width);
  const std::string q = split(b.linear(unit, "query", width, width), {0, 2, 1, 3}),
                    k = split(b.linear(unit, "key", width, width), {0, 2, 3, 1}),
                    v = split(b.linear(unit, "value", width, width), {0, 2, 1, 3});
  std::string scores = b.add("Div", {b.add("MatMul", {q, k}), b.number(std::sqrt(3.0F))});
  // A causal mask from the length: places j <= i.
  const std::string places = b.add(
      "Range", {b.add("Constant", {}, {{"value", tensor_value("", Array::from(Ints{0}, {}))}}),
                b.add("Squeeze", {length, b.list({0})}),
                b.add("Constant", {}, {{"value", tensor_value("", Array::from(Ints{1}, {}))}})});
  const std::string later = b.add("Greater", {places, b.add("Unsqueeze", {places, b.list({1})})});
  scores = b.add("Where", {later, b.number(-INFINITY), scores});
  const std::string context = b.add(
      "Transpose", {b.add("MatMul", {b.add("Softmax", {scores}, {{"axis", std::int64_t{-1}}}), v})},
      {{"perm", Ints{0, 2, 1, 3}}});
  const std::string joined =
      b.add("Reshape", {context, b.add("Concat", {batch, length, b.list({width})}, first)});
  const std::string y = b.add("Add", {x, b.linear(joined, "out", width, width)});
  const std::string fed = b.linear(
      b.gelu(b.linear(b.layer_norm(y, "norm2", width), "linear1", width, 7)), "linear2", 7, width);
  return b.result(b.add("Add", {y, fed}));
}

}  // namespace

Model mlp() {
  Builder b(17);
  const std::string x = b.input("x", DataType::f32, {"batch", 7});
  std::string y = b.add("Gemm", {x, b.weight("fc1.weight", {11, 7}), b.weight("fc1.bias", {11})},
                        {{"transB", std::int64_t{1}}});
  y = b.add("Relu", {y});
  return b.result(b.add("Gemm", {y, b.weight("fc2.weight", {3, 11}), b.weight("fc2.bias", {3})},
                        {{"transB", std::int64_t{1}}}));
}

std::vector<NamedGraph> graphs() {
  return {{"mlp", mlp(), randn({5, 7})},
          {"cnn", cnn(), randn({3, 2, 9, 7})},
          {"recurrent", recurrent(), randint(11, {3, 5})},
          {"transformer", transformer(), randn({2, 5, 6})}};
}

}  // namespace heed::onnx
