#include <gtest/gtest.h>

#include <cmath>

#include "../../../core/error.h"
#include "../../support/numbers.h"
#include "../../support/seeded_test.h"
#include "../../support/throws.h"
#include "../one_node.h"

namespace heed::onnx {
namespace {

using OnnxActivations = SeededTest<32>;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

struct Row {
  std::string op;
  std::vector<Attribute> attributes;
  std::function<double(double)> wanted;
  std::int64_t opset = 17;
};

TEST_F(OnnxActivations, AreTheirFormulas) {
  const auto elu = [](double x, double a) { return x > 0 ? x : a * std::expm1(x); };
  const std::vector<Row> rows = {
      {"Relu", {}, [](double x) { return std::max(x, 0.0); }},
      {"Sigmoid", {}, logistic},
      {"Tanh", {}, [](double x) { return std::tanh(x); }},
      {"Softplus", {}, [](double x) { return std::log1p(std::exp(x)); }},
      {"Softsign", {}, [](double x) { return x / (1 + std::abs(x)); }},
      {"Mish", {}, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }, 18},
      {"HardSwish", {}, [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
      {"LeakyRelu", {}, [](double x) { return x > 0 ? x : 0.01 * x; }},
      {"LeakyRelu", {{"alpha", 0.25F}}, [](double x) { return x > 0 ? x : 0.25 * x; }},
      {"Elu", {}, [=](double x) { return elu(x, 1); }},
      {"Elu", {{"alpha", 0.5F}}, [=](double x) { return elu(x, 0.5); }},
      {"Selu", {}, [=](double x) { return 1.05070102214813 * elu(x, 1.67326319217681); }},
      {"Selu", {{"alpha", 1.5F}, {"gamma", 2.0F}}, [=](double x) { return 2 * elu(x, 1.5); }},
      {"Celu",
       {{"alpha", 0.5F}},
       [](double x) { return std::max(0.0, x) + std::min(0.0, 0.5 * std::expm1(x / 0.5)); }},
      {"ThresholdedRelu", {{"alpha", 0.5F}}, [](double x) { return x > 0.5 ? x : 0; }},
      {"HardSigmoid",
       {{"alpha", 0.25F}, {"beta", 0.75F}},
       [](double x) { return std::clamp(0.25 * x + 0.75, 0.0, 1.0); }},
      {"HardSigmoid", {}, [](double x) { return std::clamp(0.2 * x + 0.5, 0.0, 1.0); }},
      {"Gelu", {}, [](double x) { return x * (1 + std::erf(x / std::sqrt(2))) / 2; }, 20},
      {"Gelu",
       {{"approximate", std::string("tanh")}},
       [](double x) {
         return x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))) / 2;
       },
       20},
      {"Swish", {{"alpha", 0.5F}}, [](double x) { return x * logistic(0.5 * x); }, 24},
      {"Swish", {}, [](double x) { return x * logistic(x); }, 24}};
  const Tensor x = random({3, 5, 7}) * 2;
  for (const Row& row : rows)
    EXPECT_LT(difference(OneNode{row.op, row.attributes, row.opset}(x), each(x, row.wanted)), 1e-9)
        << row.op;
}

TEST_F(OnnxActivations, PReluHasASlopeThatBroadcasts) {
  const Tensor x = random({2, 3, 5}), slope = random({3, 1});
  const Tensor wanted = made({2, 3, 5}, [&](const Place& p) {
    const double v = at(x, p);
    return v > 0 ? v : v * at(slope, {p[1], 0});
  });
  EXPECT_EQ(difference(OneNode{"PRelu"}(x, slope), wanted), 0);
}

TEST_F(OnnxActivations, RefuseWhatTheyDoNotKnow) {
  const Tensor x = random({3});
  EXPECT_ERROR(FormatError,
               "f: at byte 6: onnx: Gelu \"y0\": attribute approximate = \"some\" is not "
               "supported, \"none\" is",
               OneNode{"Gelu", {{"approximate", std::string("some")}}, 20}(x));
  EXPECT_ERROR_WITH(FormatError, "Celu \"y0\": attribute alpha is 0",
                    OneNode{"Celu", {{"alpha", 0.0F}}}(x));
  EXPECT_ERROR_WITH(FormatError, "Relu \"y0\": attribute \"beta\" is not known",
                    OneNode{"Relu", {{"beta", 1.0F}}}(x));
  EXPECT_ERROR_WITH(FormatError, "Elu \"y0\": attribute alpha is of another type",
                    OneNode{"Elu", {{"alpha", std::int64_t{1}}}}(x));
  EXPECT_ERROR_WITH(FormatError, "Relu \"y0\": 2 inputs, where there are 1", OneNode{"Relu"}(x, x));
  EXPECT_ERROR_WITH(DTypeError, "Relu \"y0\": relu", OneNode{"Relu"}(ints({1})));
}

}  // namespace
}  // namespace heed::onnx
