// Functions and modules of one's own, as a user writes them. The code between the marks stands in
// docs/your_own_operator.md word for word; a test below compares.
#include <gtest/gtest.h>

#include <cmath>

#include "../../heed.h"
#include "../structure/shown_code.h"
#include "../support/throws.h"

namespace {

// [docs: soft_sign]
// y = x / (1 + |x|);  gx = g / (1 + |x|)^2
heed::Tensor soft_sign(const heed::Tensor& x) {
  const heed::Tensor y = x.detach() / (1 + abs(x.detach()));
  return heed::record("soft_sign", y.array(), {x}, [x = heed::Saved(x)](const heed::Tensor& g) {
    return g / square(1 + abs(x()));
  });
}
// [end]

// [docs: hypot]
// z = sqrt(x^2 + y^2);  gx = g x / z,  gy = g y / z
heed::Tensor hypot(const heed::Tensor& x, const heed::Tensor& y) {
  const heed::Array z = sqrt(square(x.detach()) + square(y.detach())).array();
  return heed::record(
      "hypot", z, {x, y},
      [x = heed::Saved(x), z = heed::SavedOutput(z)](const heed::Tensor& g) {
        return g * x() / z();
      },
      [y = heed::Saved(y), z = heed::SavedOutput(z)](const heed::Tensor& g) {
        return g * y() / z();
      });
}
// [end]

// [docs: log_gamma]
// y = log Gamma(x), from a loop of one's own; gx = g psi(x), psi by central differences.
heed::Tensor log_gamma(const heed::Tensor& x) {
  const auto map = [](const heed::Array& a, double (*f)(double)) {
    std::vector<double> values = a.to_vector<double>();
    for (double& value : values) value = f(value);
    return heed::Array::from(values, a.shape());
  };
  const heed::Array y = map(x.array(), [](double v) { return std::lgamma(v); });
  return heed::record("log_gamma", y, {x},
                      heed::once_differentiable([x = heed::Saved(x), map](const heed::Tensor& g) {
                        return g * map(x.array(), [](double v) {
                                 return (std::lgamma(v + 1e-5) - std::lgamma(v - 1e-5)) / 2e-5;
                               });
                      }));
}
// [end]

// [docs: polar]
// (r, phi) -> (r cos phi, r sin phi) by one rule for both inputs and both results.
std::vector<heed::Tensor> polar(const heed::Tensor& r, const heed::Tensor& cos_phi,
                                const heed::Tensor& sin_phi) {
  const heed::Array x = (r.detach() * cos_phi.detach()).array();
  const heed::Array y = (r.detach() * sin_phi.detach()).array();
  return heed::record_joint(
      "polar", {x, y}, {r, cos_phi, sin_phi},
      [r = heed::Saved(r), c = heed::Saved(cos_phi), s = heed::Saved(sin_phi)](
          const heed::Gradients& g, const std::vector<bool>& needs) {
        heed::Gradients out(3);
        // A result that nobody used has no gradient.
        const heed::Tensor gx = g[0].defined() ? g[0] : heed::zeros(r().shape(), r().dtype());
        const heed::Tensor gy = g[1].defined() ? g[1] : heed::zeros(r().shape(), r().dtype());
        if (needs[0]) out[0] = gx * c() + gy * s();
        if (needs[1]) out[1] = gx * r();
        if (needs[2]) out[2] = gy * r();
        return out;
      });
}
// [end]

// [docs: module]
class Scorer : public heed::nn::Module {
 public:
  explicit Scorer(heed::Index inputs) : hidden(child<heed::nn::Linear>("hidden", inputs, 7)) {}
  heed::nn::Linear& hidden;
  heed::Tensor& gain = parameter("gain", heed::ones({7}));
  heed::Tensor operator()(const heed::Tensor& x) const { return soft_sign(hidden(x)) * gain; }
};
// [end]

using heed::DType;
using heed::Tensor;

Tensor positive(const heed::Shape& shape) { return 0.5 + 2 * heed::rand(shape, DType::f64); }

TEST(UserFunction, PassesGradcheckInBothOrders) {
  heed::manual_seed(
      3);  // at 0 the derivative of soft_sign has a kink, next to which no draw may fall
  // [docs: check]
  const auto f = [](const std::vector<Tensor>& x) { return soft_sign(x[0]); };
  const auto report = heed::gradcheck(f, {heed::randn({3, 5}, DType::f64)});
  EXPECT_TRUE(report) << report.text();
  const auto second = heed::gradgradcheck(f, {heed::randn({3, 5}, DType::f64)});
  EXPECT_TRUE(second) << second.text();
  // [end]
}

TEST(UserFunction, WithTwoInputsThatBroadcast) {
  const auto f = [](const std::vector<Tensor>& x) { return hypot(x[0], x[1]); };
  const std::vector<Tensor> inputs = {positive({3, 5}), positive({5})};
  EXPECT_TRUE(heed::gradcheck(f, inputs));
  const auto second = heed::gradgradcheck(f, inputs);
  EXPECT_TRUE(second) << second.text();
}

TEST(UserFunction, WithSeveralResults) {
  const auto f = [](const std::vector<Tensor>& x) { return polar(x[0], x[1], x[2]); };
  const std::vector<Tensor> inputs = {positive({5}), heed::randn({5}, DType::f64),
                                      heed::randn({5}, DType::f64)};
  EXPECT_TRUE(heed::gradcheck(f, inputs));
  EXPECT_TRUE(heed::gradgradcheck(f, inputs));
  const auto first_only = [](const std::vector<Tensor>& x) { return polar(x[0], x[1], x[2])[0]; };
  EXPECT_TRUE(heed::gradcheck(first_only, {inputs[0], inputs[1], inputs[2]}));
}

TEST(UserFunction, ThatIsDifferentiableOnceSaysSo) {
  const auto f = [](const std::vector<Tensor>& x) { return log_gamma(x[0]); };
  const auto report = heed::gradcheck(f, {positive({7})}, {.rtol = 1e-6, .atol = 1e-7});
  EXPECT_TRUE(report) << report.text();
  EXPECT_ERROR(heed::GradError,
               "backward: log_gamma can be differentiated once only; create_graph asks for more",
               heed::gradgradcheck(f, {positive({7})}));
}

TEST(UserFunction, IsNamedByItsName) {
  Tensor x = positive({3});
  x.set_requires_grad();
  const Tensor y = soft_sign(x);
  EXPECT_STREQ(y.node()->name(), "soft_sign");
  x.detach().copy_from(heed::zeros({3}, DType::f64));
  EXPECT_ERROR(heed::GradError,
               "backward: soft_sign kept its input f64[3] for the derivative, but it was written "
               "in place since (version 1, kept at 0)",
               sum(y).backward());
  const Tensor z = sum(soft_sign(x));
  z.backward();
  EXPECT_NE(heed::message_of<heed::GradError>([&] { z.backward(); }).find("what sum had saved"),
            std::string::npos);
}

TEST(UserFunction, IsRefusedWhenItIsMadeWrongly) {
  Tensor x = positive({3});
  x.set_requires_grad();
  const auto rule = [](const Tensor& g) { return g; };
  EXPECT_ERROR(heed::GradError, "record: half has 1 rules for 2 inputs; one rule an input",
               heed::record("half", x.array().clone(), {x, x}, rule));
  EXPECT_ERROR(heed::GradError, "record: the result of none is undefined",
               heed::record("none", heed::Array(), {x}, rule));
  const auto joint = [](const heed::Gradients& g, const std::vector<bool>&) { return g; };
  EXPECT_ERROR(heed::GradError, "backward: the derivative of both gave 1 gradients for 2 inputs",
               sum(heed::record_joint("both", {x.array().clone()}, {x, x}, joint)[0]).backward());
  EXPECT_TRUE(heed::throws<heed::GradError>(
      "backward: the derivative of wide gave f64[2] for input 0, which is f64[3]", [&] {
        sum(heed::record("wide", x.array().clone(), {x}, [](const Tensor&) {
          return heed::ones({2}, DType::f64);
        })).backward();
      }));
}

TEST(UserModule, PassesGradcheckInBothOrders) {
  heed::manual_seed(5);
  // [docs: module_check]
  Scorer scorer(5);
  scorer.to(DType::f64);
  const auto report = heed::nn::gradcheck(scorer, heed::randn({3, 5}, DType::f64));
  EXPECT_TRUE(report) << report.text();
  // [end]
  EXPECT_EQ(report.checked, 7 * 5 + 7 + 7 + 3 * 5);
  EXPECT_TRUE(heed::nn::gradgradcheck(scorer, heed::randn({3, 5}, DType::f64)));
}

TEST(UserFunction, TheGuideShowsTheseVeryLines) {
  heed::expect_shown("tests/autograd/user_function_test.cpp", "docs/your_own_operator.md", 40);
}

}  // namespace
