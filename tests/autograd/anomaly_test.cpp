#include "../../autograd/anomaly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../../autograd/backward.h"
#include "../../autograd/checkpoint.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/join.h"
#include "../../autograd/record.h"
#include "../support/throws.h"

namespace heed {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

Tensor leaf(const std::vector<double>& values) {
  Tensor x = tensor(values, {static_cast<Index>(values.size())}, DType::f64);
  x.set_requires_grad();
  return x;
}

TEST(Anomaly, OfAResultNamesOperatorShapesIndexAndPlace) {
  const Tensor x = tensor({1, 2, 3, 4, 5, -6}, {2, 3}, DType::f64);
  EXPECT_TRUE(std::isnan(sqrt(x).array().to_vector<double>()[5]));
  const DetectAnomaly anomaly;
  const AnomalyScope outer("encoder");
  const AnomalyScope inner("layer 2");
  const std::string text = message_of<AnomalyError>([&] { sqrt(x); });
  EXPECT_THAT(text, StartsWith("anomaly: sqrt made nan at [1, 2] of f64[2, 3] from f64[2, 3], in "
                               "encoder (anomaly_test.cpp:"));
  EXPECT_THAT(text, ContainsRegex("\\(anomaly_test.cpp:[0-9]+\\) > layer 2 \\(anomaly_test.cpp:"));
  EXPECT_THAT(text, ContainsRegex("frames: addr2line -Cfpe .*heed_autograd_tests 0x[0-9a-f]+"));
}

TEST(Anomaly, OfAGradientNamesWhereItsOperatorWasMade) {
  const Tensor x = leaf({4, 9, 0});
  const DetectAnomaly anomaly;
  Tensor y;
  {
    const AnomalyScope scope("distance");
    y = sqrt(x);
  }
  const AnomalyScope elsewhere("loss");
  const std::string text = message_of<AnomalyError>([&] { sum(y * 3).backward(); });
  EXPECT_THAT(text,
              StartsWith("anomaly: the derivative of sqrt gave inf at [2] of f64[3] for input "
                         "0; forward: sqrt of f64[3], in distance (anomaly_test.cpp:"));
  EXPECT_THAT(text, Not(HasSubstr("loss")));
  EXPECT_FALSE(x.grad().defined());
}

TEST(Anomaly, OfOperatorsRecordedBeforeSaysSo) {
  const Tensor x = leaf({4, 9, 0});
  const Tensor y = sum(sqrt(x));
  const DetectAnomaly anomaly;
  EXPECT_ERROR(AnomalyError,
               "anomaly: the derivative of sqrt gave inf at [2] of f64[3] for input 0; sqrt was "
               "recorded outside of DetectAnomaly",
               y.backward());
}

// Whichever way an operator is recorded: its result is looked at, its derivative knows where it was made.
TEST(Anomaly, SeesEachWayOfRecording) {
  const Tensor x = leaf({2, 3}), y = leaf({5, 7});
  const auto bad = [] { return tensor({kInf, 1}, {2}, DType::f64); };
  const auto one = [&](const Array& out) {
    return record(
        "one", out, {x, y}, [=](const Tensor&) { return bad(); },
        [=](const Tensor&) { return bad(); });
  };
  const auto shared = [&](const Array& out) {
    const InputRef both[] = {x, y};
    return record_shared("shared", out, both, [=](const Tensor&, const std::array<bool, 2>&) {
      return std::array<Tensor, 2>{bad(), bad()};
    });
  };
  const auto joint = [&](const Array& out) {
    return record_joint("joint", {x.array(), out}, {x, y}, [=](const Gradients&, const auto&) {
      return Gradients{bad(), bad()};
    })[1];
  };
  const std::vector<std::pair<std::string, std::function<Tensor(const Array&)>>> ways = {
      {"one", one}, {"shared", shared}, {"joint", joint}};
  const DetectAnomaly anomaly;
  for (const auto& [name, record_it] : ways) {
    SCOPED_TRACE(name);
    EXPECT_THAT(message_of<AnomalyError>([&] {
                  record_it(tensor({1, kNan}, {2}, DType::f64).array());
                }),
                StartsWith("anomaly: " + name + " made nan at [1] of f64[2] from f64[2], f64[2]"));
    const Tensor good = record_it(x.array());
    EXPECT_THAT(message_of<AnomalyError>([&] { sum(good).backward(); }),
                StartsWith("anomaly: the derivative of " + name +
                           " gave inf at [0] of f64[2] for input 0; "
                           "forward: " +
                           name + " of f64[2], f64[2]"));
  }
}

TEST(Anomaly, NamesTheInputThatBroughtIt) {
  const DetectAnomaly anomaly;
  EXPECT_THAT(
      message_of<AnomalyError>([] {
        tensor({1, 2}, {2}, DType::f64) + tensor({1, kNan}, {2}, DType::f64);
      }),
      StartsWith(
          "anomaly: add made nan at [1] of f64[2] from f64[2], f64[2]; input 1 holds nan at [1]"));
}

// The first NaN is what matters, not an infinity before it.
TEST(Anomaly, NamesTheInputThatIsNoNumberBehindOneThatIsInfinite) {
  const DetectAnomaly anomaly;
  EXPECT_THAT(message_of<AnomalyError>([] {
                tensor({kInf, 2}, {2}, DType::f64) + tensor({1, kNan}, {2}, DType::f64);
              }),
              HasSubstr("; input 1 holds nan at [1]"));
}

TEST(Anomaly, NamesEightInputsAtMost) {
  const DetectAnomaly anomaly;
  std::vector<Tensor> inputs(8, tensor({kNan}, {1}, DType::f64));
  EXPECT_THAT(message_of<AnomalyError>([&] { concat(inputs, 0); }), Not(HasSubstr("inputs)")));
  inputs.push_back(inputs[0]);
  EXPECT_THAT(message_of<AnomalyError>([&] { concat(inputs, 0); }),
              HasSubstr("from f64[1], f64[1], f64[1], f64[1], f64[1], f64[1], f64[1], f64[1], ... "
                        "(9 inputs)"));
}

TEST(Anomaly, LetsInfinitiesPassThatWereGiven) {
  const DetectAnomaly anomaly;
  const Tensor masked = tensor({1, -kInf, 2}, {3}, DType::f64);
  EXPECT_NO_THROW(softmax(masked + 1, 0));
  EXPECT_NO_THROW(masked_fill(ones({3}), tensor({1, 0, 0}, {3}).array().to(DType::boolean), -kInf));
  EXPECT_THROW(masked - masked, AnomalyError);  // NaN
  EXPECT_THROW(log(zeros({3})), AnomalyError);  // made here
  const DetectAnomaly lenient(false);
  EXPECT_NO_THROW(log(zeros({3})));
  EXPECT_THROW(log(-ones({3})), AnomalyError);
}

TEST(Anomaly, LooksAtGivenGradientsAndHooks) {
  const Tensor x = leaf({1, 2});
  const DetectAnomaly anomaly;
  EXPECT_ERROR(AnomalyError, "anomaly: backward gave nan at [0] of f64[2]",
               (x * x).backward(tensor({kNan, 1}, {2}, DType::f64)));
  x.register_hook([](const Tensor&) { return tensor({0, -kInf}, {2}, DType::f64); });
  EXPECT_ERROR(AnomalyError, "anomaly: a hook gave -inf at [1] of f64[2]", sum(x).backward());
}

TEST(Anomaly, NamesTheDerivativeInSecondOrder) {
  const Tensor x = leaf({1, 0});
  const DetectAnomaly anomaly;
  const Tensor y = sum(sqrt(x * x * x * x * x));
  const auto pow = [](const Tensor& t) {  // t^1.5 with a derivative that is fine at 0, once
    return record("pow", (t.detach() * sqrt(t.detach())).array(), {t},
                  [t = Saved(t)](const Tensor& g) { return 1.5 * g * sqrt(t()); });
  };
  const Tensor g = grad({sum(pow(x))}, {x}, {}, {.create_graph = true})[0];
  EXPECT_THAT(message_of<AnomalyError>([&] { sum(g).backward(); }),
              ContainsRegex("the derivative of sqrt gave inf at \\[1\\].*; forward: sqrt of "
                            "f64\\[2\\], in the derivative of pow"));
}

TEST(Anomaly, IsOffOutsideOfItsScopeAndChangesNothingElse) {
  const Tensor x = leaf({4, 9});
  {
    const DetectAnomaly anomaly;
    sum(sqrt(x)).backward();
    EXPECT_TRUE(sqrt(x).node()->origin());
  }
  EXPECT_EQ(x.grad().array().to_vector<double>(), (std::vector<double>{0.25, 1.0 / 6}));
  EXPECT_FALSE(sqrt(x).node()->origin());
  EXPECT_NO_THROW(sum(sqrt(x * 0)).backward());
}

TEST(Anomaly, ReachesIntoCheckpoints) {
  const Tensor x = leaf({4, 0});
  const DetectAnomaly anomaly;
  const Tensor y = checkpoint(
      [](const Tensor& a) {
        const AnomalyScope scope("inside");
        return sqrt(a);
      },
      x);
  EXPECT_THAT(message_of<AnomalyError>([&] { sum(y).backward(); }),
              StartsWith("anomaly: the derivative of sqrt gave inf at [1] of f64[2] for input 0; "
                         "forward: sqrt of f64[2], in inside (anomaly_test.cpp:"));
}

}  // namespace
}  // namespace heed
