#include "../../onnx/trace.h"

#include "../../autograd/autograd.h"
#include "../../nn/nn.h"
#include "../support/throws.h"

namespace heed::onnx {
namespace {

std::vector<std::string> ops(const Trace& trace) {
  std::vector<std::string> out;
  for (const TracedCall& call : trace.calls) out.push_back(call.op);
  return out;
}

using Ops = std::vector<std::string>;

TEST(Trace, HoldsWhatResultsNeedInOrder) {
  nn::Linear layer(3, 5);
  const Trace made = trace(layer,
                           [&](const std::vector<Tensor>& x) {
                             exp(x[0]);  // nobody reads it
                             return std::vector<Tensor>{tanh(layer(x[0])) + 1};
                           },
                           {randn({2, 3})});
  EXPECT_EQ(ops(made), (Ops{"linear", "tanh", "add"}));
  const TracedCall& linear = made.calls[0];
  ASSERT_EQ(linear.inputs.size(), 3u);
  const auto value = [&](Index id) { return made.values[static_cast<std::size_t>(id)]; };
  EXPECT_EQ(value(linear.inputs[0]).kind, TracedValue::Kind::input);
  EXPECT_EQ(value(linear.inputs[1]).kind, TracedValue::Kind::parameter);
  EXPECT_EQ(value(linear.inputs[1]).name, "weight");
  EXPECT_EQ(value(linear.inputs[2]).name, "bias");
  EXPECT_EQ(value(made.calls[2].inputs[1]).kind, TracedValue::Kind::constant);
  EXPECT_EQ(made.results, (std::vector<Index>{made.calls[2].outputs[0]}));
}

TEST(Trace, OperatorsSayWhatDecidesTheirResult) {
  nn::Linear none(1, 1);
  const auto traced = [&](const std::function<Tensor(const Tensor&)>& f) {
    const Trace made =
        trace(none, [&](const std::vector<Tensor>& x) { return std::vector<Tensor>{f(x[0])}; },
              {randn({2, 3, 5})});
    return made.calls.at(0);
  };
  const auto number = [](const TracedCall& call, const char* name) {
    return std::get<Index>(call.said.at(name));
  };
  const auto numbers = [](const TracedCall& call, const char* name) {
    return std::get<std::vector<Index>>(call.said.at(name));
  };
  using Numbers = std::vector<Index>;
  EXPECT_EQ(numbers(traced([](auto x) { return sum(x, {-1, 0}, true); }), "axes"), (Numbers{0, 2}));
  EXPECT_EQ(number(traced([](auto x) { return sum(x, 1, true); }), "keepdim"), 1);
  EXPECT_EQ(number(traced([](auto x) { return softmax(x, -2); }), "axis"), -2);
  EXPECT_EQ(numbers(traced([](auto x) {
                      return permute(x, {2, 0, 1});
                    }),
                    "axes"),
            (Numbers{2, 0, 1}));
  EXPECT_EQ(number(traced([](auto x) { return slice(x, 1, 1, 3); }), "start"), 1);
  EXPECT_EQ(numbers(traced([](auto x) {
                      return split(x, {1, 2}, 1)[1];
                    }),
                    "lengths"),
            (Numbers{1, 2}));
  EXPECT_EQ(std::get<double>(traced([](auto x) { return leaky_relu(x, 0.25); }).said.at("a")),
            0.25);
  EXPECT_EQ(traced([](auto x) { return x > 0.0; }).op, "gt");
  EXPECT_EQ(number(traced([](auto x) { return argmax(x, 1); }), "axis"), 1);
  EXPECT_EQ(traced([](auto x) {
              return gather(x, 1, zeros({2, 1, 5}, DType::i64));
            })
                .operands.at(0)
                .first,
            "index");
}

TEST(Trace, NamesTheModuleThatCalled) {
  nn::Sequential net(nn::Linear(3, 5), nn::Tanh());
  const Trace made =
      trace(net, [&](const std::vector<Tensor>& x) { return std::vector<Tensor>{net(x[0])}; },
            {randn({2, 3})});
  ASSERT_EQ(made.calls.size(), 2u);
  EXPECT_EQ(made.calls[0].path, "0");
  EXPECT_EQ(made.calls[1].path, "1");
}

TEST(Trace, FusedOperatorsGiveWayToTheirDefinitionsOnThisThreadAlone) {
  const RnnWeights weights{randn({12, 3}), randn({12, 4}), Tensor(), Tensor()};
  const Tensor x = randn({2, 3}), h = randn({2, 4});
  const Tensor fused = gru_cell(x, h, weights);
  nn::Linear none(1, 1);
  Tensor plain;
  const Trace made = trace(none,
                           [&](const std::vector<Tensor>&) {
                             plain = gru_cell(x, h, weights);
                             return std::vector<Tensor>{plain};
                           },
                           {x});
  EXPECT_TRUE(allclose(plain, fused, 1e-5, 1e-6));
  EXPECT_FALSE(traced());
  for (const std::string& op : ops(made)) EXPECT_NE(op, "gru");
}

TEST(Trace, ANumberWrittenInPlaceIsAnotherValue) {
  nn::Linear none(1, 1);
  const Trace made = trace(none,
                           [&](const std::vector<Tensor>& x) {
                             const Tensor y = x[0] * 2;
                             y.add_(1);
                             return std::vector<Tensor>{y * 3};
                           },
                           {randn({2, 3})});
  // What was written is no longer the product, but numbers of nobody.
  EXPECT_EQ(ops(made), (Ops{"mul"}));
  const Index read = made.calls[0].inputs[0];
  EXPECT_EQ(made.values[static_cast<std::size_t>(read)].kind, TracedValue::Kind::constant);
}

TEST(Trace, OneObserverAtATime) {
  nn::Linear none(1, 1);
  const auto inner = [&](const std::vector<Tensor>& x) {
    return std::vector<Tensor>{
        none(trace(
                 none, [&](const auto& y) { return std::vector<Tensor>{none(y[0])}; }, x)
                 .inputs.at(0))};
  };
  EXPECT_ERROR(ValueError, "observer: another profiler or summary is at work",
               trace(none, inner, {randn({2, 1})}));
}

}  // namespace
}  // namespace heed::onnx
