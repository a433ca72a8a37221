#include "../../../../attention/mechanisms/decoders/lstmn_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../decoders.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using testing::Each;

constexpr Index kB = 2, kT = 4, kN = 5, kI = 2, kH = 3, kA = 7;
const std::vector<Index> kSteps = {kT, 2}, kSource = {3, kN};

// Row `row` of w [.., in] times x.
double times(const Numbers& w, Index row, const Numbers& x) {
  double sum = 0;
  const auto in = static_cast<Index>(x.size());
  for (Index i = 0; i < in; ++i) sum += at(w, row * in + i) * at(x, i);
  return sum;
}

Numbers part(const Numbers& x, Index start, Index count) {
  return {x.begin() + start, x.begin() + start + count};
}

// softmax_j(v . tanh(fixed + W k_j)) over rows of keys.
Numbers weights_over(const std::vector<Numbers>& keys, const Numbers& w, const Numbers& fixed,
                     const Numbers& v) {
  Numbers out;
  double total = 0;
  for (const Numbers& key : keys) {
    double score = 0;
    for (Index a = 0; a < kA; ++a) score += at(v, a) * std::tanh(at(fixed, a) + times(w, a, key));
    out.push_back(std::exp(score));
    total += out.back();
  }
  for (double& x : out) x /= total;
  return out;
}

Numbers mixed(const Numbers& weights, const std::vector<Numbers>& rows) {
  Numbers out(kH, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < kH; ++k) out[k] += weights[i] * rows[i][k];
  }
  return out;
}

struct Plain {
  std::vector<Numbers> h, p, s;
};

Plain reference(const LSTMNDecoder& model, bool deep, const std::vector<Numbers>& x,
                const std::vector<Numbers>& gamma, const std::vector<Numbers>& alpha) {
  const LSTMNCell& cell = model.cell;
  const Numbers wg = numbers(model.score.key_projection.weight);
  const Numbers wq = numbers(model.score.query_projection.weight);
  const Numbers wh = numbers(cell.hidden_attention.weight);
  const Numbers wt = numbers(cell.summary_attention.weight);
  const Numbers wx = numbers(cell.input_attention.weight), v = numbers(cell.score_vector);
  Plain out;
  std::vector<Numbers> c;
  Numbers last(kH, 0.0), summary(kH, 0.0);
  for (const Numbers& now : x) {
    Numbers query(kA, 0.0);
    const Numbers asks = deep ? plain::join({now, last}) : last;
    for (Index a = 0; a < kA; ++a) at(query, a) = times(wq, a, asks);
    const Numbers p = weights_over(gamma, wg, query, numbers(model.score.score_vector));
    const Numbers source = mixed(p, gamma), memory = mixed(p, alpha);
    const Numbers in = deep ? now : plain::join({now, source});
    Numbers fixed(kA, 0.0);
    for (Index a = 0; a < kA; ++a) at(fixed, a) = times(wx, a, in) + times(wt, a, summary);
    const Numbers s = weights_over(out.h, wh, fixed, v);
    const Numbers htilde = mixed(s, out.h), ctilde = mixed(s, c);
    Numbers h, after;
    for (Index k = 0; k < kH; ++k) {
      double gate[4];
      for (Index g = 0; g < 4; ++g) {
        const Index row = g * kH + k;
        gate[g] = at(numbers(cell.gates.bias_ih), row) + at(numbers(cell.gates.bias_hh), row) +
                  times(numbers(cell.gates.weight_ih), row, in) +
                  times(numbers(cell.gates.weight_hh), row, htilde);
      }
      double value =
          plain::sigmoid(gate[1]) * at(ctilde, k) + plain::sigmoid(gate[0]) * std::tanh(gate[2]);
      if (deep) {
        const double r = plain::sigmoid(
            times(numbers(model.fusion_gate->weight), k, plain::join({source, now})) +
            at(numbers(model.fusion_gate->bias), k));
        value += r * at(memory, k);
      }
      after.push_back(value);
      h.push_back(plain::sigmoid(gate[3]) * std::tanh(value));
    }
    out.h.push_back(h);
    out.p.push_back(p);
    out.s.push_back(s);
    c.push_back(after);
    summary = htilde;
    last = deep ? source : h;
  }
  return out;
}

LSTMNDecoderOptions small(Fusion fusion) {
  return {.input = kI,
          .hidden = kH,
          .source = kH,
          .fusion = fusion,
          .attention = kA,
          .dtype = DType::f64};
}

TEST(LSTMNDecoder, IsTheDefinition) {
  for (const Fusion fusion : {Fusion::shallow, Fusion::deep}) {
    manual_seed(3);
    const LSTMNDecoder model(small(fusion));
    for (const Tensor& p : model.parameters()) nn::normal_(p, 0, 0.6);
    const Tensor x = randn({kB, kT, kI}, DType::f64), gamma = randn({kB, kN, kH}, DType::f64);
    const Tensor alpha = randn({kB, kN, kH}, DType::f64);
    const Mask mask = Mask::lengths(kSource, kN);
    const LSTMNDecoderOutput out = model(x, gamma, alpha, mask, {.need_weights = true}, kSteps);
    const LSTMNDecoderOutput alone = model(x, gamma, alpha, mask, {}, kSteps);
    EXPECT_TRUE(alone.weights.empty());
    EXPECT_EQ(out.intra_weights.shape(), (Shape{kB, kT, kT}));
    for (Index b = 0; b < kB; ++b) {
      const auto rows = [&](const Tensor& all, Index count) {
        std::vector<Numbers> list;
        for (Index t = 0; t < count; ++t) list.push_back(numbers(select(select(all, 0, b), 0, t)));
        return list;
      };
      const Index n = kSteps[static_cast<std::size_t>(b)], m = kSource[static_cast<std::size_t>(b)];
      const Plain expected =
          reference(model, fusion == Fusion::deep, rows(x, n), rows(gamma, m), rows(alpha, m));
      const auto h = rows(out.output, kT), h_alone = rows(alone.output, kT);
      const auto p = rows(out.weights.front(), kT), s = rows(out.intra_weights, kT);
      for (std::size_t t = 0; t < kT; ++t) {
        if (static_cast<Index>(t) >= n) {
          for (const Numbers& zero : {h[t], p[t], s[t]}) EXPECT_THAT(zero, Each(0));
          continue;
        }
        EXPECT_THAT(h[t], near(expected.h[t], 1e-10));
        EXPECT_THAT(h_alone[t], near(expected.h[t], 1e-10));
        EXPECT_THAT(part(p[t], 0, m), near(expected.p[t], 1e-10));
        EXPECT_THAT(part(s[t], 0, static_cast<Index>(t)), near(expected.s[t], 1e-10));
      }
    }
  }
}

TEST(LSTMNDecoder, StepByStepEqualsAllAtOnceAndBeamsCarryOn) {
  for (const Fusion fusion : {Fusion::shallow, Fusion::deep}) {
    manual_seed(5);
    const LSTMNDecoder model(small(fusion));
    const Tensor x = randn({kB, kT, kI}, DType::f64), tape = randn({kB, kN, kH}, DType::f64);
    const Mask mask = Mask::lengths(kSource, kN);
    const StackOutput all = model(x, tape, tape, mask, {.need_weights = true});
    expect_steps(model, model.start(tape, tape, mask), x, all, 2, {1, 0, 1});
  }
}

TEST(LSTMNDecoder, SaysWhatIsWrong) {
  EXPECT_ERROR(ValueError,
               "LSTMNDecoder: deep fusion adds a memory of the source's width 4 to one of 3",
               LSTMNDecoder({.input = 2, .hidden = 3, .source = 4}));
  EXPECT_ERROR(ValueError, "LSTMNDecoder: a span of 0 steps; -1 is no bound",
               LSTMNDecoder({.input = 2, .hidden = 3, .source = 3, .span = 0}));
  EXPECT_ERROR_WITH(ValueError, "LSTMNDecoder: input 2, hidden 0 and source 3",
                    LSTMNDecoder({.input = 2, .hidden = 0, .source = 3}));
  const LSTMNDecoder model(small(Fusion::deep));
  const Tensor x = zeros({kB, kT, kI}, DType::f64), tape = zeros({kB, kN, kH}, DType::f64);
  EXPECT_ERROR(ShapeError, "LSTMNDecoder: the source's tapes differ: f64[2, 5, 3] and f64[2, 2, 3]",
               model(x, tape, narrow(tape, 1, 0, 2)));
  EXPECT_ERROR(DTypeError, "LSTMNDecoder: the source's hidden tape must be f64, not f32[2, 5, 3]",
               model(x, heed::to(tape, DType::f32), tape));
  EXPECT_ERROR(DTypeError, "LSTMNDecoder: the source's memory tape must be f64, not f32[2, 5, 3]",
               model(x, tape, heed::to(tape, DType::f32)));
  EXPECT_ERROR(ShapeError, "LSTMNDecoder: x must be [B, n, width], not f64[4, 2]",
               model(select(x, 0, 0), tape, tape));
  EXPECT_ERROR_WITH(GradError, "LSTMNDecoder: the source's memory tape is undefined",
                    model(x, tape, Tensor()));
  EXPECT_ERROR(ShapeError, "LSTMNDecoder: 1 rows of x and 2 of the source",
               model(narrow(x, 0, 0, 1), tape, tape));
  auto state = model.start(tape, tape);
  EXPECT_ERROR(ShapeError, "LSTMNDecoder: a step's x must be [2, 2], not f64[2, 3]",
               model.step(zeros({kB, 3}, DType::f64), state));
  EXPECT_ERROR(DTypeError, "LSTMNDecoder: a step's x must be f64, not f32[2, 2]",
               model.step(zeros({kB, kI}), state));
  EXPECT_ERROR_WITH(GradError, "LSTMNDecoder: x is undefined", model.step(Tensor(), state));
  EXPECT_ERROR_WITH(ValueError, "attention -1 not negative",
                    LSTMNDecoder({.input = 2, .hidden = 3, .source = 3, .attention = -1}));
}

}  // namespace
}  // namespace heed::attention
