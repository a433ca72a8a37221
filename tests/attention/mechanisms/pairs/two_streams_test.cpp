#include "../../../../attention/mechanisms/pairs/two_streams.h"

#include <gtest/gtest.h>

#include <cmath>

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

constexpr Index kB = 2, kT = 5, kN = 3, kX = 4, kY = 6;
const std::vector<Index> kWords = {kT, 4}, kPlaces = {2, kN};

TwoStreamsOptions options() {
  return {.width = kX,
          .other_width = kY,
          .heads = 2,
          .hidden = 7,
          .other_hidden = 5,
          .dtype = DType::f64};
}

// One example's half in plain operators, head by head.
Tensor half(const StreamHalf& made, const Tensor& x, const Tensor& y) {
  const MultiHead& m = made.attend;
  const Index E = m.options().width, D = E / 2;
  const auto part = [&](Index i) { return narrow(m.in_proj_bias, 0, i * E, E); };
  const Tensor q = linear(x, m.q_proj_weight, part(0));
  const Tensor k = linear(y, m.k_proj_weight, part(1)), v = linear(y, m.v_proj_weight, part(2));
  std::vector<Tensor> heads;
  for (Index h = 0; h < 2; ++h) {
    const auto own = [&](const Tensor& z) { return narrow(z, -1, h * D, D); };
    const Tensor e =
        matmul(own(q), transpose(own(k), 0, 1)) * (1 / std::sqrt(static_cast<double>(D)));
    heads.push_back(matmul(softmax(e, -1), own(v)));
  }
  const Tensor seen = made.norm1(x + m.out_proj(concat(heads, -1)));
  return made.norm2(seen + made.linear2(gelu(made.linear1(seen))));
}

class TwoStreamsOf : public testing::Test {
 protected:
  const bool seeded_ = (manual_seed(63), true);  // before what is drawn below
  TwoStreamsOf() {
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.6);
  }
  const TwoStreams made{options()};
  Tensor x = randn({kB, kT, kX}, DType::f64), y = randn({kB, kN, kY}, DType::f64);
  const Mask words = Mask::lengths(kWords, kT), places = Mask::lengths(kPlaces, kN);
};

TEST_F(TwoStreamsOf, EachAsksTheOther) {
  const auto leaves = leaves_of(made, {{"x", x}, {"y", y}});
  const auto real = [](const Tensor& of, std::size_t b, const std::vector<Index>& lengths) {
    return narrow(select(of, 0, static_cast<Index>(b)), 0, 0, lengths[b]);
  };
  const auto ours = [&] {
    const TwoStreamsOutput seen = made(x, y, words, places);
    std::vector<Tensor> out;
    for (std::size_t b = 0; b < kB; ++b) {
      out.push_back(real(seen.x.context, b, kWords));
      out.push_back(real(seen.y.context, b, kPlaces));
    }
    return out;
  };
  const auto by_hand = [&] {
    std::vector<Tensor> out;
    for (std::size_t b = 0; b < kB; ++b) {
      const Tensor own = real(x, b, kWords), other = real(y, b, kPlaces);
      out.push_back(half(made.first, own, other));
      out.push_back(half(made.second, other, own));
    }
    return out;
  };
  const auto have = plain::bits_of(leaves, ours), wanted = plain::bits_of(leaves, by_hand);
  ASSERT_EQ(have.size(), wanted.size());
  for (std::size_t i = 0; i < have.size(); ++i) EXPECT_THAT(have[i], near(wanted[i], 1e-11));
  plain::expect_gradients(leaves, ours, 2);
  const TwoStreamsOutput seen = made(x, y, words, places, true);
  EXPECT_EQ(seen.x.weights.shape(), (Shape{kB, 2, kT, kN}));
  EXPECT_EQ(seen.y.weights.shape(), (Shape{kB, 2, kN, kT}));
}

TEST_F(TwoStreamsOf, RefuseWhatDoesNotFit) {
  EXPECT_ERROR(ShapeError, "two_streams: x must be [.., n, 4], not f64[2, 5, 6]",
               made(zeros({kB, kT, kY}, DType::f64), y));
  EXPECT_ERROR(ShapeError, "two_streams: y must be [.., n, 6], not f64[2, 3, 4]",
               made(x, zeros({kB, kN, kX}, DType::f64)));
  EXPECT_ERROR(ShapeError, "two_streams: y must have 2 rows, not 3: f64[3, 3, 6]",
               made(x, zeros({3, kN, kY}, DType::f64)));
  EXPECT_ERROR(DTypeError, "two_streams: x must be f64, not f32[2, 5, 4]",
               made(zeros({kB, kT, kX}), y));
  EXPECT_ERROR(ValueError,
               "two_streams: width 4 and other_width 0 must be positive, hidden 0 and other_hidden "
               "0 not negative",
               TwoStreams({.width = 4}));
}

}  // namespace
}  // namespace heed::attention
