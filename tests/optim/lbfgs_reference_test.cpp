// LBFGS beside its definition: the inverse Hessian as a whole matrix, updated pair by pair.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "../../autograd/backward.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/generator.h"
#include "../../optim/lbfgs.h"
#include "../support/throws.h"

namespace heed::optim {
namespace {

using testing::DoubleNear;
using testing::Pointwise;
using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

double dot(const Vector& a, const Vector& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out += a[i] * b[i];
  return out;
}
double largest(const Vector& a) {
  double out = 0;
  for (const double each : a) out = std::max(out, std::abs(each));
  return out;
}

// Sum of c (x^4 / 4 + b x^2 / 2), which for b < 0 bends the other way near 0.
struct Bowl {
  Vector scale, bend;
  double loss(const Vector& x) const {
    double out = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      out += scale[i] * (std::pow(x[i], 4) / 4 + bend[i] * x[i] * x[i] / 2);
    }
    return out;
  }
  Vector gradient(const Vector& x) const {
    Vector out;
    for (std::size_t i = 0; i < x.size(); ++i) {
      out.push_back(scale[i] * (std::pow(x[i], 3) + bend[i] * x[i]));
    }
    return out;
  }
};

// PyTorch's LBFGS.step() without a line search.
struct Reference {
  LBFGSOptions options;
  Bowl bowl;
  Vector x;
  Index iterations = 0, losses = 0;
  Vector direction = {}, before = {};
  double t = 0, scale = 1;
  std::deque<std::pair<Vector, Vector>> pairs = {};  // s, y

  // H g of H = scale I, then V' H V + s s' / (y s) for each pair, the oldest first.
  Vector turned(const Vector& g) const {
    const std::size_t n = g.size();
    Matrix h(n, Vector(n));
    for (std::size_t i = 0; i < n; ++i) h[i][i] = scale;
    for (const auto& [s, y] : pairs) {
      const double rho = 1 / dot(y, s);
      Vector hy(n);
      for (std::size_t i = 0; i < n; ++i) hy[i] = dot(h[i], y);
      const double yhy = dot(y, hy);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
          h[i][k] += rho * ((1 + rho * yhy) * s[i] * s[k] - hy[i] * s[k] - s[i] * hy[k]);
        }
      }
    }
    Vector out(n);
    for (std::size_t i = 0; i < n; ++i) out[i] = -dot(h[i], g);
    return out;
  }

  void step() {
    const Index most = options.max_eval < 0 ? options.max_iter * 5 / 4 : options.max_eval;
    Index evals = 1;
    ++losses;
    Vector g = bowl.gradient(x);
    double loss = bowl.loss(x);
    if (largest(g) <= options.tolerance_grad) return;
    for (Index i = 1; i <= options.max_iter; ++i) {
      ++iterations;
      if (iterations > 1) {
        Vector y = g, s = direction;
        for (std::size_t k = 0; k < g.size(); ++k) y[k] -= before[k];
        for (double& each : s) each *= t;
        if (dot(y, s) > 1e-10) {
          scale = dot(y, s) / dot(y, y);
          pairs.emplace_back(s, y);
          if (std::ssize(pairs) > options.history_size) pairs.pop_front();
        }
      }
      direction = turned(g);
      before = g;
      double sum = 0;
      for (const double each : g) sum += std::abs(each);
      t = iterations == 1 ? std::min(1.0, 1 / sum) * options.lr : options.lr;
      if (dot(g, direction) > -options.tolerance_change) return;
      for (std::size_t k = 0; k < x.size(); ++k) x[k] += t * direction[k];
      if (i == options.max_iter) return;
      const double old = loss;
      loss = bowl.loss(x);
      g = bowl.gradient(x);
      ++losses;
      if (++evals >= most || largest(g) <= options.tolerance_grad) return;
      if (largest(direction) * t <= options.tolerance_change) return;
      if (std::abs(loss - old) < options.tolerance_change) return;
    }
  }
};

// Both of the same start, five steps; the parameter is in two parts.
void expect_same_steps(const LBFGSOptions& options, const Bowl& bowl, const Vector& start) {
  Reference reference{options, bowl, start};
  const auto n = static_cast<Index>(start.size());
  Tensor first = tensor({start[0]}, {1}, DType::f64).set_requires_grad();
  Tensor rest =
      tensor(Vector(start.begin() + 1, start.end()), {n - 1}, DType::f64).set_requires_grad();
  LBFGS lbfgs({first, rest}, options);
  const auto numbers = [&] {
    Vector out = first.array().to_vector<double>();
    for (const double each : rest.array().to_vector<double>()) out.push_back(each);
    return out;
  };
  Index losses = 0;
  for (int step = 0; step < 5; ++step) {
    lbfgs.step([&] {
      ++losses;
      const Vector g = bowl.gradient(numbers());
      first.set_grad(tensor({g[0]}, {1}, DType::f64));
      rest.set_grad(tensor(Vector(g.begin() + 1, g.end()), {n - 1}, DType::f64));
      return tensor(bowl.loss(numbers()), DType::f64);
    });
    reference.step();
    EXPECT_EQ(losses, reference.losses) << step;
    EXPECT_THAT(numbers(), Pointwise(DoubleNear(1e-9), reference.x)) << step;
  }
}

TEST(LBFGSReference, StepsByTheInverseHessian) {
  const Bowl bowl{{1, 3, 0.5}, {0.7, 0.2, 2}};
  const Vector start = {1.5, -0.8, 2.1};
  expect_same_steps({.max_iter = 3}, bowl, start);
  expect_same_steps({.lr = 0.5, .max_iter = 4}, bowl, start);
  expect_same_steps({.lr = 0.5, .max_iter = 4, .history_size = 2}, bowl, start);
  expect_same_steps({.max_iter = 7, .history_size = 1}, bowl, start);
  expect_same_steps({.max_iter = 1}, bowl, start);
  expect_same_steps({.max_iter = 4}, bowl,
                    {0.03, -0.02, 0.05});  // whose slopes sum up to less than 1
}

TEST(LBFGSReference, EndsWhereItIsTold) {
  const Bowl bowl{{1, 3, 0.5}, {0.7, 0.2, 2}};
  const Vector start = {1.5, -0.8, 2.1};
  expect_same_steps({.max_iter = 7, .max_eval = 3}, bowl, start);
  expect_same_steps({.max_iter = 7, .max_eval = 1}, bowl, start);
  for (const double tolerance : {1.0, 0.3, 0.1, 0.01}) {
    expect_same_steps({.max_iter = 9, .tolerance_grad = tolerance}, bowl, start);
    expect_same_steps({.max_iter = 9, .tolerance_change = tolerance}, bowl, start);
  }
}

TEST(LBFGSReference, ForgetsPairsThatBendTheOtherWay) {
  expect_same_steps({.lr = 0.3, .max_iter = 3}, {{1, 2, 1}, {-1, -0.5, -2}}, {0.1, 0.05, -0.2});
}

// y s = lr^2 of the first pair of x^2 / 2 from 1.
TEST(LBFGSReference, KeepsAPairThatBendsByMoreThanTenBillionths) {
  for (const double bend : {0.8e-10, 1.3e-10}) {
    Tensor x = ones({1}, DType::f64).set_requires_grad();
    LBFGS lbfgs({x}, {.lr = std::sqrt(bend), .max_iter = 2, .max_eval = 5});
    lbfgs.step([&] {
      x.zero_grad();
      Tensor loss = sum(square(x)) / 2;
      loss.backward();
      return loss;
    });
    Index pairs = -1;
    for (const auto& [name, array] : lbfgs.state_dict()) {
      if (name == "lbfgs.s") pairs = array.size(0);
    }
    EXPECT_EQ(pairs, bend > 1e-10) << bend;
  }
}

// x^2 from x, and how it ended: losses asked for, directions taken, where it is.
struct Ended {
  Index losses = 0;
  double directions = 0, step = 0, x = 0;
};
Ended parabola(double from, const LBFGSOptions& options) {
  Tensor x = full({1}, from, DType::f64).requires_grad_();
  LBFGS lbfgs({x}, options);
  Ended out;
  lbfgs.step([&] {
    ++out.losses;
    x.zero_grad();
    Tensor loss = sum(square(x));
    loss.backward();
    return loss;
  });
  for (const auto& [name, array] : lbfgs.state_dict()) {
    if (name == "lbfgs.iterations") out.directions = array.item();
    if (name == "lbfgs.step") out.step = array.item();
  }
  out.x = x.item();
  return out;
}

// Each limit is one that is reached to the bit: the first step goes from 1 to 1/2, from 1/4 to 1/8.
TEST(LBFGSReference, OfWhatIsJustAtALimit) {
  EXPECT_EQ(parabola(1, {.lr = 0.5, .tolerance_grad = 1}).losses, 2) << "no gradient is larger";
  EXPECT_EQ(parabola(1, {.lr = 0.5, .tolerance_grad = 0.999}).losses, 3);
  EXPECT_EQ(parabola(1, {.lr = 0.5, .tolerance_change = 0.5}).losses, 2) << "no number moves more";
  EXPECT_EQ(parabola(1, {.lr = 0.5, .max_iter = 4, .tolerance_change = 0.499}).directions, 2);
  // The loss falls by 3/64, which is not less than that.
  EXPECT_EQ(parabola(0.25, {.lr = 0.25, .tolerance_change = 3.0 / 64}).directions, 2);
  EXPECT_EQ(parabola(0.25, {.lr = 0.25, .tolerance_change = 3.1 / 64}).directions, 1);
  // A slope of -1 is gone down, of whatever is less steep nothing.
  EXPECT_EQ(parabola(0.5, {.max_iter = 1, .tolerance_change = 1}).x, -0.5);
  EXPECT_EQ(parabola(0.5, {.max_iter = 1, .tolerance_change = 1.001}).x, 0.5);
}

// PyTorch's: the length of a step that was not taken for want of a slope is the next one's, too.
TEST(LBFGSReference, TheLengthOfAStepIsKnownBeforeItIsTaken) {
  const Ended found = parabola(1, {.lr = 0.75, .tolerance_grad = 0, .tolerance_change = 0.2});
  EXPECT_EQ(found.directions, 2);
  EXPECT_EQ(found.x, 0.25) << "1 - 2 / 2 lr";
  EXPECT_EQ(found.step, 0.75);
}

}  // namespace
}  // namespace heed::optim
