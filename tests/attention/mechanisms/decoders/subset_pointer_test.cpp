#include "../../../../attention/mechanisms/decoders/subset_pointer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/gradcheck.h"
#include "../../../../nn/init.h"
#include "../../../support/block.h"
#include "../../../support/throws.h"

namespace heed::attention {
namespace {

using Places = std::vector<Index>;
constexpr Index kB = 3, kK = 5, kW = 2, kH = 7;
const Places kLengths = {kK, 3, 2};
const std::vector<Places> kWanted = {{3, 0, 4}, {1}, {}};

class SubsetPointers : public testing::Test {
 protected:
  SubsetPointers() {
    manual_seed(3);
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.8);
    keys = randn({kB, kK, kW}, DType::f64);
  }
  // Of one row, by the pointer network step by step: keys with the end behind them.
  PointerNetwork::State begin(Index row) const {
    const Tensor own = narrow(narrow(keys, 0, row, 1), 1, 0, kLengths[at(row)]);
    const Tensor all = concat({own, reshape(made.end, {1, 1, kW})}, 1);
    return made.point.start(all, all);
  }
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  std::vector<double> step(const Tensor& before, PointerNetwork::State& state) const {
    return Block(made.point.step(before, state)).values();
  }
  static Tensor place(Index i) { return Array::from(Places{i}); }

  SubsetPointer made{kW, kH, DType::f64};
  Tensor keys;
};

TEST_F(SubsetPointers, LossIsThatOfAnyThatIsLeft) {
  const Block loss(made.loss(keys, kLengths, kWanted));
  for (Index b = 0; b < kB; ++b) {
    auto state = begin(b);
    const Places& own = kWanted[at(b)];
    double expected = 0;
    Tensor before;
    for (std::size_t t = 0; t <= own.size(); ++t) {
      const auto log_p = step(before, state);
      double p = 0;
      for (std::size_t i = t; i < own.size(); ++i) p += std::exp(log_p[at(own[i])]);
      if (t == own.size()) p = std::exp(log_p[at(kLengths[at(b)])]);
      expected -= std::log(p);
      if (t < own.size()) before = place(own[t]);
    }
    EXPECT_NEAR(loss(b), expected, 1e-10);
  }
}

TEST_F(SubsetPointers, PicksTheLikeliest) {
  for (const Index count : {0, 1, 2, 4}) {
    const auto picked = made.pick(keys, kLengths, count);
    for (Index b = 0; b < kB; ++b) {
      auto state = begin(b);
      Places expected;
      Tensor before;
      const Index length = kLengths[at(b)];
      while (std::ssize(expected) < (count > 0 ? std::min(count, length) : length)) {
        auto log_p = step(before, state);
        if (count > 0 || expected.empty()) log_p.pop_back();
        const Index best = std::max_element(log_p.begin(), log_p.end()) - log_p.begin();
        if (best == length) break;
        expected.push_back(best);
        before = place(best);
      }
      EXPECT_EQ(picked[at(b)], expected) << count;
    }
  }
}

TEST_F(SubsetPointers, PassTheChecks) {
  const std::vector<NamedLeaf> leaves = {{"keys", keys.set_requires_grad()}};
  const auto loss = [&] { return made.loss(keys, kLengths, kWanted); };
  const auto first = nn::gradcheck(made, loss, {.step = 1e-4}, leaves);
  EXPECT_TRUE(first) << first.text();
  const auto second = nn::gradgradcheck(made, loss, {.step = 1e-4, .max_elements = 5}, leaves);
  EXPECT_TRUE(second) << second.text();
}

// What stands behind a row's places is not read, NaN or not.
TEST_F(SubsetPointers, PaddingChangesNothing) {
  const Block loss(made.loss(keys, kLengths, kWanted));
  const auto picked = made.pick(keys, kLengths, 0);
  Array other = keys.array().clone();
  for (Index w = 0; w < kW; ++w) {
    for (Index k = 3; k < kK; ++k) {
      other.mutable_data<double>()[(kK + k) * kW + w] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  Tensor changed = other;
  changed.set_requires_grad();
  const Tensor again = made.loss(changed, kLengths, kWanted);
  for (Index b = 0; b < kB; ++b) EXPECT_NEAR(Block(again)(b), loss(b), 1e-12);
  EXPECT_EQ(made.pick(changed, kLengths, 0), picked);
  sum(again).backward();
  EXPECT_FALSE(std::isnan(sum(made.end.grad()).item()));
  EXPECT_EQ(sum(abs(narrow(narrow(changed.grad(), 0, 1, 1), 1, 3, 2))).item(), 0);
}

// A rule to be learned: the places that are positive.
TEST_F(SubsetPointers, LearnsASubset) {
  Generator generator(5);
  const auto wanted_of = [](const Tensor& x) {
    std::vector<Places> out(at(x.size(0)));
    const Block values(x);
    for (Index b = 0; b < x.size(0); ++b) {
      for (Index k = 0; k < kK; ++k) {
        if (values(b, k, 0) > 0) out[at(b)].push_back(k);
      }
    }
    return out;
  };
  const Places all(13, kK);
  for (int i = 0; i < 300; ++i) {
    const Tensor x(generator.normal({13, kK, kW}, 0, 1, DType::f64));
    made.zero_grad();
    mean(made.loss(x, all, wanted_of(x))).backward();
    for (Tensor& each : made.parameters()) {
      each.set_array((each.detach() - 0.2 * each.grad()).array());
    }
  }
  const Tensor x(generator.normal({13, kK, kW}, 0, 1, DType::f64));
  auto picked = made.pick(x, all, 0);
  auto wanted = wanted_of(x);
  int right = 0;
  for (std::size_t b = 0; b < 13; ++b) {
    std::sort(picked[b].begin(), picked[b].end());
    right += picked[b] == wanted[b] ? 1 : 0;
  }
  EXPECT_GE(right, 8);
}

TEST_F(SubsetPointers, RefusesWhatDoesNotFit) {
  EXPECT_ERROR_WITH(ValueError, "state_width 0", SubsetPointer none(2, 0));
  EXPECT_ERROR(IndexError, "subset_pointer: place 3 is not among 3",
               made.loss(keys, kLengths, {{}, {3}, {}}));
  EXPECT_ERROR(IndexError, "subset_pointer: place -1 is not among 2",
               made.loss(keys, kLengths, {{}, {}, {-1}}));
  EXPECT_ERROR(ValueError, "subset_pointer: place 1 is wanted twice",
               made.loss(keys, kLengths, {{1, 0, 1}, {}, {}}));
  EXPECT_ERROR(ShapeError, "subset_pointer: 1 rows are wanted of 3",
               made.loss(keys, kLengths, {{}}));
  EXPECT_ERROR(ShapeError, "subset_pointer: 0 lengths for 3 rows", made.pick(keys, {}, 1));
  EXPECT_ERROR(ValueError, "subset_pointer: -1 places are below 0", made.pick(keys, kLengths, -1));
  EXPECT_ERROR_WITH(ShapeError, "subset_pointer: keys",
                    made.pick(narrow(keys, 2, 0, 1), kLengths, 1));
}

}  // namespace
}  // namespace heed::attention
