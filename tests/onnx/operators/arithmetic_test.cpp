#include <gtest/gtest.h>

#include <cmath>

#include "../../../core/error.h"
#include "../../support/numbers.h"
#include "../../support/seeded_test.h"
#include "../../support/throws.h"
#include "../one_node.h"

namespace heed::onnx {
namespace {

using OnnxArithmetic = SeededTest<31>;
constexpr double kClose = 1e-13;

using One = double (*)(double);

TEST_F(OnnxArithmetic, FunctionsOfOneNumber) {
  const std::vector<std::pair<const char*, One>> anywhere = {
      {"Neg", [](double x) { return -x; }},
      {"Abs", [](double x) { return std::abs(x); }},
      {"Sign", [](double x) { return x > 0   ? 1.0
                                     : x < 0 ? -1.0
                                             : 0.0; }},
      {"Exp", [](double x) { return std::exp(x); }},
      {"Floor", [](double x) { return std::floor(x); }},
      {"Ceil", [](double x) { return std::ceil(x); }},
      {"Round", [](double x) { return std::nearbyint(x); }},
      {"Sin", [](double x) { return std::sin(x); }},
      {"Cos", [](double x) { return std::cos(x); }},
      {"Tan", [](double x) { return std::tan(x); }},
      {"Atan", [](double x) { return std::atan(x); }},
      {"Sinh", [](double x) { return std::sinh(x); }},
      {"Cosh", [](double x) { return std::cosh(x); }},
      {"Erf", [](double x) { return std::erf(x); }},
      {"Reciprocal", [](double x) { return 1 / x; }}};
  const Tensor x = random({3, 5, 7});
  for (const auto& [op, function] : anywhere)
    EXPECT_LT(relative_difference(OneNode{op}(x), each(x, function)), kClose) << op;
  const Tensor above = each(x, [](double v) { return std::abs(v) + 0.1; });
  EXPECT_LT(difference(OneNode{"Log"}(above), each(above, [](double v) { return std::log(v); })),
            kClose);
  EXPECT_LT(difference(OneNode{"Sqrt"}(above), each(above, [](double v) { return std::sqrt(v); })),
            kClose);
  const Tensor within = each(x, [](double v) { return std::tanh(v); });
  EXPECT_LT(
      difference(OneNode{"Asin"}(within), each(within, [](double v) { return std::asin(v); })),
      kClose);
  EXPECT_LT(
      difference(OneNode{"Acos"}(within), each(within, [](double v) { return std::acos(v); })),
      kClose);
  EXPECT_EQ(OneNode{"Round"}(tensor({0.5, 1.5, -2.5})).to_vector<float>(),
            (std::vector<float>{0, 2, -2}));
}

using Two = double (*)(double, double);

TEST_F(OnnxArithmetic, FunctionsOfTwoBroadcast) {
  const std::vector<std::pair<const char*, Two>> all = {
      {"Add", [](double x, double y) { return x + y; }},
      {"Sub", [](double x, double y) { return x - y; }},
      {"Mul", [](double x, double y) { return x * y; }},
      {"Div", [](double x, double y) { return x / y; }},
      {"Max", [](double x, double y) { return std::max(x, y); }},
      {"Min", [](double x, double y) { return std::min(x, y); }},
      {"Sum", [](double x, double y) { return x + y; }},
      {"Mean", [](double x, double y) { return (x + y) / 2; }},
      {"Mod", [](double x, double y) { return x - y * std::floor(x / y); }}};
  const Tensor x = random({3, 1, 7}), y = random({5, 1});
  for (const auto& [op, function] : all) {
    const Tensor wanted = made({3, 5, 7}, [&, f = function](const Place& p) {
      return f(at(x, {p[0], 0, p[2]}), at(y, {p[1], 0}));
    });
    // Others have Mod of numbers with a point as C's alone.
    const OneNode node{.op = op, .ours_alone = std::string(op) == "Mod"};
    EXPECT_LT(difference(node(x, y), wanted), 1e-12) << op;
  }
  const Tensor wanted = made({3, 5, 7}, [&](const Place& p) {
    return std::fmod(at(x, {p[0], 0, p[2]}), at(y, {p[1], 0}));
  });
  EXPECT_LT(difference(OneNode{"Mod", {{"fmod", std::int64_t{1}}}}(x, y), wanted), 1e-12);
}

TEST_F(OnnxArithmetic, ModAsInCIsExact) {
  const std::vector<double> x = {5, -5, 7.25, -7.25, -4, -0.0, 1e17, -1e17, -1e-20, 3},
                            y = {INFINITY, -INFINITY, -3, 3, 2, 3, 0.1, 0.7, 1, 0};
  std::vector<double> wanted;
  for (std::size_t i = 0; i < x.size(); ++i) wanted.push_back(std::fmod(x[i], y[i]));
  const OneNode node{.op = "Mod", .attributes = {{"fmod", std::int64_t{1}}}, .ours_alone = true};
  const auto got = node(tensor(x, DType::f64), tensor(y, DType::f64)).to_vector<double>();
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    EXPECT_EQ(got[i], wanted[i]) << i;
    EXPECT_EQ(std::signbit(got[i]), std::signbit(wanted[i])) << i;
  }
  EXPECT_TRUE(std::isnan(got.back()));
  // As of x - y trunc(x / y).
  const Tensor a = tensor({7.25, -7.25, 0.0}, DType::f64).set_requires_grad(),
               b = tensor({-3.0, 2.0, 5.0}, DType::f64).set_requires_grad();
  sum(node(a, b)).backward();
  EXPECT_EQ(a.grad().to_vector<double>(), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(b.grad().to_vector<double>(), (std::vector<double>{2, 3, 0}));
}

TEST_F(OnnxArithmetic, SeveralOperands) {
  const Tensor x = random({3, 5}), y = random({5}), z = random({3, 1});
  const auto of = [&](const std::function<double(double, double, double)>& f) {
    return made({3, 5}, [&](const Place& p) {
      return f(at(x, p), at(y, {p[1]}), at(z, {p[0], 0}));
    });
  };
  EXPECT_LT(difference(OneNode{"Sum"}(x, y, z),
                       of([](double a, double b, double c) { return a + b + c; })),
            kClose);
  EXPECT_LT(difference(OneNode{"Mean"}(x, y, z),
                       of([](double a, double b, double c) { return (a + b + c) / 3; })),
            kClose);
  EXPECT_EQ(difference(OneNode{"Max"}(x, y, z), of([](double a, double b, double c) {
                         return std::max({a, b, c});
                       })),
            0);
  EXPECT_EQ(difference(OneNode{"Min"}(x), x), 0);
}

TEST_F(OnnxArithmetic, PowersOfAnyDtypes) {
  const Tensor x = each(random({3, 5}), [](double v) { return std::abs(v) + 0.2; }),
               y = random({5});
  const Tensor wanted =
      made({3, 5}, [&](const Place& p) { return std::pow(at(x, p), at(y, {p[1]})); });
  EXPECT_LT(difference(OneNode{"Pow"}(x, y), wanted), kClose);
  EXPECT_LT(difference(OneNode{"Pow"}(x, ints({2}, {})), each(x, [](double v) { return v * v; })),
            kClose);
  EXPECT_LT(difference(OneNode{"Pow"}(x, ints({3, 2, 0, 1, -1})),
                       made({3, 5},
                            [&](const Place& p) {
                              return std::pow(at(x, p),
                                              std::vector<double>{
                                                  3, 2, 0, 1, -1}[static_cast<std::size_t>(p[1])]);
                            })),
            kClose);
  EXPECT_EQ(OneNode{"Pow"}(ints({3, -2, 7}), ints({4, 3, 0})).to_vector<std::int64_t>(),
            (Ints{81, -8, 1}));
  EXPECT_EQ(OneNode{"Pow"}(ints({9, 16}), tensor({0.5, 0.5})).to_vector<std::int64_t>(),
            (Ints{3, 4}));
  EXPECT_EQ(OneNode{"Pow"}(ints({16777217}), tensor({1.0})).to_vector<std::int64_t>(),
            (Ints{16777217}));  // which f32 does not hold
  EXPECT_ERROR_WITH(ValueError, "Pow \"y0\": a power of integers below 0",
                    OneNode{"Pow"}(ints({3}), ints({-1})));
}

TEST_F(OnnxArithmetic, IntegersAreTruncated) {
  const Tensor x = ints({7, -7, 7, -7}), y = ints({2, 2, -2, -2}), least = ints({INT64_MIN});
  EXPECT_EQ(OneNode{"Div"}(x, y).to_vector<std::int64_t>(), (Ints{3, -3, -3, 3}));
  EXPECT_EQ(OneNode{"Mod"}(x, y).to_vector<std::int64_t>(), (Ints{1, 1, -1, -1}));
  for (const char* const op : {"Div", "Mod"}) {
    const Tensor out = OneNode{.op = op, .ours_alone = true}(least, ints({-1}));
    EXPECT_EQ(out.item<std::int64_t>(), op[0] == 'D' ? INT64_MIN : 0);
  }
  EXPECT_EQ((OneNode{"Mod", {{"fmod", std::int64_t{1}}}}(x, y).to_vector<std::int64_t>()),
            (Ints{1, -1, 1, -1}));
  EXPECT_EQ(OneNode{"Add"}(x, y).to_vector<std::int64_t>(), (Ints{9, -5, 5, -9}));
  EXPECT_EQ(OneNode{"Sub"}(ints({7, 2}), ints({3, 5})).to_vector<std::int64_t>(), (Ints{4, -3}));
  EXPECT_EQ(OneNode{"Mul"}(ints({7, 2}), ints({3, -5})).to_vector<std::int64_t>(), (Ints{21, -10}));
  EXPECT_EQ(OneNode{"Max"}(ints({7, 2}), ints({3, 5})).to_vector<std::int64_t>(), (Ints{7, 5}));
  EXPECT_EQ(OneNode{"Neg"}(ints({7, -2})).to_vector<std::int64_t>(), (Ints{-7, 2}));
  EXPECT_ERROR_WITH(ValueError, "Div \"y0\": a division of integers by 0",
                    OneNode{"Div"}(x, ints({0})));
  EXPECT_ERROR_WITH(ShapeError, "Div", OneNode{"Div"}(ints({1, 2, 3}), ints({1, 2})));
}

TEST_F(OnnxArithmetic, ClipBetweenBoundsThatMayBeLeftOut) {
  const Tensor x = random({3, 7});
  const auto held = [&](double least, double most) {
    return each(x, [=](double v) { return std::min(std::max(v, least), most); });
  };
  const Tensor least = made({}, [](const Place&) { return -0.25; }),
               most = made({}, [](const Place&) { return 0.5; });
  EXPECT_EQ(difference(OneNode{"Clip"}(x, least, most), held(-0.25, 0.5)), 0);
  EXPECT_EQ(difference(OneNode{"Clip"}(x, Tensor(), most), held(-100, 0.5)), 0);
  EXPECT_EQ(difference(OneNode{"Clip"}(x, least), held(-0.25, 100)), 0);
  EXPECT_EQ(difference(OneNode{"Clip"}(x), x), 0);
  EXPECT_EQ(difference(OneNode{"Clip", {{"min", -0.25F}, {"max", 0.5F}}, 10}(x), held(-0.25, 0.5)),
            0);
  EXPECT_EQ(difference(OneNode{"Clip", {{"max", 0.5F}}, 10}(x), held(-100, 0.5)), 0);
  EXPECT_EQ(
      OneNode{"Clip"}(ints({-3, 2, 9}), ints({-1}, {}), ints({5}, {})).to_vector<std::int64_t>(),
      (Ints{-1, 2, 5}));
  EXPECT_ERROR_WITH(FormatError, "attribute \"min\" is not known at version 17",
                    OneNode{"Clip", {{"min", 0.0F}}}(x));
}

}  // namespace
}  // namespace heed::onnx
