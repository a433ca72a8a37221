#include "../../../../attention/mechanisms/transformer/transformer_xl.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/ops/elementwise/activation.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/normalise/softmax.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 2, kT = 5, kM = 3, kE = 6, kH = 3, kD = 2;

TransformerXLOptions options(Index memory = kM) {
  return {
      .layers = 2, .width = kE, .heads = kH, .hidden = 7, .memory = memory, .dtype = DType::f64};
}

// Section 3.3, pair by pair; contexts, then weights.
Numbers plain_heads(const Leaves& p, const Block& memory, bool remembers) {
  Numbers contexts, weights;
  for (std::size_t b = 0; b < kB; ++b) {
    auto all = remembers ? plain::rows_of(memory, b, kM) : std::vector<Numbers>();
    const std::size_t M = all.size();
    for (const Numbers& token : plain::rows_of(p["x"], b, kT)) all.push_back(token);
    std::vector<Numbers> joined(kT);
    for (Index h = 0; h < kH; ++h) {
      const auto projected = [&](const char* name, const Numbers& x) {
        const Numbers y = plain::affine(p[std::string(name) + ".weight"], x);
        return Numbers(y.begin() + h * kD, y.begin() + (h + 1) * kD);
      };
      for (std::size_t i = 0; i < kT; ++i) {
        const Numbers q = projected("q_proj", all[M + i]);
        Numbers e(all.size(), 0.0);
        for (std::size_t j = 0; j <= M + i; ++j) {
          const auto away = static_cast<double>(M + i - j);
          Numbers r;  // sines and cosines of the distance, in turn
          for (Index c = 0; c < kE; c += 2) {
            const double angle = away / std::pow(10000, static_cast<double>(c) / kE);
            r.push_back(std::sin(angle));
            r.push_back(std::cos(angle));
          }
          const Numbers k = projected("k_proj", all[j]), place = projected("r_proj", r);
          for (Index d = 0; d < kD; ++d) {
            e[j] += ((at(q, d) + p["content_bias"](h, d)) * at(k, d) +
                     (at(q, d) + p["position_bias"](h, d)) * at(place, d)) /
                    std::sqrt(static_cast<double>(kD));
          }
        }
        const Numbers a = plain::softmax(e, static_cast<Index>(M + i) + 1);
        weights.insert(weights.end(), a.begin(), a.end());
        Numbers head(kD, 0.0);
        for (std::size_t j = 0; j < all.size(); ++j) {
          const Numbers v = projected("v_proj", all[j]);
          for (Index d = 0; d < kD; ++d) at(head, d) += a[j] * at(v, d);
        }
        joined[i] = plain::join({joined[i], head});
      }
    }
    for (const Numbers& heads : joined) {
      contexts = plain::join({contexts, plain::affine(p["out_proj.weight"], heads)});
    }
  }
  return plain::join({contexts, weights});
}

class TransformerXLs : public testing::Test {
 protected:
  const bool seeded_ = (manual_seed(51), true);  // before what is drawn below
  template <class Module>
  const Module& stirred(const Module& made) const {
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.6);
    return made;
  }
  Tensor x = randn({kB, kT, kE}, DType::f64), memory = randn({kB, kM, kE}, DType::f64);
};

TEST_F(TransformerXLs, HeadsAreThePapersSums) {
  const TransformerXLHeads made(options());
  stirred(made);
  const auto leaves = leaves_of(made, {{"x", x}});
  for (const bool remembers : {true, false}) {
    const auto ours = [&] {
      const Attended seen = made(x, remembers ? memory : Tensor(), {.need_weights = true});
      return std::vector<Tensor>{seen.context, transpose(seen.weights, 0, 0)};
    };
    plain::expect_same(leaves, ours,
                       [&](const Leaves& p) { return plain_heads(p, Block(memory), remembers); });
    plain::expect_gradients(leaves, ours, 2);
  }
}

// With a memory as long as the past, segments are the whole, forwards.
TEST_F(TransformerXLs, SegmentsWithEnoughMemoryAreTheWhole) {
  const TransformerXL made(options(20));
  stirred(made);
  const Tensor text = randn({kB, 11, kE}, DType::f64);
  TransformerXL::State at_once, state;
  const StackOutput whole = made(text, at_once, {.need_weights = true});
  Index first = 0;
  for (const Index count : {4, 1, 6}) {
    const Tensor part = made(narrow(text, 1, first, count), state).output;
    EXPECT_LT(difference(part, narrow(whole.output, 1, first, count)), 1e-12);
    first += count;
  }
  ASSERT_EQ(whole.weights.size(), 2U);
  EXPECT_EQ(whole.weights[1].shape(), (Shape{kB, kH, 11, 11}));
  EXPECT_EQ(state.memory[1].shape(), (Shape{kB, 11, kE}));
}

TEST_F(TransformerXLs, KeepOnlyTheLastStatesAndNoGradient) {
  const TransformerXL made(options(kM));
  stirred(made);
  TransformerXL::State state;
  Tensor first = Tensor(x.array().clone()).set_requires_grad();
  made(first, state);
  EXPECT_EQ(state.memory[0].shape(), (Shape{kB, kM, kE}));
  EXPECT_LT(difference(state.memory[0], narrow(x, 1, kT - kM, kM)), 1e-15);
  sum(square(made(x, state).output)).backward();
  EXPECT_FALSE(first.grad().defined());
  state.reorder(Tensor(Array::from(std::vector<Index>{1, 1})));
  EXPECT_EQ(numbers(select(state.memory[1], 0, 0)), numbers(select(state.memory[1], 0, 1)));
  TransformerXL::State none;
  const TransformerXL forgetful(options(0));
  forgetful(x, none);
  EXPECT_FALSE(none.memory[0].defined());
}

TEST_F(TransformerXLs, HaveGradientsAsAStack) {
  const TransformerXL made(options());
  stirred(made);
  TransformerXL::State before;
  made(memory, before);
  plain::expect_gradients(
      leaves_of(made, {{"x", x}}),
      [&] {
        TransformerXL::State state = before;
        return std::vector<Tensor>{made(x, state).output};
      },
      2);
}

TEST_F(TransformerXLs, LayersAreTheirFormula) {
  const TransformerXLLayer made(options());
  stirred(made);
  const Attended seen = made.attend(x, memory);
  const Tensor h = made.norm1(x + seen.context);
  const Tensor want = made.norm2(h + made.linear2(relu(made.linear1(h))));
  EXPECT_LT(difference(made(x, memory).context, want), 1e-12);
  EXPECT_TRUE(made.linear1.bias.defined());
  EXPECT_TRUE(made.linear2.bias.defined());
}

// All of what the parts say is dropped, and the tokens alone are left.
TEST_F(TransformerXLs, LayersDropInTraining) {
  TransformerXLOptions dropping = options();
  dropping.dropout = 1;
  TransformerXLLayer made(dropping);
  stirred(made);
  EXPECT_LT(difference(made(x, memory).context, made.norm2(made.norm1(x))), 1e-12);
  made.eval();
  TransformerXLLayer whole(options());
  whole.load_state_dict(made.state_dict());
  EXPECT_EQ(numbers(made(x, memory).context), numbers(whole(x, memory).context));
}

TEST_F(TransformerXLs, RememberAsFewStepsAsTheyAreTold) {
  const TransformerXL made(options(1));
  TransformerXL::State state;
  made(x, state);
  ASSERT_EQ(state.memory[0].shape(), (Shape{kB, 1, kE}));
  EXPECT_EQ(numbers(state.memory[0]), numbers(narrow(x, 1, kT - 1, 1)));
}

TEST_F(TransformerXLs, RefuseWhatDoesNotFit) {
  const TransformerXLHeads made(options());
  EXPECT_ERROR(ShapeError, "transformer_xl: x must be [.., n, 6], not f64[2, 5, 4]",
               made(zeros({kB, kT, 4}, DType::f64)));
  EXPECT_ERROR(DTypeError, "transformer_xl: x must be f64, not f32[2, 5, 6]",
               made(zeros({kB, kT, kE})));
  EXPECT_ERROR(ShapeError, "transformer_xl: memory must be [.., n, 6], not f64[2, 3, 4]",
               made(x, zeros({kB, kM, 4}, DType::f64)));
  EXPECT_ERROR(ShapeError, "transformer_xl: memory must have 2 rows, not 3: f64[3, 3, 6]",
               made(x, zeros({3, kM, kE}, DType::f64)));
  TransformerXL::State other;
  other.memory.resize(3);
  const TransformerXL two(options());
  EXPECT_ERROR(ValueError, "transformer_xl: a state of 3 layers for 2", two(x, other));
  EXPECT_ERROR(ValueError, "transformer_xl: heads 4 do not divide width 6",
               TransformerXLHeads({.width = 6, .heads = 4}));
  EXPECT_ERROR(ValueError,
               "transformer_xl: layers 1, width 6 and heads 1 must be positive, hidden 0 and "
               "memory -1 not negative",
               TransformerXL({.width = 6, .memory = -1}));
  EXPECT_ERROR(ValueError, "transformer_xl: dropout 2 is not in [0, 1]",
               TransformerXL({.width = 6, .dropout = 2}));
}

// Content and position together, before biases: a map that takes all of it leaves the biases alone.
TEST(TransformerXL, AMapSeesTheWholeScore) {
  manual_seed(17);
  const TransformerXLHeads made(options());
  const Tensor x = randn({kB, kT, kE}, DType::f64), bias = randn({kH, kT, kT}, DType::f64);
  const ScoreMap none = score_map([](auto s, auto) { return s * 0.0; });
  const Tensor mapped = made(x, {.bias = bias, .map = none, .need_weights = true}).weights;
  const Tensor causal = Mask::causal().tensor({kB, kH, kT, kT});
  const Tensor want = expand(softmax(bias, -1, causal), {kB, kH, kT, kT});
  EXPECT_LT(difference(mapped, want), 1e-12);
  const ScoreMap same = score_map([](auto s, auto) { return s * 1.0; });
  const Tensor memory = randn({kB, kM, kE}, DType::f64);
  EXPECT_LT(difference(made(x, memory, {.map = same}).context, made(x, memory).context), 1e-12);
}

}  // namespace
}  // namespace heed::attention
