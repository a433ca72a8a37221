// What holds for every combination of score, normaliser, mask and bias beside its gradients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "../../attention/biases/alibi.h"
#include "../../autograd/backward.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "algebra.h"
#include "numbers.h"

namespace heed::attention {
namespace {

std::vector<bool> places(const Tensor& x) { return x.array().to_vector<bool>(); }

class AlgebraProperties : public testing::TestWithParam<std::string> {
 protected:
  const std::string score = GetParam();

  template <class Look>
  void each(const Look& look) {
    each_beside(score, kBiases, look);
  }
};

// [B, Q, K], or [B, Q, K, D] of a feature-wise score with the features as rows [B, D, Q, K].
Tensor keys_last(const Tensor& weights) {
  return weights.rank() == 3 ? unsqueeze(weights, 1) : permute(weights, {0, 3, 1, 2});
}

TEST_P(AlgebraProperties, WeightsAreWeights) {
  each([&](const auto& normaliser, const auto& mask, const auto& bias, const std::string& name) {
    const Combination all(score, normaliser, mask, bias);
    const Tensor may = unsqueeze(allowed(all.mask, kQ, kK), 1);
    const Tensor weights = keys_last(all(true).weights);
    EXPECT_GE(amin(weights).item(), 0) << name;
    EXPECT_EQ(sum(where(may, 0, weights)).item(), 0) << name << ": masked places";
    const Tensor sums = sum(weights, {-1});
    if (sums_to_one(normaliser, bias)) {
      const Tensor wanted = expand(to(any(may, {-1}), DType::f64), sums.shape());
      EXPECT_THAT(numbers(sums), near(wanted)) << name;
    } else if (normaliser != "sigmoid") {
      EXPECT_LE(amax(sums).item(), 1 + 1e-12) << name;
    }
  });
}

TEST_P(AlgebraProperties, RowsWithoutKeysGiveZeros) {
  each([&](const auto& normaliser, const auto& mask, const auto& bias, const std::string& name) {
    Combination all(score, normaliser, mask, bias);
    Array none = Array::full(Shape{kB, kQ, 1}, 1, DType::boolean);
    none.mutable_data<bool>()[1] = none.mutable_data<bool>()[kQ + 2] = false;
    all.mask = all.mask & Mask(none);
    const Attended out = all(true);
    const Tensor empty = unsqueeze(logical_not(any(allowed(all.mask, kQ, kK), {-1})), -1);
    EXPECT_EQ(sum(where(empty, abs(out.context), 0)).item(), 0) << name;
    EXPECT_EQ(sum(where(empty, abs(all(false).context), 0)).item(), 0) << name;
    const Tensor wild = where(empty, randn(out.context.shape(), DType::f64) * 1e9, 0);
    for (const bool need_weights : {false, true}) {
      for (const auto& [leaf_name, leaf] : all.leaves()) {
        Tensor unused = leaf;
        unused.zero_grad();
      }
      all(need_weights).context.backward(wild);
      for (const auto& [leaf_name, leaf] : all.leaves()) {
        const Tensor g = leaf.grad();
        EXPECT_TRUE(!g.defined() || sum(abs(g)).item() == 0) << name << ' ' << leaf_name;
      }
    }
  });
}

// A key is hidden from some queries, or all. What stands there, or in its value, is nothing to
// them.
TEST_P(AlgebraProperties, MaskedPlacesChangeNoBit) {
  constexpr Index kHidden = 3;
  each([&](const auto& normaliser, const auto& mask, const auto& bias, const std::string& name) {
    if (mask == "none") return;
    const Combination all(score, normaliser, mask, bias);
    const Tensor sees = select(allowed(all.mask, kQ, kK), -1, kHidden);  // [B, Q]
    Array blind = Array::full(Shape{kB, kQ, 1}, 1, DType::boolean);
    for (Index b = 0; b < kB; ++b) {
      bool seen = false;  // by a query that this one goes on from
      for (Index i = 0; i < kQ; ++i) {
        const bool now = places(sees)[static_cast<std::size_t>(b * kQ + i)];
        seen = goes_on(score, normaliser) ? seen || now : now;
        blind.mutable_data<bool>()[b * kQ + i] = !seen;
      }
    }
    const auto run = [&](double hidden, bool need_weights) {
      const auto dirty = [&](const Tensor& x) {
        Array array = x.array().clone();
        for (Index b = 0; b < kB; ++b)
          array.mutable_data<double>()[(b * kK + kHidden) * kD] = hidden;
        Tensor out(array);
        return out.set_requires_grad();
      };
      const Tensor keys = dirty(all.keys), values = dirty(all.values);
      const Attended out = attend(*all.score, all.query, keys, values, all.options(need_weights));
      const Tensor cotangent = where(blind, full(out.context.shape(), 0.7, DType::f64), 0);
      std::vector<Tensor> leaves = {keys, values};
      for (const auto& [leaf_name, leaf] : all.leaves()) {
        if (leaf_name != "keys" && leaf_name != "values") leaves.push_back(leaf);
      }
      std::vector<std::vector<double>> bits = {numbers(where(blind, out.context, 0))};
      if (need_weights) {
        const Tensor rows = out.weights.rank() == 3 ? Tensor(blind) : unsqueeze(Tensor(blind), -1);
        bits.push_back(numbers(where(rows, out.weights, 0)));
      }
      for (const Tensor& leaf : leaves) {
        Tensor cleared = leaf;
        cleared.zero_grad();
      }
      out.context.backward(cotangent);
      for (const Tensor& leaf : leaves) {
        bits.push_back(leaf.grad().defined() ? numbers(leaf.grad()) : std::vector<double>());
      }
      return bits;
    };
    for (const bool need_weights : {false, true}) {
      const auto clean = run(0, need_weights);
      EXPECT_EQ(run(std::numeric_limits<double>::quiet_NaN(), need_weights), clean) << name;
      EXPECT_EQ(run(std::numeric_limits<double>::infinity(), need_weights), clean) << name;
      EXPECT_EQ(run(-std::numeric_limits<double>::infinity(), need_weights), clean) << name;
      EXPECT_EQ(run(1e6, need_weights), clean) << name;
    }
  });
}

// As self-attention, where padding stands behind both queries and keys.
TEST_P(AlgebraProperties, PaddedBatchEqualsEachExampleAlone) {
  each([&](const auto& normaliser, const auto& mask, const auto& bias, const std::string& name) {
    if (mask == "boolean" || mask == "key_padding" || mask == "causal_and_lengths") return;
    Combination all(score, normaliser, mask, bias, kK, kK);
    const std::vector<Index> lengths = {kK - 2, kK};
    all.mask = (mask == "lengths" ? Mask() : all.mask) & Mask::lengths(lengths, kK);
    const Tensor batch =
        attend(*all.score, all.query, all.keys, all.values, all.options(false)).context;
    for (Index b = 0; b < kB; ++b) {
      const Index n = lengths[static_cast<std::size_t>(b)];
      const auto own = [&](const Tensor& x) { return narrow(narrow(x, 0, b, 1), 1, 0, n); };
      Terms alone = all.options(false);
      alone.mask = mask == "lengths" ? Mask() : kMasks(mask, n, n);
      if (bias == "gaussian") alone.bias = narrow(alone.bias, 0, b, 1);
      if (bias == "sinks") alone.sinks = narrow(alone.sinks, 0, b, 1);
      if (alone.bias.defined()) alone.bias = narrow(narrow(alone.bias, -2, 0, n), -1, 0, n);
      if (alone.offset_bias.defined()) {
        alone.offset_bias = narrow(alone.offset_bias, -1, kK - n, 2 * n - 1);
      }
      const Tensor single =
          attend(*all.score, own(all.query), own(all.keys), own(all.values), alone).context;
      EXPECT_THAT(numbers(own(batch)), near(single)) << name;
    }
  });
}

TEST_P(AlgebraProperties, OrderOfKeysIsNothingWhereNoPlaceEnters) {
  const Tensor order(Array::from<std::int64_t>({3, 1, 4, 0, 2}));
  each([&](const auto& normaliser, const auto& mask, const auto& bias, const std::string& name) {
    if (goes_on(score, normaliser) || score == "location_based") return;
    if (bias != "none" && bias != "tensor") return;
    const Combination all(score, normaliser, mask, bias);
    const auto moved = [&](const Tensor& x, Index axis) { return index_select(x, axis, order); };
    Terms options = all.options(true);
    // What the rule allows moves along with the keys.
    if (mask != "none") options.mask = Mask(moved(allowed(all.mask, kQ, kK), 2));
    if (bias == "tensor") options.bias = moved(options.bias, 1);
    const Attended out =
        attend(*all.score, all.query, moved(all.keys, 1), moved(all.values, 1), options);
    const Attended before = all(true);
    EXPECT_THAT(numbers(out.context), near(before.context)) << name;
    EXPECT_THAT(numbers(out.weights), near(moved(before.weights, 2))) << name;
  });
}

TEST_P(AlgebraProperties, CausalRowsAreBlindToWhatComes) {
  each([&](const auto& normaliser, const auto& mask, const auto& bias, const std::string& name) {
    if (!mask.starts_with("causal")) return;
    const Combination all(score, normaliser, mask, bias);
    const Tensor before = all(false).context;
    for (Index i = 0; i < kQ; ++i) {
      const Index seen = i + kK - kQ + 1;
      const auto changed = [&](const Tensor& x) {
        return concat({narrow(x, 1, 0, seen), randn({kB, kK - seen, kD}, DType::f64) * 5}, 1);
      };
      const Tensor after =
          attend(*all.score, all.query, changed(all.keys), changed(all.values), all.options(false))
              .context;
      EXPECT_EQ(numbers(narrow(after, 1, 0, i + 1)), numbers(narrow(before, 1, 0, i + 1))) << name;
    }
  });
}

TEST_P(AlgebraProperties, WideWindowsAndFlatSlopesChangeNothing) {
  const Alibi flat(zeros({1}, DType::f64));
  each([&](const auto& normaliser, const auto& mask, const auto& bias, const std::string& name) {
    const Combination all(score, normaliser, mask, bias);
    for (const bool need_weights : {false, true}) {
      const Terms options = all.options(need_weights);
      const auto context = [&](const Terms& how) {
        return numbers(attend(*all.score, all.query, all.keys, all.values, how).context);
      };
      const std::vector<double> before = context(options);
      Terms wide = options;
      wide.mask = wide.mask & Mask::window(kK, kK);
      EXPECT_THAT(context(wide), near(before)) << name;
      Terms one_block = options;
      one_block.mask = one_block.mask & Mask::block(kK);
      EXPECT_THAT(context(one_block), near(before)) << name;
      Terms sloped = options;
      const Tensor level = flat.offsets(kQ, kK);
      sloped.offset_bias = options.offset_bias.defined() ? options.offset_bias + level : level;
      EXPECT_THAT(context(sloped), near(before)) << name;
      sloped = options;
      const Tensor none = flat(kQ, kK);
      sloped.bias = sloped.bias.defined() ? sloped.bias + none : none;
      EXPECT_THAT(context(sloped), near(before)) << name;
    }
  });
}

TEST_P(AlgebraProperties, SparsemaxIsTwoEntmaxAndSoftmaxItsLimitAtOne) {
  const Sparsemax sparsemax;
  const Softmax softmax;
  const Entmax two({.alpha = 2}), nearly_one({.alpha = 1 + 1e-7});
  for (const std::string& mask : kMasks) {
    for (const std::string& bias : kBiases) {
      if (!is_legal(score, "softmax", bias)) continue;
      const Combination all(score, "softmax", mask, bias);
      const auto by = [&](const Normaliser& normaliser) {
        Terms options = all.options(true);
        options.normaliser = &normaliser;
        return attend(*all.score, all.query, all.keys, all.values, options);
      };
      const std::string name = mask + " x " + bias;
      EXPECT_THAT(numbers(by(two).weights), near(by(sparsemax).weights, 1e-9)) << name;
      EXPECT_THAT(numbers(by(nearly_one).weights), near(by(softmax).weights, 1e-5)) << name;
    }
  }
}

TEST_P(AlgebraProperties, WeightsOnRequestChangeNothing) {
  each([&](const auto& normaliser, const auto& mask, const auto& bias, const std::string& name) {
    const Combination all(score, normaliser, mask, bias);
    EXPECT_THAT(numbers(all(false).context), near(all(true).context)) << name;
    EXPECT_FALSE(all(false).weights.defined());
  });
}

TEST_P(AlgebraProperties, StepByStepEqualsAllAtOnce) {
  each([&](const auto& normaliser, const auto& mask, const auto& bias, const std::string& name) {
    if (bias != "none" || (mask != "none" && mask != "lengths" && mask != "key_padding")) return;
    const Combination all(score, normaliser, mask, bias);
    const Attended whole = all(true);
    const Memory memory = all.memory(all.keys);
    for (int sequence = 0; sequence < 2; ++sequence) {
      Past past;
      for (Index i = 0; i < kQ; ++i) {
        const Attended step = memory.step(select(all.query, 1, i), past, all.step_terms(true));
        EXPECT_THAT(numbers(step.context), near(select(whole.context, 1, i))) << name;
        EXPECT_THAT(numbers(step.weights), near(select(whole.weights, 1, i))) << name;
      }
    }
  });
}

// Counts of none and one.
TEST_P(AlgebraProperties, NothingToAttendToAndNobodyWhoAttends) {
  for (const std::string& normaliser : kNormalisers) {
    const Combination all(score, normaliser, "none", "none");
    for (const Mask& mask : {Mask(), Mask::causal() & Mask::window(2, 2)}) {
      Terms options = all.options(false);
      options.mask = mask;
      for (const Shape& size : {Shape{1, 1, 1}, Shape{0, 3, 5}, Shape{2, 0, 5}, Shape{2, 3, 0}}) {
        const Tensor query = randn({size[0], size[1], kD}, DType::f64);
        for (const bool need_weights : {false, true}) {
          options.need_weights = need_weights;
          Tensor keys = randn({size[0], size[2], kD}, DType::f64);
          keys.set_requires_grad();
          const Attended out = attend(*all.score, query, keys, keys, options);
          EXPECT_EQ(out.context.shape(), (Shape{size[0], size[1], kD})) << normaliser;
          EXPECT_TRUE(size[2] > 0 || sum(abs(out.context)).item() == 0) << normaliser;
          sum(out.context).backward();
          EXPECT_EQ(keys.grad().shape(), keys.shape()) << normaliser;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, AlgebraProperties, testing::ValuesIn(kScores),
                         [](const testing::TestParamInfo<std::string>& kind) {
                           return kind.param;
                         });

}  // namespace
}  // namespace heed::attention
