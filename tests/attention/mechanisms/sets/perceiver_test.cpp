#include "../../../../attention/mechanisms/sets/perceiver.h"

#include <gtest/gtest.h>

#include "../../../../autograd/ops/elementwise/activation.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/linalg/matmul.h"
#include "../../../../autograd/ops/normalise/softmax.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::leaves_of;

constexpr Index kB = 2, kT = 7, kC = 3, kN = 5, kD = 4, kO = 2, kQ = 6, kHidden = 7;
const std::vector<Index> kLengths = {kT, 4};

PerceiverOptions options(Index blocks, bool shared, Index query_width) {
  return {.input_width = kC,
          .latents = kN,
          .width = kD,
          .heads = 2,
          .blocks = blocks,
          .layers = 2,
          .shared = shared,
          .hidden = kHidden,
          .query_width = query_width,
          .dtype = DType::f64};
}

void stir(const nn::Module& module) {
  for (const Tensor& each : module.parameters()) nn::normal_(each, 0, 0.6);
}

// z reads x of one example, in plain operators, head by head.
Tensor reading(const PerceiverRead& made, const Tensor& z, const Tensor& x, bool residual) {
  const MultiHead& m = made.attend;
  const Index E = m.options().width, D = E / 2;
  const Tensor n = made.input_norm(x);
  const auto part = [&](Index i) { return narrow(m.in_proj_bias, 0, i * E, E); };
  const Tensor q = linear(made.query_norm(z), m.q_proj_weight, part(0));
  const Tensor k = linear(n, m.k_proj_weight, part(1)), v = linear(n, m.v_proj_weight, part(2));
  std::vector<Tensor> heads;
  for (Index h = 0; h < 2; ++h) {
    const auto own = [&](const Tensor& y) { return narrow(y, -1, h * D, D); };
    const Tensor e = matmul(own(q), transpose(own(k), -2, -1)) * (1 / std::sqrt(double(D)));
    heads.push_back(matmul(softmax(e, -1), own(v)));
  }
  const Tensor seen = m.out_proj(concat(heads, -1));
  const Tensor o = residual ? z + seen : seen;
  return o + made.linear2(gelu(made.linear1(made.norm(o))));
}

class Perceivers : public testing::Test {
 protected:
  const bool seeded_ = (manual_seed(22), true);  // before what is drawn below
  Tensor x = randn({kB, kT, kC}, DType::f64);
  Tensor queries = randn({kB, kO, kQ}, DType::f64);
  const Mask mask = Mask::lengths(kLengths, kT);
  Tensor example(Index b) const { return narrow(select(x, 0, b), 0, 0, kLengths[std::size_t(b)]); }
};

TEST_F(Perceivers, ReadAndThinkInTurn) {
  for (const bool shared : {true, false}) {
    const Perceiver made(options(3, shared, 0));
    stir(made);
    const std::size_t modules = shared ? 2 : 3;
    ASSERT_EQ(made.read.size(), modules);
    const auto leaves = leaves_of(made, {{"x", x}});
    const auto ours = [&] { return std::vector<Tensor>{made(x, mask).context}; };
    const auto by_hand = [&] {
      std::vector<Tensor> out;
      for (Index b = 0; b < kB; ++b) {
        Tensor z = made.latents;
        for (std::size_t block = 0; block < 3; ++block) {
          const std::size_t own = std::min(block, modules - 1);
          z = reading(made.read[own], z, example(b), true);
          z = squeeze(made.think[own](unsqueeze(z, 0)).output, 0);
        }
        out.push_back(z);
      }
      return std::vector<Tensor>{stack(out)};
    };
    const auto have = plain::bits_of(leaves, ours), wanted = plain::bits_of(leaves, by_hand);
    ASSERT_EQ(have.size(), wanted.size());
    for (std::size_t i = 0; i < have.size(); ++i) EXPECT_THAT(have[i], near(wanted[i], 1e-10));
    if (shared) plain::expect_gradients(leaves, ours, 2);
  }
}

TEST_F(Perceivers, AnswerAnyNumberOfQueries) {
  const Perceiver made(options(1, true, kQ));
  stir(made);
  const auto leaves = leaves_of(made, {{"x", x}, {"queries", queries}});
  const auto ours = [&] { return std::vector<Tensor>{made(queries, x, mask).context}; };
  const auto by_hand = [&] {
    std::vector<Tensor> out;
    for (Index b = 0; b < kB; ++b) {
      const Tensor z = reading(made.read[0], made.latents, example(b), true);
      const Tensor thought = squeeze(made.think[0](unsqueeze(z, 0)).output, 0);
      out.push_back(reading(*made.answer, select(queries, 0, b), thought, false));
    }
    return std::vector<Tensor>{stack(out)};
  };
  const auto have = plain::bits_of(leaves, ours), wanted = plain::bits_of(leaves, by_hand);
  ASSERT_EQ(have.size(), wanted.size());
  for (std::size_t i = 0; i < have.size(); ++i) EXPECT_THAT(have[i], near(wanted[i], 1e-10));
  plain::expect_gradients(leaves, ours, 2);
  EXPECT_EQ(made(queries, x, mask, true).weights.shape(), (Shape{kB, 2, kO, kN}));
  EXPECT_LT(difference(made(narrow(queries, 1, 1, 1), x, mask).context,
                       narrow(made(queries, x, mask).context, 1, 1, 1)),
            1e-13);
}

TEST_F(Perceivers, RefuseWhatDoesNotFit) {
  const Perceiver made(options(1, true, 0));
  EXPECT_ERROR(ShapeError, "perceiver: x must be [.., n, 3], not f64[2, 7, 4]",
               made(zeros({kB, kT, 4}, DType::f64)));
  EXPECT_ERROR(DTypeError, "perceiver: x must be f64, not f32[2, 7, 3]", made(zeros({kB, kT, kC})));
  EXPECT_ERROR(ValueError, "perceiver: it has no query_width, and answers nothing",
               made(queries, x));
  const Perceiver io(options(1, true, kQ));
  EXPECT_ERROR(ShapeError, "perceiver: queries must have 2 rows, not 3: f64[3, 2, 6]",
               io(zeros({3, kO, kQ}, DType::f64), x));
  PerceiverOptions none = options(0, true, 0);
  EXPECT_ERROR(ValueError, "perceiver: latents 5, width 4, blocks 0 and layers 2 must be positive",
               Perceiver{none});
  EXPECT_ERROR(ValueError,
               "perceiver: width 4 and input_width 0 must be positive, hidden 0 not negative",
               PerceiverRead({.width = 4}));
}

}  // namespace
}  // namespace heed::attention
