#include "../../distributed/collectives.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "../../autograd/backward.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"
#include "world_here.h"

namespace heed::distributed {
namespace {

// Of process r: the same wherever they are made.
Array of(Index r, const Shape& shape) {
  Generator generator(static_cast<std::uint64_t>(100 + r));
  return generator.normal(shape, 0, 1, DType::f64);
}
Tensor mine(const Shape& shape) { return Tensor(of(world().rank(), shape)); }

void expect_near(const Array& a, const Array& b) {
  ASSERT_EQ(a.shape(), b.shape());
  const auto x = a.to_vector<double>(), y = b.to_vector<double>();
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], 1e-12) << i;
}

Array sum_of_all(const Shape& shape) {
  Tensor sum = Tensor(of(0, shape));
  for (Index r = 1; r < world().size(); ++r) sum = sum + Tensor(of(r, shape));
  return sum.array();
}

TEST(Collectives, GiveWhatTheySay) {
  const Index n = world().size(), rank = world().rank();
  expect_near(all_reduce(world(), mine({3, 2})).array(), sum_of_all({3, 2}));
  expect_near(broadcast(world(), mine({5}), n - 1).array(), of(n - 1, {5}));
  const Array all = all_gather(world(), mine({3, 2})).array();
  for (Index r = 0; r < n; ++r) expect_near(all.slice(0, 3 * r, 3 * r + 3), of(r, {3, 2}));
  const Array part = reduce_scatter(world(), mine({2 * n, 3})).array();
  expect_near(part, sum_of_all({2 * n, 3}).slice(0, 2 * rank, 2 * rank + 2));
}

// The loss is the sum of all processes' losses: differences of it, one element after the other,
// against the gradient; and the same of a gradient that was recorded.
using Collective = std::function<Tensor(const Tensor&)>;

double whole(const Collective& f, const Tensor& x, bool second) {
  Tensor in = Tensor(x.array().clone()).set_requires_grad();
  const Tensor y = f(in);
  Tensor loss = sum(y * y * y * static_cast<double>(1 + world().rank()));
  if (second) {
    const Tensor g = grad({loss}, {in}, {}, {.create_graph = true})[0];
    loss = sum(g * g);
  }
  return all_reduce(world(), loss.detach()).item();
}

void check(const Collective& f, const Shape& shape, bool second) {
  Tensor x = mine(shape);
  Tensor in = Tensor(x.array().clone()).set_requires_grad();
  const Tensor y = f(in);
  Tensor loss = sum(y * y * y * static_cast<double>(1 + world().rank()));
  if (second) {
    const Tensor g = grad({loss}, {in}, {}, {.create_graph = true})[0];
    loss = sum(g * g);
  }
  loss.backward();
  const auto found = in.grad().array().to_vector<double>();
  for (Index r = 0; r < world().size(); ++r) {
    for (Index i = 0; i < x.numel(); ++i) {
      const double step = 1e-6;
      double at[2];
      for (const int side : {0, 1}) {
        Array moved = x.array().clone();
        if (r == world().rank()) moved.mutable_data<double>()[i] += side == 0 ? -step : step;
        at[side] = whole(f, Tensor(moved), second);
      }
      if (r != world().rank()) continue;
      const double expected = (at[1] - at[0]) / (2 * step);
      ASSERT_NEAR(found[static_cast<std::size_t>(i)], expected, 1e-4 * (1 + std::abs(expected)))
          << i;
    }
  }
}

TEST(Collectives, HaveGradientsOfBothOrders) {
  const Index n = world().size();
  for (const bool second : {false, true}) {
    check([](const Tensor& x) { return all_reduce(world(), x); }, {2}, second);
    check([n](const Tensor& x) { return broadcast(world(), x, n - 1); }, {2}, second);
    check([](const Tensor& x) { return all_gather(world(), x); }, {2}, second);
    check([](const Tensor& x) { return reduce_scatter(world(), x); }, {n, 1}, second);
  }
}

TEST(Collectives, SayWhatDoesNotFit) {
  const Index n = world().size();
  EXPECT_ERROR_WITH(DTypeError, "all_reduce: i64[3] is not f32 or f64",
                    all_reduce(world(), Tensor(Array::zeros({3}, DType::i64))));
  EXPECT_ERROR_WITH(ValueError, "broadcast: process ", broadcast(world(), mine({2}), n));
  EXPECT_ERROR_WITH(ShapeError, "a scalar has no axis", all_gather(world(), mine({})));
  if (n == 1) return;
  EXPECT_ERROR_WITH(ShapeError, "does not divide among", reduce_scatter(world(), mine({n + 1})));
  EXPECT_ERROR_WITH(ShapeError, "process 0 has f64[1], process 1 f64[2]",
                    all_reduce(world(), mine({1 + world().rank()})));
  const DType dtype = world().rank() == 1 ? DType::f32 : DType::f64;
  EXPECT_ERROR_WITH(DTypeError, "process 0 has f64[3], process 1 f32[3]",
                    all_reduce(world(), Tensor(Array::zeros({3}, dtype))));
}

// All throw, and none waits, where one alone has what does not fit.
TEST(Collectives, SayEverywhereWhatOneHas) {
  const Index n = world().size();
  const bool one = world().rank() == n - 1;
  const auto all = [&](const Tensor& x) {
    return std::vector<std::function<Tensor()>>{
        [&, x] { return all_reduce(world(), x); }, [&, x] { return broadcast(world(), x); },
        [&, x] { return all_gather(world(), x); }, [&, x] { return reduce_scatter(world(), x); }};
  };
  const Tensor integers(Array::zeros({3 * n}, DType::i64)), fits = mine({3 * n});
  for (const auto& call : all(one ? integers : fits)) EXPECT_THROW(call(), DTypeError);
  for (const auto& call : all(one ? Tensor() : fits)) EXPECT_THROW(call(), GradError);
  for (const auto& call : all(fits)) call();
}

// Tensors of one shape, for which nothing else would tell: bits would be mixed up.
TEST(Collectives, SayWhereOneMakesAnotherCall) {
  const Index n = world().size(), last = n - 1;
  if (n == 1) GTEST_SKIP() << "one process alone is always alike";
  const bool one = world().rank() == last;
  const Tensor x = mine({3 * n});
  EXPECT_ERROR(ValueError,
               fmt::format("{}: process 0 calls all_gather, process {} reduce_scatter",
                           one ? "reduce_scatter" : "all_gather", last),
               one ? reduce_scatter(world(), x) : all_gather(world(), x));
  for (const Index from : {last, n, Index{-1}}) {
    const std::string text = fmt::format(
        "broadcast: process 0 calls broadcast from 0, process {} broadcast from {}", last, from);
    EXPECT_ERROR(ValueError, text, broadcast(world(), x, one ? from : 0));
    Array numbers = x.array().clone();
    EXPECT_ERROR(ValueError, text, world().broadcast(numbers, one ? from : 0));
  }
  all_reduce(world(), x);
}

// Whoever walks back would wait for those that do not.
TEST(Collectives, AreRecordedEverywhereOrNowhere) {
  if (world().size() == 1) GTEST_SKIP() << "one process alone is always alike";
  const Index n = world().size(), last = n - 1;
  const bool one = world().rank() == last;
  const std::vector<std::pair<std::string, Collective>> all{
      {"all_reduce", [](const Tensor& x) { return all_reduce(world(), x); }},
      {"broadcast", [](const Tensor& x) { return broadcast(world(), x); }},
      {"all_gather", [](const Tensor& x) { return all_gather(world(), x); }},
      {"reduce_scatter", [](const Tensor& x) { return reduce_scatter(world(), x); }}};
  for (const auto& [name, call] : all) {
    const Tensor plain = mine({3 * n}), wanted = mine({3 * n}).set_requires_grad();
    EXPECT_ERROR_WITH(GradError,
                      fmt::format("{}: process 0 does not record it, process {} records it for a "
                                  "pass backward: let what it is given require a gradient on all "
                                  "processes or on none, and enter NoGrad on all or on none",
                                  name, last),
                      call(one ? wanted : plain));
    EXPECT_ERROR_WITH(GradError,
                      fmt::format("{}: process 0 records it for a pass backward, process {} does "
                                  "not record it",
                                  name, last),
                      const GradMode mode(!one);
                      call(wanted));
    const NoGrad scope;
    call(one ? wanted : plain);
  }
}

// 0, not 0 times the gradient.
TEST(Collectives, OtherProcessesHaveNoPartInABroadcast) {
  Tensor x = mine({3}).set_requires_grad();
  const double infinity = std::numeric_limits<double>::infinity();
  sum(broadcast(world(), x) * infinity).backward();
  EXPECT_EQ(x.grad().array().to_vector<double>(),
            std::vector<double>(3, world().rank() == 0 ? infinity : 0));
}

}  // namespace
}  // namespace heed::distributed
