// What holds for every mechanism.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../autograd/backward.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/gradcheck.h"
#include "../../../autograd/methods.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../support/numbers.h"
#include "mechanisms.h"
#include "plain.h"

namespace heed::attention {
namespace {

using Lengths = std::vector<Index>;
using Outputs = std::function<std::vector<Tensor>()>;

class Mechanisms : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism made = mechanism(GetParam());
  Tensor query = randn({kB, kQ, kE}, DType::f64).set_requires_grad();
  Tensor keys = randn({kB, kK, kE}, DType::f64).set_requires_grad();

  bool crosses() const { return !made.self && !made.pools; }
  std::vector<NamedLeaf> leaves() const {
    std::vector<NamedLeaf> out = {{"keys", keys}};
    if (crosses()) out.push_back({"query", query});
    std::size_t part = 0;
    for (const auto& module : made.modules) {
      for (const auto& [name, tensor] : module->named_parameters()) {
        out.push_back({std::to_string(part) + '.' + name, tensor});
      }
      ++part;
    }
    return out;
  }
  // Of row b of a result, what belongs to its first `length` tokens, where tokens are the queries.
  Tensor row(const Tensor& x, Index b, Index length) const {
    const Tensor own = narrow(x, 0, b, 1);
    return made.self ? narrow(own, 1, 0, length) : own;
  }
};

INSTANTIATE_TEST_SUITE_P(All, Mechanisms, testing::ValuesIn(kMechanisms),
                         [](const auto& made) { return made.param; });

std::vector<std::string> those(bool (*wanted)(const Mechanism&)) {
  std::vector<std::string> out;
  for (const std::string& name : kMechanisms) {
    if (wanted(mechanism(name))) out.push_back(name);
  }
  return out;
}

class SelfAttention : public Mechanisms {};
INSTANTIATE_TEST_SUITE_P(Each, SelfAttention, testing::ValuesIn(those([](const Mechanism& made) {
                           return static_cast<bool>(made.causal);
                         })),
                         [](const auto& made) { return made.param; });

class WithoutResiduals : public Mechanisms {};
INSTANTIATE_TEST_SUITE_P(Each, WithoutResiduals, testing::ValuesIn(those([](const Mechanism& made) {
                           return !made.residual;
                         })),
                         [](const auto& made) { return made.param; });

TEST_P(Mechanisms, HasGradientsOfFirstAndSecondOrder) {
  const Outputs both = [&] {
    const Attended out = made.call(query, keys, {kK, 2}, true);
    return std::vector<Tensor>{out.context, out.weights};
  };
  const Outputs alone = [&] {
    return std::vector<Tensor>{made.call(query, keys, {kK, 2}, false).context};
  };
  const auto first = gradcheck(both, leaves(), {.step = 1e-4});
  EXPECT_TRUE(first) << first.text();
  const auto without = gradcheck(alone, leaves(), {.step = 1e-4});
  EXPECT_TRUE(without) << without.text();
  const auto second = gradgradcheck(alone, leaves(), {.step = 1e-4, .max_elements = 6});
  EXPECT_TRUE(second) << second.text();
  // The scoreboard counts mechanisms, not how often they stand here.
  RecordProperty("mechanism", made.name);
  RecordProperty("group", made.group);
  RecordProperty("class", made.module().class_name());
  RecordProperty("exported", GetParam());  // by tests/peers/onnx, which has each row of this table
}

// The dtype is that of the parameters, whatever the options said.
TEST_P(Mechanisms, ConvertedToFloatsItTakesFloats) {
  if (GetParam() == "heads_with_soft_cap" || GetParam() == "heads_with_slopes") {
    GTEST_SKIP() << "its numbers stand in the terms, not in the module";
  }
  const NoGrad scope;
  const Tensor wanted = made.call(query, keys, {kK, 2}, true).context;
  for (const auto& module : made.modules) module->to(DType::f32);
  for (const bool need_weights : {false, true}) {
    const Attended out =
        made.call(to(query, DType::f32), to(keys, DType::f32), {kK, 2}, need_weights);
    ASSERT_EQ(out.context.dtype(), DType::f32);
    EXPECT_TRUE(to(out.context, DType::f64).allclose(wanted, 1e-3, 1e-4));
    if (need_weights) {
      EXPECT_EQ(out.weights.dtype(), DType::f32);
    }
  }
}

TEST_P(Mechanisms, WeightsAreWeightsAndNotNeeded) {
  const Attended out = made.call(query, keys, {kK, 2}, true);
  if (!made.any_sign) {
    EXPECT_GE(amin(out.weights).item(), 0);
  }
  EXPECT_EQ(out.weights.size(made.key_axis), kK);
  EXPECT_EQ(sum(abs(narrow(narrow(out.weights, 0, 1, 1), made.key_axis, 2, kK - 2))).item(), 0);
  const Tensor sums = sum(out.weights, {made.key_axis});
  if (!made.sums_to_any) {
    EXPECT_LE(amax(sums).item(), 1 + 1e-12);
  }
  if (made.sums_to_one) {
    EXPECT_LT(amax(abs(sums - 1)).item(), 1e-12);
  }
  const Attended alone = made.call(query, keys, {kK, 2}, false);
  EXPECT_FALSE(alone.weights.defined());
  EXPECT_LT(difference(alone.context, out.context), 1e-12);
}

TEST_P(WithoutResiduals, RowsWithoutKeysGiveZeros) {
  const auto forget = [&] {
    for (auto [name, leaf] : leaves()) leaf.zero_grad();
  };
  for (const bool need_weights : {true, false}) {
    forget();
    const Attended out = made.call(query, keys, {kK, 0}, need_weights);
    const Tensor empty = narrow(out.context, 0, 1, 1);
    if (need_weights) {
      EXPECT_EQ(sum(abs(narrow(out.weights, 0, 1, 1))).item(), 0);
    }
    if (made.projects) {  // the projection's bias, the same for all
      EXPECT_LT(difference(empty, expand(narrow(empty, 1, 0, 1), empty.shape())), 1e-15);
    } else if (GetParam() != "hierarchical") {
      EXPECT_EQ(sum(abs(empty)).item(), 0);
    }
    sum(empty * 1e9).backward();
    for (const auto& [name, leaf] : leaves()) {
      if (!leaf.grad().defined()) continue;
      const bool behind = made.projects && name.find("out_proj") != std::string::npos;
      if (!behind) {
        EXPECT_EQ(sum(abs(leaf.grad())).item(), 0) << name;
      }
    }
  }
}

TEST_P(Mechanisms, WhatIsMaskedChangesNoBit) {
  const Lengths lengths = {3, 2};
  const auto run = [&](double hidden, bool need_weights) {
    Array dirty = keys.array().clone();
    for (Index b = 0; b < kB; ++b) {
      for (Index t = lengths[static_cast<std::size_t>(b)]; t < kK; ++t) {
        dirty.mutable_data<double>()[(b * kK + t) * kE + 1] = hidden;
      }
    }
    Tensor there(dirty);
    there.set_requires_grad();
    for (auto [name, leaf] : leaves()) leaf.zero_grad();
    const Attended out = made.call(query, there, lengths, need_weights);
    std::vector<std::vector<double>> bits;
    Tensor loss = tensor(0, DType::f64);
    for (Index b = 0; b < kB; ++b) {
      const Tensor real = row(out.context, b, lengths[static_cast<std::size_t>(b)]);
      bits.push_back(numbers(real));
      loss = loss + sum(real * real);
    }
    loss.backward();
    bits.push_back(numbers(there.grad()));
    for (const auto& [name, leaf] : leaves()) {
      if (leaf.grad().defined()) bits.push_back(numbers(leaf.grad()));
    }
    return bits;
  };
  for (const bool need_weights : {false, true}) {
    plain::expect_hidden([&](double hidden) { return run(hidden, need_weights); });
  }
}

// What is not masked is not dropped: the first example sees it, the second does not notice.
TEST_P(Mechanisms, WhatIsNotANumberIsSeenByThoseWhoMay) {
  const auto bits = [](const Tensor& x, Index b) { return numbers(narrow(x, 0, b, 1)); };
  for (const bool need_weights : {false, true}) {
    const Tensor clean = made.call(query, keys, {kK, 2}, need_weights).context;
    Array dirty = keys.array().clone();
    dirty.mutable_data<double>()[2 * kE + 1] = std::numeric_limits<double>::quiet_NaN();
    const Attended out = made.call(query, dirty, {kK, 2}, need_weights);
    EXPECT_EQ(bits(out.context, 1), bits(clean, 1));
    const bool by_query = GetParam().find("location_based") != std::string::npos;
    const std::vector<double> seen = bits(out.context, 0), untouched = bits(clean, 0);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (made.always_causal && i < 2 * kE) {
        EXPECT_EQ(seen[i], untouched[i]);
      } else if (!by_query || i % kE == 1) {
        // No key enters scores by query: only the value's own feature is not a number.
        EXPECT_TRUE(std::isnan(seen[i]));
      }
    }
  }
}

TEST_P(Mechanisms, APaddedBatchEqualsEachExampleAlone) {
  const Lengths lengths = {4, 2};
  const Attended all = made.call(query, keys, lengths, true);
  for (Index b = 0; b < kB; ++b) {
    const Index n = lengths[static_cast<std::size_t>(b)];
    const Attended alone =
        made.call(narrow(query, 0, b, 1), narrow(narrow(keys, 0, b, 1), 1, 0, n), {n}, true);
    Tensor weights = narrow(narrow(all.weights, 0, b, 1), made.key_axis, 0, n);
    if (made.self) weights = narrow(weights, made.key_axis - 1, 0, n);
    EXPECT_LT(difference(alone.weights, weights), 1e-12);
    if (GetParam() == "pointer") continue;  // whose contexts are its weights
    EXPECT_LT(difference(alone.context, row(all.context, b, n)), 1e-12);
  }
}

TEST_P(Mechanisms, TheOrderOfKeysIsNothingWherePlacesAreNot) {
  const Tensor order(Array::from(std::vector<Index>{3, 0, 4, 1, 2}));
  const Tensor before = made.call(query, keys, {kK, kK}, false).context;
  const Tensor after = made.call(query, index_select(keys, 1, order), {kK, kK}, false).context;
  const bool moves = made.self || GetParam() == "pointer";
  const Index axis = made.self ? 1 : -1;
  const double moved = difference(after, moves ? index_select(before, axis, order) : before);
  if (made.by_place) {
    EXPECT_GT(moved, 1e-3);
  } else {
    EXPECT_LT(moved, 1e-12);
  }
}

TEST_P(SelfAttention, CausalRowsAreBlindToWhatComes) {
  const Tensor before = made.causal(keys);
  for (Index seen = 1; seen < kK; ++seen) {
    const Tensor changed =
        concat({narrow(keys, 1, 0, seen), randn({kB, kK - seen, kE}, DType::f64) * 5}, 1);
    const Tensor after = made.causal(changed);
    EXPECT_EQ(numbers(narrow(after, 1, 0, seen)), numbers(narrow(before, 1, 0, seen)));
    EXPECT_GT(difference(after, before), 1e-3);
  }
}

// In its own name, before anything is computed or written.
TEST_P(Mechanisms, RefusesWhatDoesNotFit) {
  const auto text = [&](const Tensor& q, const Tensor& k, const Lengths& lengths) -> std::string {
    try {
      made.call(q, k, lengths, false);
    } catch (const ShapeError& error) {
      return error.what();
    } catch (const DTypeError& error) {
      return error.what();
    }
    return "no error";
  };
  const auto refuses = [&](const std::string& found, const std::string& came) {
    EXPECT_TRUE(found.starts_with(made.name + ": ")) << found;
    EXPECT_NE(found.find(came), std::string::npos) << found;
  };
  const Tensor wide = zeros({kB, kK, kE + 1}, DType::f64);
  if (GetParam().find("location_based") == std::string::npos) {
    refuses(text(query, wide, {kK, 2}), "7]");
  }
  if (crosses()) {
    refuses(text(zeros({kB, kQ, kE + 1}, DType::f64), keys, {kK, 2}), "7]");
    refuses(text(zeros({3, kQ, kE}, DType::f64), keys, {kK, 2}), "3");
  }
  refuses(text(query, keys, {kK, 2, 1}), "3");
  if (!made.parameters().empty()) {
    refuses(text(to(query, DType::f32), to(keys, DType::f32), {kK, 2}), "f32");
  }
  EXPECT_NE(text(query, keys, {kK, -1}).find("length -1 of row 1 is not in [0, 5]"),
            std::string::npos);
  EXPECT_NE(text(query, keys, {kK + 1, 2}).find("length 6 of row 0 is not in [0, 5]"),
            std::string::npos);
}

TEST_P(Mechanisms, EmptyBatchesQueriesAndKeys) {
  const auto shape = [&](Index B, Index Q, Index K) {
    return made
        .call(zeros({B, Q, kE}, DType::f64), zeros({B, K, kE}, DType::f64),
              Lengths(static_cast<std::size_t>(B), K), true)
        .weights.shape();
  };
  EXPECT_EQ(shape(0, kQ, kK).at(0), 0);
  EXPECT_EQ(shape(1, 1, 1).at(made.key_axis), 1);
  if (crosses()) {
    EXPECT_EQ(shape(kB, 0, kK).at(made.key_axis - 1), 0);
  }
  if (GetParam() != "hierarchical") {
    EXPECT_EQ(shape(kB, kQ, 0).at(made.key_axis), 0);
  }
}

// All but the functions, which come last.
class HookedMechanisms : public Mechanisms {};
INSTANTIATE_TEST_SUITE_P(All, HookedMechanisms,
                         testing::ValuesIn(kMechanisms.begin(), kMechanisms.end() - 2),
                         [](const auto& made) { return made.param; });

TEST_P(HookedMechanisms, PassOnWhatHooksMake) {
  int seen = 0;
  made.module().register_forward_hook([&](const nn::Module&, const Tensor& out) {
    ++seen;
    return out * 0;
  });
  EXPECT_EQ(sum(abs(narrow(made.call(query, keys, {kK, kK}, false).context, -1, 0, 2))).item() > 0,
            GetParam() == "pointer");
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace heed::attention
