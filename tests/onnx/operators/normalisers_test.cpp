#include <gtest/gtest.h>

#include <cmath>

#include "../../../core/error.h"
#include "../../support/numbers.h"
#include "../../support/seeded_test.h"
#include "../../support/throws.h"
#include "../one_node.h"

namespace heed::onnx {
namespace {

using OnnxNormalisers = SeededTest<42>;
constexpr double kClose = 1e-12;

TEST_F(OnnxNormalisers, SoftmaxBeforeVersion13IsOverAllThatFollows) {
  const Tensor x = random({3, 5, 7});
  const auto wanted = [&](bool one_axis, bool log) {
    return made({3, 5, 7}, [&](const Place& p) {
      double sum = 0;
      for (Index i = 0; i < 5; ++i) {
        if (one_axis) sum += std::exp(at(x, {p[0], i, p[2]}));
        for (Index j = 0; j < 7 && !one_axis; ++j) sum += std::exp(at(x, {p[0], i, j}));
      }
      const double out = std::exp(at(x, p)) / sum;
      return log ? std::log(out) : out;
    });
  };
  const std::vector<Attribute> axis = {{"axis", std::int64_t{1}}};
  EXPECT_LT(difference(OneNode{"Softmax", axis, 13}(x), wanted(true, false)), kClose);
  EXPECT_LT(difference(OneNode{"LogSoftmax", axis, 13}(x), wanted(true, true)), kClose);
  EXPECT_LT(difference(OneNode{"Softmax", axis, 12}(x), wanted(false, false)), kClose);
  EXPECT_LT(difference(OneNode{"Softmax", {}, 12}(x), wanted(false, false)), kClose);  // at first 1
  EXPECT_LT(difference(OneNode{"LogSoftmax", axis, 12}(x), wanted(false, true)), kClose);
  EXPECT_LT(difference(OneNode{"Softmax"}(x), OneNode{"Softmax", {{"axis", std::int64_t{2}}}}(x)),
            kClose);
  EXPECT_ERROR_WITH(ShapeError, "Softmax", (OneNode{"Softmax", {{"axis", std::int64_t{3}}}}(x)));
}

// (x - mean) / sqrt(variance + eps) over the places that `same` says belong to p's.
Tensor normalised(const Tensor& x, double eps, bool centred,
                  const std::function<bool(const Place&, const Place&)>& same) {
  return made(x.shape(), [&](const Place& p) {
    double sum = 0, squares = 0, count = 0;
    made(x.shape(), [&](const Place& q) {
      if (!same(p, q)) return 0.0;
      const double v = at(x, q);
      sum += v, squares += v * v, ++count;
      return 0.0;
    });
    const double mean = centred ? sum / count : 0;
    return (at(x, p) - mean) / std::sqrt(squares / count - mean * mean + eps);
  });
}
Tensor scaled(const Tensor& x, const std::function<double(const Place&)>& weight,
              const std::function<double(const Place&)>& bias) {
  return made(x.shape(), [&](const Place& p) { return at(x, p) * weight(p) + bias(p); });
}
constexpr float kEps = 0.125F;
const std::vector<Attribute>& eps() {
  static const std::vector<Attribute> out = {{"epsilon", kEps}};
  return out;
}

TEST_F(OnnxNormalisers, OfRows) {
  const Tensor x = random({2, 3, 5}), w = random({3, 5}), b = random({3, 5});
  const auto row = [](const Place& p, const Place& q) { return p[0] == q[0]; };
  std::vector<Attribute> attributes = eps();
  attributes.push_back({"axis", std::int64_t{1}});
  const auto weight = [&](const Place& p) { return at(w, {p[1], p[2]}); };
  EXPECT_LT(difference(OneNode{"LayerNormalization", attributes}(x, w, b),
                       scaled(normalised(x, kEps, true, row), weight,
                              [&](const Place& p) {
                                return at(b, {p[1], p[2]});
                              })),
            kClose);
  EXPECT_LT(
      difference(OneNode{"LayerNormalization", attributes}(x, w),
                 scaled(normalised(x, kEps, true, row), weight, [](const Place&) { return 0.0; })),
      kClose);
  EXPECT_LT(
      difference(OneNode{"RMSNormalization", attributes, 23}(x, w),
                 scaled(normalised(x, kEps, false, row), weight, [](const Place&) { return 0.0; })),
      kClose);
  const Tensor short_one = random({5});
  EXPECT_LT(difference(OneNode{"LayerNormalization", attributes}(x, short_one),
                       scaled(
                           normalised(x, kEps, true, row),
                           [&](const Place& p) { return at(short_one, {p[2]}); },
                           [](const Place&) { return 0.0; })),
            kClose);
  EXPECT_ERROR_WITH(FormatError, "result 1 (\"y1\") is not supported",
                    (OneNode{.op = "LayerNormalization", .results = 2}(x, w)));
}

TEST_F(OnnxNormalisers, OfChannels) {
  const Tensor x = random({2, 6, 5}), w = random({6}), b = random({6});
  const auto weight = [&](const Place& p) { return at(w, {p[1]}); };
  const auto bias = [&](const Place& p) { return at(b, {p[1]}); };
  EXPECT_LT(difference(OneNode{"InstanceNormalization", eps()}(x, w, b),
                       scaled(normalised(x, kEps, true,
                                         [](const Place& p, const Place& q) {
                                           return p[0] == q[0] && p[1] == q[1];
                                         }),
                              weight, bias)),
            kClose);
  const Tensor grouped = normalised(x, kEps, true, [](const Place& p, const Place& q) {
    return p[0] == q[0] && p[1] / 2 == q[1] / 2;
  });
  std::vector<Attribute> attributes = eps();
  attributes.push_back({"num_groups", std::int64_t{3}});
  EXPECT_LT(difference(OneNode{"GroupNormalization", attributes, 21}(x, w, b),
                       scaled(grouped, weight, bias)),
            kClose);
  const Tensor w3 = random({3}), b3 = random({3});
  EXPECT_LT(difference(OneNode{"GroupNormalization", attributes, 18}(x, w3, b3),
                       scaled(
                           grouped, [&](const Place& p) { return at(w3, {p[1] / 2}); },
                           [&](const Place& p) { return at(b3, {p[1] / 2}); })),
            kClose);
  EXPECT_ERROR_WITH(
      ShapeError, "6 channels in 4 groups",
      (OneNode{"GroupNormalization", {{"num_groups", std::int64_t{4}}}, 18}(x, w3, b3)));
  EXPECT_ERROR_WITH(FormatError, "attribute num_groups is missing",
                    (OneNode{"GroupNormalization", {}, 18}(x, w3, b3)));
}

TEST_F(OnnxNormalisers, BatchNormalizationFollowsTheModulesMode) {
  const Tensor x = random({7, 3, 5}), w = random({3}), b = random({3}), mean = random({3});
  const Tensor variance = each(random({3}), [](double v) { return v * v + 0.5; });
  const OneNode node{"BatchNormalization", eps()};
  EXPECT_LT(
      difference(node(x, w, b, mean, variance),
                 made({7, 3, 5},
                      [&](const Place& p) {
                        return (at(x, p) - at(mean, {p[1]})) /
                                   std::sqrt(at(variance, {p[1]}) + static_cast<double>(kEps)) *
                                   at(w, {p[1]}) +
                               at(b, {p[1]});
                      })),
      kClose);
  OneNode training = node;
  training.training = true;
  const Tensor moved_mean = mean.clone(), moved_variance = variance.clone();
  EXPECT_LT(difference(training(x, w, b, moved_mean, moved_variance),
                       scaled(
                           normalised(x, kEps, true,
                                      [](const Place& p, const Place& q) { return p[1] == q[1]; }),
                           [&](const Place& p) { return at(w, {p[1]}); },
                           [&](const Place& p) { return at(b, {p[1]}); })),
            kClose);
  EXPECT_LT(difference(moved_mean, made({3},
                                        [&](const Place& p) {
                                          double sum = 0;
                                          for (Index i = 0; i < 7; ++i)
                                            for (Index j = 0; j < 5; ++j)
                                              sum += at(x, {i, p[0], j});
                                          return static_cast<double>(0.9F) * at(mean, p) +
                                                 (1 - static_cast<double>(0.9F)) * sum / 35;
                                        })),
            1e-7);
  EXPECT_ERROR_WITH(
      FormatError, "attribute spatial = 0 is not supported",
      (OneNode{"BatchNormalization", {{"spatial", std::int64_t{0}}}, 8}(x, w, b, mean, variance)));
  const auto all = OneNode{.op = "BatchNormalization", .results = 3, .ours_alone = true}.all(
      {x, w, b, mean, variance});  // others in training alone
  EXPECT_EQ(difference(all[1], mean), 0);
  EXPECT_EQ(difference(all[2], variance), 0);
  EXPECT_ERROR_WITH(FormatError, "result 3 (\"y3\") is not supported",
                    (OneNode{.op = "BatchNormalization", .results = 4}(x, w, b, mean, variance)));
}

TEST_F(OnnxNormalisers, DropoutDropsInTrainingAlone) {
  const Tensor x = made({101, 7}, [](const Place&) { return 1; });
  OneNode node{"Dropout"};
  EXPECT_EQ(difference(node(x), x), 0);
  node.training = true;
  const Tensor ratio = made({}, [](const Place&) { return 0.25; });
  const auto kept = [](const Tensor& out, double value) {
    Index count = 0;
    for (const double each : out.to_vector<double>()) {
      EXPECT_TRUE(each == 0 || each == value) << each;
      if (each != 0) ++count;
    }
    return count;
  };
  EXPECT_NEAR(static_cast<double>(kept(node(x, ratio), 1 / 0.75)), 530, 60);
  EXPECT_NEAR(
      static_cast<double>(kept(
          OneNode{
              .op = "Dropout", .attributes = {{"ratio", 0.75F}}, .opset = 10, .training = true}(x),
          4)),
      177, 60);
  EXPECT_NEAR(static_cast<double>(kept(node(x), 2)), 353, 70);
}

TEST_F(OnnxNormalisers, LpNormalization) {
  const Tensor x = random({3, 5});
  for (const std::int64_t p : {1, 2}) {
    const Tensor wanted = made({3, 5}, [&](const Place& q) {
      double sum = 0;
      for (Index i = 0; i < 3; ++i)
        sum += p == 1 ? std::abs(at(x, {i, q[1]})) : at(x, {i, q[1]}) * at(x, {i, q[1]});
      return at(x, q) / (p == 1 ? sum : std::sqrt(sum));
    });
    EXPECT_LT(
        difference(OneNode{"LpNormalization", {{"p", p}, {"axis", std::int64_t{0}}}}(x), wanted),
        kClose);
  }
  for (const std::int64_t p : {1, 2}) {  // zeros stay so, and get no gradient
    const Tensor rows = tensor({{0.0, 0.0}, {3.0, -4.0}}, DType::f64).set_requires_grad();
    const Tensor out =
        OneNode{.op = "LpNormalization", .attributes = {{"p", p}}, .ours_alone = true}(rows);
    EXPECT_EQ(at(out, {0, 0}), 0);
    EXPECT_EQ(at(out, {0, 1}), 0);
    EXPECT_NEAR(at(out, {1, 0}), p == 1 ? 3.0 / 7 : 0.6, 1e-15);
    sum(out * tensor({5.0, 7.0}, DType::f64)).backward();
    EXPECT_EQ(at(rows.grad(), {0, 0}), 0);
    EXPECT_EQ(at(rows.grad(), {0, 1}), 0);
    EXPECT_NEAR(at(rows.grad(), {1, 0}), p == 1 ? 48.0 / 49 : 4.0 * (4 * 5 + 3 * 7) / 125, 1e-14);
  }
  EXPECT_ERROR_WITH(FormatError, "attribute p = 3 is not supported",
                    (OneNode{"LpNormalization", {{"p", std::int64_t{3}}}}(x)));
}

}  // namespace
}  // namespace heed::onnx
