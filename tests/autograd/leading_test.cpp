// What grad() walks: operators between outputs and inputs, and none beside them or below.
#include "../../autograd/leading.h"

#include <gtest/gtest.h>

#include "../../autograd/backward.h"
#include "../../autograd/checkpoint.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"

namespace heed {
namespace {

using Numbers = std::vector<double>;

Tensor leaf(const Numbers& numbers) {
  return tensor(numbers, {static_cast<Index>(numbers.size())}, DType::f64).set_requires_grad();
}
Numbers numbers(const Tensor& x) { return x.array().to_vector<double>(); }

Tensor counted(const Tensor& x, int& calls) {
  x.register_hook([&calls](const Tensor&) {
    ++calls;
    return Tensor();
  });
  return x;
}

TEST(Leading, LeavesBranchesBesideAsTheyWere) {
  const Tensor a = leaf({0, 0}), b = leaf({0, 0});
  int calls = 0;
  const Tensor h = exp(a);
  const Tensor u = counted(exp(b), calls);  // newer than what is asked for
  EXPECT_EQ(numbers(grad({sum(h * u)}, {h})[0]), (Numbers{1, 1}));
  EXPECT_EQ(calls, 0);
  sum(u).backward();  // nothing of it was freed
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(numbers(b.grad()), (Numbers{1, 1}));
}

TEST(Leading, WalksNoEncoderForAHeadsWeight) {
  const Tensor inner = leaf({1, 2, 3}), head = leaf({5, 7, 11});
  int calls = 0;
  const Tensor encoded = counted(exp(counted(inner * inner, calls)), calls);
  EXPECT_EQ(numbers(grad({sum(encoded * head)}, {head})[0]), numbers(encoded));
  EXPECT_EQ(calls, 0);
  sum(encoded).backward();
  EXPECT_EQ(calls, 2);
}

// Each of them for itself: one is older than what lies beside the other, one behind the other.
TEST(Leading, FindsSeveralThatAreAskedFor) {
  const Tensor x = leaf({2, 3}), y = leaf({5, 7}), beside = leaf({0, 0});
  const Tensor old = x * x;
  const Tensor other = exp(beside);
  const Tensor h = old * y;
  const Tensor free = exp(y);
  const auto found = grad({sum(h * other), sum(free)}, {h, old, x, h});
  EXPECT_EQ(numbers(found[0]), (Numbers{1, 1}));
  EXPECT_EQ(numbers(found[1]), (Numbers{5, 7}));
  EXPECT_EQ(numbers(found[2]), (Numbers{20, 42}));
  EXPECT_EQ(numbers(found[3]), (Numbers{1, 1}));
  EXPECT_NO_THROW(sum(other).backward());
  EXPECT_NO_THROW(sum(free).backward());
}

// What is asked for is not differentiated itself, though another one is older.
TEST(Leading, StopsAtEachThatNothingLiesBehind) {
  const Tensor a = leaf({0, 0}), b = leaf({0, 0});
  const Tensor old = exp(a);
  const Tensor young = exp(b);
  grad({sum(old * young)}, {old, young});
  EXPECT_NO_THROW(sum(old).backward());
  EXPECT_NO_THROW(sum(young).backward());
}

TEST(Leading, AnOutputThatLeadsNowhereStays) {
  const Tensor x = leaf({0, 0}), y = leaf({2, 3});
  const Tensor u = exp(x);
  EXPECT_FALSE(grad({sum(u)}, {y})[0].defined());
  EXPECT_FALSE(grad({y}, {x}, {Tensor(y.array())})[0].defined());
  EXPECT_NO_THROW(sum(u).backward());
}

// A checkpoint may reach what is no input of it, and what it makes goes before the next one runs.
TEST(Leading, FollowsCheckpoints) {
  const Tensor x = leaf({2, 3}), hidden = leaf({1, 1}), beside = leaf({0, 0});
  int runs = 0, calls = 0;
  const Tensor outer = counted(hidden * hidden, calls);
  const Tensor unasked = exp(beside);
  const auto tower = [&] {
    Tensor h = x;
    for (int i = 0; i < 7; ++i) {
      const auto part = [&](const Tensor& at) {
        ++runs;
        return (at * outer) * (unasked * outer);
      };
      h = checkpoint(part, h);
    }
    return h;
  };
  EXPECT_EQ(numbers(grad({sum(tower())}, {hidden})[0]), (Numbers{56, 84}));
  EXPECT_EQ(runs, 14);
  EXPECT_EQ(calls, 1);
  EXPECT_NO_THROW(sum(unasked).backward());
}

TEST(Leading, ACheckpointThatIsAskedForDoesNotRunAgain) {
  const Tensor x = leaf({2, 3});
  int runs = 0;
  const auto part = [&](const Tensor& at) {
    ++runs;
    return at * at;
  };
  const Tensor h = checkpoint(part, x);
  EXPECT_EQ(numbers(grad({sum(h * h)}, {h})[0]), (Numbers{8, 18}));
  EXPECT_EQ(runs, 1);
  h.backward(Tensor(x.array()));
  EXPECT_EQ(numbers(x.grad()), (Numbers{8, 18}));
}

TEST(Leading, ADeepGraphTakesNoStack) {
  const Tensor x = leaf({1});
  Tensor h = x, beside = exp(x);
  for (int i = 0; i < 200'003; ++i) h = h * 1;
  EXPECT_EQ(numbers(grad({h * beside.detach()}, {x}, {ones({1}, DType::f64)})[0]), numbers(beside));
}

TEST(Leading, SecondDerivativesAreThoseOfTheWholeWalk) {
  const Tensor x = leaf({2, 3}), y = leaf({5, 7});
  const Tensor g = grad({sum(x * x * x * exp(y * 0))}, {x}, {}, {.create_graph = true})[0];
  EXPECT_EQ(numbers(g), (Numbers{12, 27}));
  EXPECT_EQ(numbers(grad({sum(g)}, {x})[0]), (Numbers{12, 18}));
}

}  // namespace
}  // namespace heed
