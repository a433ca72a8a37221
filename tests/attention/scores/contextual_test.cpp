#include "../../../attention/scores/contextual.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../attention/attend.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../nn/init.h"
#include "../../support/throws.h"
#include "../mechanisms/plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;

constexpr Index kQ = 3, kK = 5, kD = 4, kP = 3;

// Key by key on the way from each query back.
Numbers plain_contextual(const Leaves& p) {
  Numbers out;
  for (Index i = 0; i < kQ; ++i) {
    const Numbers q = p["q"].row({i});
    for (Index j = 0; j < kK; ++j) {
      double place = 0;
      for (Index t = j; t <= i + kK - kQ; ++t) {
        place += plain::sigmoid(plain::dot(q, p["k"].row({t})));
      }
      place = std::min(place, static_cast<double>(kP - 1));
      const double below = std::floor(place), above = std::ceil(place);
      const auto by = [&](double at) {
        return plain::dot(q, p["positions"].row({static_cast<Index>(at)}));
      };
      out.push_back(plain::dot(q, p["k"].row({j})) / std::sqrt(static_cast<double>(kD)) +
                    by(above) * (place - below) + by(below) * (1 - (place - below)));
    }
  }
  return out;
}

TEST(ContextualPositions, AreThePapersSums) {
  manual_seed(46);
  const ContextualPositions made(kD, kP, std::nullopt, DType::f64);
  nn::normal_(made.positions, 0, 1);
  const Tensor q = randn({kQ, kD}, DType::f64), k = randn({kK, kD}, DType::f64);
  const auto leaves = leaves_of(made, {{"q", q}, {"k", k}});
  const auto ours = [&] { return std::vector<Tensor>{made(q, k)}; };
  plain::expect_same(leaves, ours, plain_contextual);
  plain::expect_gradients(leaves, ours);
}

TEST(ContextualPositions, KeysAreSharedByHeads) {
  manual_seed(47);
  const ContextualPositions made(kD, kP, 0.3, DType::f64);
  nn::normal_(made.positions, 0, 1);
  const Tensor q = randn({2, 3, kQ, kD}, DType::f64), k = randn({2, 1, kK, kD}, DType::f64);
  const Tensor all = made(q, k);
  EXPECT_EQ(all.shape(), (Shape{2, 3, kQ, kK}));
  EXPECT_LT(difference(select(select(all, 0, 1), 0, 2),
                       made(select(select(q, 0, 1), 0, 2), select(select(k, 0, 1), 0, 0))),
            1e-14);
  EXPECT_EQ(made(q, zeros({2, 1, 0, kD}, DType::f64)).shape(), (Shape{2, 3, kQ, 0}));
}

// Query 0 and 2 do not see key 1, nobody sees key 3; what comes after a query is masked, too.
TEST(ContextualPositions, MaskedKeysCountAsZeros) {
  manual_seed(48);
  const ContextualPositions made(kD, kP, std::nullopt, DType::f64);
  nn::normal_(made.positions, 0, 1);
  const Tensor q = randn({kQ, kD}, DType::f64), k = randn({kK, kD}, DType::f64);
  const Tensor v = randn({kK, 2}, DType::f64);
  const Tensor seen(Array::from<bool>({true, false, true, false, false, true, true, true, false,
                                       false, true, false, true, false, true},
                                      {kQ, kK}));
  const auto context = [&](const Tensor& keys, const Tensor& values) {
    return attend(made, q, keys, values, {.mask = Mask(seen)}).context;
  };
  const auto with = [](const Tensor& x, Index place, double value) {
    return where(unsqueeze(arange(kK) == static_cast<double>(place), -1), value, x).detach();
  };
  plain::expect_hidden([&](double value) {
    const Tensor keys = with(k, 3, value), values = with(v, 3, value);
    return plain::bits_of(leaves_of(made, {{"q", q}, {"k", keys}, {"v", values}}),
                          [&] { return std::vector<Tensor>{context(keys, values)}; });
  });
  const Tensor zeros = context(with(k, 1, 0), v), other = context(with(k, 1, 9), v);
  for (const Index i : {0, 2}) {
    EXPECT_TRUE(same_bits(select(zeros, 0, i), select(context(k, v), 0, i))) << i;
    EXPECT_TRUE(same_bits(select(zeros, 0, i), select(other, 0, i))) << i;
  }
  EXPECT_GT(difference(select(zeros, 0, 1), select(other, 0, 1)), 1e-3);
}

TEST(ContextualPositions, RefuseWhatDoesNotFit) {
  const ContextualPositions made(kD, kP);
  EXPECT_ERROR(ShapeError, "contextual_positions: query must be [.., n, 4], not f32[3, 5]",
               made(zeros({3, 5}), zeros({3, 4})));
  EXPECT_ERROR(ShapeError, "contextual_positions: keys must be [.., n, 4], not f32[3, 5]",
               made(zeros({3, 4}), zeros({3, 5})));
  EXPECT_ERROR(DTypeError, "contextual_positions: query must be f32, not f64[3, 4]",
               made(zeros({3, 4}, DType::f64), zeros({3, 4})));
  EXPECT_ERROR(ValueError, "contextual_positions: width 0 and positions 3 must be positive",
               ContextualPositions(0, 3));
  EXPECT_ERROR(ValueError, "contextual_positions: scale inf is not finite",
               ContextualPositions(4, 3, INFINITY));
}

}  // namespace
}  // namespace heed::attention
