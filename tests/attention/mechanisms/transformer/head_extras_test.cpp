// What a call says of the sequence does not reach the extra keys behind it.
#include "../../../../attention/mechanisms/transformer/head_extras.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../../attention/mechanisms/transformer/multi_head.h"
#include "../../../../attention/scores/additive.h"
#include "../../../../attention/scores/location.h"
#include "../../../../autograd/ops/linalg/matmul.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../nn/init.h"
#include "../../../support/seeded_test.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kT = 5, kE = 6, kH = 2, kD = 3;

class HeadExtra : public SeededTestWithParam<9, Index> {
 protected:
  MultiHeadOptions options() const {
    return {.width = kE,
            .heads = kH,
            .kv_heads = GetParam(),
            .extras = {.slots = 1, .zero = true},
            .dtype = DType::f64};
  }
  const Tensor x = randn({kB, kT, kE}, DType::f64);
};
INSTANTIATE_TEST_SUITE_P(Shared, HeadExtra, testing::Values(2, 1));

TEST_P(HeadExtra, ABiasThatIsTheSameForAllKeysIsTheSequences) {
  MultiHead made(options());
  for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.4);
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{kT, 1}, Shape{kB, kH, kT, 1}}) {
    const Tensor bias = randn(shape, DType::f64) + 1.0;
    const Attended want =
        made(x, {.bias = contiguous(expand(bias, {kB, kH, kT, kT})), .need_weights = true});
    const Attended have = made(x, {.bias = bias, .need_weights = true});
    EXPECT_THAT(numbers(have.weights), near(want.weights));
    EXPECT_THAT(numbers(have.context), near(want.context));
  }
}

TEST_P(HeadExtra, AMaskThatIsTheSameForAllKeysIsTheSequences) {
  MultiHead made(options());
  for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.4);
  const Tensor weights = made(x, {.mask = Mask(zeros({}) == 1), .need_weights = true}).weights;
  const Attended want = made(x, {.mask = Mask::lengths({0, 0}, kT), .need_weights = true});
  EXPECT_THAT(numbers(weights), near(want.weights));
}

// A score looks at so many places of the sequence; the extra keys stand in none.
TEST_P(HeadExtra, AreWithinAnyReach) {
  MultiHeadOptions few = options(), many = options();
  few.score = std::make_shared<LocationBased>(kD, 2, DType::f64);
  many.score = std::make_shared<LocationBased>(kD, kT + 2, DType::f64);
  MultiHead near_by(few), far(many);
  nn::NamedTensors state = near_by.state_dict();
  for (auto& [name, tensor] : state) {
    if (name != "score.weight") continue;
    tensor = concat({tensor, randn({kT, kD}, DType::f64)}, 0);
  }
  far.load_state_dict(state);
  const Mask mask = Mask::lengths({2, 2}, kT);
  for (const bool need_weights : {false, true}) {
    const Attended have = near_by(x, {.need_weights = need_weights});
    const Attended want = far(x, {.mask = mask, .need_weights = need_weights});
    EXPECT_THAT(numbers(have.context), near(want.context));
    if (need_weights) {
      EXPECT_THAT(numbers(have.weights), near(want.weights));
    }
  }
  const ScoreMap same = score_map([](auto score, auto) { return score * 1.0; });
  EXPECT_THAT(numbers(near_by(x, {.map = same}).context), near(far(x, {.mask = mask}).context));
}

// A score that prepares its keys prepares the extra ones, too.
TEST_P(HeadExtra, ArePreparedAsTheSequencesKeysAre) {
  MultiHeadOptions of = options();
  of.extras = {.slots = 2, .bias_kv = true, .zero = true};
  const auto score = std::make_shared<Additive>(kD, kD, 7, false, DType::f64);
  of.score = score;
  MultiHead made(of);
  for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.4);
  const Index rows = GetParam() * kD;
  const auto heads = [](const Tensor& y, Index count) {  // [.., n, count D] -> [.., count, n, D]
    return transpose(reshape(y, {y.size(0), y.size(1), count, kD}), 1, 2);
  };
  const auto projected = [&](Index first, Index count) {
    return linear(x, narrow(made.in_proj_weight, 0, first, count),
                  narrow(made.in_proj_bias, 0, first, count));
  };
  const auto beside = [&](const Tensor& y, const Tensor& slots, const Tensor& bias) {
    const Tensor extra = concat({slots, reshape(bias, {1, rows}), zeros({1, rows}, DType::f64)}, 0);
    const Tensor all = heads(concat({y, expand(extra, {kB, 4, rows})}, 1), GetParam());
    return broadcast_to(all, {kB, kH, kT + 4, kD});  // one head of keys for all, or each its own
  };
  const Tensor q = heads(projected(0, kE), kH);
  const Tensor k = beside(projected(kE, rows), made.slot_keys, made.bias_k);
  const Tensor v = beside(projected(kE + rows, rows), made.slot_values, made.bias_v);
  const Tensor want =
      made.out_proj(reshape(transpose(attend(*score, q, k, v).context, 1, 2), {kB, kT, kE}));
  EXPECT_THAT(numbers(made(x).context), near(want));
  EXPECT_THAT(numbers(made(x, {.need_weights = true}).context), near(want));
  const ScoreMap same = score_map([](auto s, auto) { return s * 1.0; });
  EXPECT_THAT(numbers(made(x, {.map = same}).context), near(want));
}

}  // namespace
}  // namespace heed::attention
