#include "../../onnx/export.h"

#include "../../attention/attention.h"
#include "../../autograd/autograd.h"
#include "../../core/error.h"
#include "../../nn/nn.h"
#include "../../onnx/read_model.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::onnx {
namespace {

using Types = std::vector<std::string>;

Types types(const Model& model) {
  Types out;
  for (const Node& node : model.graph.nodes) out.push_back(node.op_type);
  return out;
}

Names initializers(const Model& model) {
  Names out;
  for (const TensorValue& each : model.graph.initializers) out.push_back(each.name);
  return out;
}

Forward one(const std::function<Tensor(const Tensor&)>& f) {
  return [f](const std::vector<Tensor>& x) { return std::vector<Tensor>{f(x[0])}; };
}

// Of a function of one input, without a module of its own.
Model exported(const Input& input, const std::function<Tensor(const Tensor&)>& f,
               const ExportOptions& options = {}) {
  nn::Linear none(1, 1);
  return export_model(none, {input}, one(f), options);
}

std::string refused(const Input& input, const std::function<Tensor(const Tensor&)>& f) {
  return message_of<ValueError>([&] { exported(input, f); });
}

using Dims = std::vector<Dim>;

TEST(Export, APerceptronIsTwoProducts) {
  nn::Sequential net(nn::Linear(7, 11), nn::ReLU(), nn::Linear(11, 3));
  const Model model =
      export_model(net, {{"x", randn({2, 7})}}, one([&](auto& x) { return net(x); }));
  EXPECT_EQ(types(model), (Types{"Gemm", "Relu", "Gemm", "Identity"}));
  EXPECT_EQ(initializers(model), (Names{"0.weight", "0.bias", "2.weight", "2.bias"}));
  EXPECT_EQ(model.opsets.at(""), 17);
  ASSERT_EQ(model.graph.inputs.size(), 1u);
  EXPECT_EQ(model.graph.inputs[0].name, "x");
  EXPECT_EQ(*model.graph.inputs[0].shape, (Dims{"batch", std::int64_t{7}}));
  ASSERT_EQ(model.graph.outputs.size(), 1u);
  EXPECT_EQ(model.graph.outputs[0].name, "output");
  EXPECT_EQ(*model.graph.outputs[0].shape, (Dims{"batch", std::int64_t{3}}));
  EXPECT_EQ(model.graph.nodes[2].name, "2/Gemm");
}

TEST(Export, WritesAFileThatIsReadBack) {
  nn::Sequential net(nn::Linear(7, 3), nn::Tanh());
  const TemporaryFolder folder;
  const std::string path = folder / "exported.onnx";
  write(path, net, {{"x", randn({2, 7})}});
  const Model model = read_model(path);
  EXPECT_EQ(types(model), (Types{"Gemm", "Tanh", "Identity"}));
  EXPECT_EQ(model.producer_name, "heed");
  EXPECT_EQ(model.graph.initializers[0].array.to_vector<float>(),
            net.parameters()[0].to_vector<float>());
}

TEST(Export, ParametersHaveTheirNamesAndLayouts) {
  nn::GRU gru(nn::GRUOptions{.input = 3, .hidden = 5, .bidirectional = true});
  const Model model = export_model(gru, {{"x", randn({2, 4, 3}), {"batch", "length"}}},
                                   one([&](auto& x) { return gru(x).output; }));
  const Names names = initializers(model);
  for (const auto& [name, parameter] : gru.named_parameters()) {
    const auto found = std::find(names.begin(), names.end(), name);
    ASSERT_NE(found, names.end()) << name;
    EXPECT_EQ(
        model.graph.initializers[static_cast<std::size_t>(found - names.begin())].array.shape(),
        parameter.shape());
  }
  const Types all = types(model);
  EXPECT_EQ(std::count(all.begin(), all.end(), "GRU"), 1);
  EXPECT_EQ(*model.graph.outputs[0].shape, (Dims{"batch", "length", std::int64_t{10}}));
}

TEST(Export, ResultsThatFollowSizesAreSaidByThem) {
  const Model model = exported({"x", randn({2, 3, 5}), {"batch", "length"}}, [](const Tensor& x) {
    return reshape(concat({x, x}, 1), {x.size(0) * 2 * x.size(1), 5});
  });
  EXPECT_EQ(*model.graph.outputs[0].shape, (Dims{"2 batch length", std::int64_t{5}}));
}

TEST(Export, IsInEvaluationModeAndGoesBack) {
  nn::Sequential net(nn::Linear(3, 5), nn::Dropout(0.5), nn::Linear(5, 2));
  net.children()[2].second->train(false);
  const Model model =
      export_model(net, {{"x", randn({2, 3})}}, one([&](auto& x) { return net(x); }));
  EXPECT_EQ(types(model), (Types{"Gemm", "Gemm", "Identity"}));
  EXPECT_TRUE(net.training());
  EXPECT_TRUE(net.children()[1].second->training());
  EXPECT_FALSE(net.children()[2].second->training());
}

TEST(Export, MasksAndPlacesFollowTheSizes) {
  const auto count = [](const Model& model, const std::string& type) {
    const Types all = types(model);
    return std::count(all.begin(), all.end(), type);
  };
  const Input x{"x", randn({2, 4, 6}), {"batch", "length"}};
  attention::MultiHead heads(attention::MultiHeadOptions{.width = 6, .heads = 3, .rotary = true});
  const Model model = export_model(heads, {x}, one([&](auto& y) {
                                     return heads(y, {.mask = attention::Mask::causal()}).context;
                                   }));
  EXPECT_GE(count(model, "Range"), 1);
  EXPECT_EQ(count(model, "Softmax"), 1);
  EXPECT_GE(count(model, "Cos"), 1);
  for (const TensorValue& each : model.graph.initializers) {
    EXPECT_LE(each.array.numel(), 3 * 6 * 6) << each.name;  // nothing of [length, length]
  }
}

TEST(Export, LengthsThatWentThroughAVectorAreTheInput) {
  nn::LSTM lstm(nn::LSTMOptions{.input = 3, .hidden = 5});
  const Model model = export_model(
      lstm,
      {{"x", randn({3, 4, 3}), {"batch", "length"}}, {"lengths", tensor({2, 4, 3}), {"batch"}}},
      [&](const std::vector<Tensor>& x) {
        return std::vector<Tensor>{lstm(x[0], x[1].to_vector<Index>()).output};
      });
  for (const Node& node : model.graph.nodes) {
    if (node.op_type == "Cast") {
      EXPECT_EQ(node.inputs, (Names{"lengths"}));
    }
  }
}

TEST(Export, RefusesAnOperatorWithoutAForm) {
  nn::Sequential net(nn::Linear(3, 3));
  class Volume final : public nn::Module {
   public:
    nn::Linear& inner = child<nn::Linear>("inner", 3, 3);
    Tensor operator()(const Tensor& x) const {
      const Scope scope(*this);
      const Tensor y = inner(x);
      return logdet(matmul(transpose(y, 0, 1), y) + eye(3));
    }
  };
  class Outer final : public nn::Module {
   public:
    Volume& memory = child<Volume>("memory");
  } outer;
  EXPECT_ERROR(
      ValueError, "onnx: operator logdet in module memory: it has no form in ONNX",
      export_model(outer, {{"x", randn({2, 3})}}, one([&](auto& x) { return outer.memory(x); })));
}

TEST(Export, RefusesALoopOverANamedAxis) {
  const auto loop = [](const Tensor& x) {
    Tensor state = zeros({x.size(0), x.size(2)});
    for (Index t = 0; t < x.size(1); ++t) state = tanh(select(x, 1, t) + state);
    return state;
  };
  const Tensor x = randn({2, 4, 3});
  EXPECT_EQ(refused({"x", x, {"batch", "length"}}, loop),
            "onnx: the model does one thing at batch 2, length 4 and another at batch 3, length 5: "
            "its 12 operators and its 15 part at number 12, the end and select. A loop over an "
            "axis can be "
            "exported at one size, by an axis without a name; what numbers decide has no form in a "
            "graph");
  EXPECT_EQ(*exported({"x", x}, loop).graph.outputs[0].shape, (Dims{"batch", std::int64_t{3}}));
}

TEST(Export, RefusesWhatNumbersDecide) {
  const auto decided = [](const Tensor& x) {
    return x.sum().item() > 0.3 * static_cast<double>(x.numel()) ? exp(x) : tanh(x);
  };
  EXPECT_TRUE(refused({"x", tensor({{1.0, -1.0, 2.0}, {0.25, -2.0, 1.0}})}, decided)
                  .starts_with("onnx: the model does one thing at batch 2 and another at batch"));
}

TEST(Export, RefusesNumbersThatNoOperatorMade) {
  // A copy of an input is known for one; a function of its numbers is not.
  EXPECT_EQ(types(exported({"x", randn({2, 3})},
                           [](const Tensor& x) {
                             return x * Tensor(Array::from(x.to_vector<float>(), x.shape()));
                           })),
            (Types{"Mul", "Identity"}));
  EXPECT_EQ(refused({"x", randn({2, 3})},
                    [](const Tensor& x) {
                      std::vector<float> numbers = x.to_vector<float>();
                      for (float& number : numbers) number = number * number;
                      return x + Tensor(Array::from(numbers, x.shape()));
                    }),
            "onnx: operator add: it reads f32[2, 3], at other sizes f32[3, 3], which no traced "
            "operator made and no known rule of the sizes explains: the graph would hold the "
            "numbers as they were");
}

TEST(Export, RefusesNamesThatAreTaken) {
  nn::Linear net(3, 5);
  const auto named = [&](const std::string& input, const Names& outputs) {
    export_model(net, {{input, randn({2, 3})}},
                 [&](const std::vector<Tensor>& x) {
                   const Tensor y = net(x[0]);
                   return std::vector<Tensor>{y, y * 2};
                 },
                 {.outputs = outputs});
  };
  EXPECT_ERROR(ValueError, "onnx: an input has the name \"weight\" of a parameter",
               named("weight", {}));
  EXPECT_ERROR(ValueError, "onnx: an output has the name \"bias\" of a parameter",
               named("x", {"y", "bias"}));
  EXPECT_ERROR(ValueError, "onnx: an output has the name \"x\" of an input",
               named("x", {"x", "y"}));
  EXPECT_ERROR(ValueError, "onnx: an output has the name \"y\" of an output",
               named("x", {"y", "y"}));
  EXPECT_ERROR(ValueError, "onnx: the name of an output is empty", named("x", {"y", ""}));
  EXPECT_ERROR(ValueError, "onnx: the largest length is 7, but no input has an axis of this name",
               exported({"x", randn({2, 3})}, [](const Tensor& x) { return x * 2; },
                        {.largest = {{"batch", 512}, {"length", 7}}}));
}

TEST(Export, ABoundThatNoPassMeetsStaysInTheGraph) {
  const Input x{"x", randn({2, 3, 5}), {"batch", "length"}};
  const auto first = [&](Index count) {
    return types(exported(x, [=](const Tensor& y) { return slice(y, 1, 0, count); }));
  };
  EXPECT_EQ(first(512), (Types{"Slice", "Identity"}));
  EXPECT_EQ(first(INT64_MAX), (Types{"Identity", "Identity"}));
  EXPECT_EQ(types(exported(x, [](const Tensor& y) { return slice(y, 2, 0, 11); })),
            (Types{"Identity", "Identity"}));
  EXPECT_EQ(types(exported(x, [](const Tensor& y) { return slice(y, 1, 0, y.size(1)); })),
            (Types{"Identity", "Identity"}));
}

TEST(Export, RefusesInputsThatCannotBeFollowed) {
  const auto same = [](const Tensor& x) { return x; };
  EXPECT_EQ(refused({"ids", zeros({2, 3}, DType::i64)}, same),
            "onnx: the example of input ids holds 0 alone: it needs two different numbers, or one "
            "above 1, for what follows from them to be told");
  EXPECT_EQ(refused({"", randn({2})}, same), "onnx: an input's name \"\" is empty or taken");
  EXPECT_ERROR(IndexError, "onnx: 2 names of axes for input x, f32[2]",
               exported({"x", randn({2}), {"batch", "length"}}, same));
  EXPECT_ERROR(ShapeError, "onnx: the example of input x is empty: f32[0, 3]",
               exported({"x", zeros({0, 3})}, same));
  EXPECT_ERROR(GradError, "onnx: the example of input x is undefined",
               exported({"x", Tensor(), {}}, same));
  EXPECT_ERROR(ValueError, "onnx: 2 names for 1 outputs: a, b",
               exported({"x", randn({2})}, same, {.outputs = {"a", "b"}}));
}

}  // namespace
}  // namespace heed::onnx
