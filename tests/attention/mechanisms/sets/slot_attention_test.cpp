#include "../../../../attention/mechanisms/sets/slot_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
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
using Rows = std::vector<Numbers>;

constexpr Index kB = 2, kT = 5, kIn = 3, kN = 2, kD = 4, kHidden = 7, kTimes = 3;
constexpr double kEps = 0.01;
const std::vector<Index> kLengths = {kT, 3};

SlotAttentionOptions options() {
  return {.input = kIn,
          .width = kD,
          .hidden = kHidden,
          .times = kTimes,
          .eps = kEps,
          .dtype = DType::f64};
}

Numbers normed(const Leaves& p, const std::string& name, const Numbers& x) {
  const auto n = static_cast<double>(x.size());
  double mean = 0, variance = 0;
  for (const double each : x) mean += each / n;
  for (const double each : x) variance += (each - mean) * (each - mean) / n;
  Numbers out;
  for (Index i = 0; i < static_cast<Index>(x.size()); ++i) {
    out.push_back((at(x, i) - mean) / std::sqrt(variance + 1e-5) * p[name + ".weight"](i) +
                  p[name + ".bias"](i));
  }
  return out;
}

// Algorithm 1, for one set.
Rows run(const Leaves& p, Rows slots, const Rows& inputs, Rows* weights) {
  for (Index time = 0; time < kTimes; ++time) {
    weights->assign(kN, Numbers(inputs.size(), 0.0));
    for (std::size_t j = 0; j < inputs.size(); ++j) {
      const Numbers k =
          plain::affine(p["key_projection.weight"], normed(p, "input_norm", inputs[j]));
      Numbers e;
      for (const Numbers& slot : slots) {
        const Numbers q = plain::affine(p["query_projection.weight"], normed(p, "slot_norm", slot));
        e.push_back(plain::dot(q, k) / std::sqrt(static_cast<double>(kD)));
      }
      const Numbers shares = plain::softmax(e, kN);
      for (std::size_t i = 0; i < kN; ++i) (*weights)[i][j] = shares[i];
    }
    for (std::size_t i = 0; i < kN; ++i) {
      double total = kEps;
      for (const double share : (*weights)[i]) total += share;
      Numbers update(kD, 0.0);
      for (std::size_t j = 0; j < inputs.size(); ++j) {
        (*weights)[i][j] /= total;
        const Numbers v =
            plain::affine(p["value_projection.weight"], normed(p, "input_norm", inputs[j]));
        for (Index d = 0; d < kD; ++d) at(update, d) += (*weights)[i][j] * at(v, d);
      }
      // Gates of the cell as its own parameters stand in the leaves.
      const Numbers a = plain::affine(p["cell.weight_ih"], update, p["cell.bias_ih"]);
      const Numbers b = plain::affine(p["cell.weight_hh"], slots[i], p["cell.bias_hh"]);
      Numbers next;
      for (Index d = 0; d < kD; ++d) {
        const double r = plain::sigmoid(at(a, d) + at(b, d));
        const double z = plain::sigmoid(at(a, kD + d) + at(b, kD + d));
        const double n = std::tanh(at(a, 2 * kD + d) + r * at(b, 2 * kD + d));
        next.push_back((1 - z) * n + z * at(slots[i], d));
      }
      Numbers inner =
          plain::affine(p["linear1.weight"], normed(p, "mlp_norm", next), p["linear1.bias"]);
      for (double& each : inner) each = std::max(each, 0.0);
      slots[i] = plain::add(next, plain::affine(p["linear2.weight"], inner, p["linear2.bias"]));
    }
  }
  return slots;
}

TEST(SlotAttention, IsThePapersAlgorithm) {
  manual_seed(23);
  const SlotAttention made(options());
  for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.6);
  const Tensor x = randn({kB, kT, kIn}, DType::f64), first = randn({kB, kN, kD}, DType::f64);
  std::vector<NamedLeaf> leaves;
  for (const NamedLeaf& leaf : leaves_of(made, {{"x", x}, {"slots", first}})) {
    if (leaf.name != "mu" && leaf.name != "log_sigma") leaves.push_back(leaf);
  }
  const auto ours = [&] {
    const Attended seen = made(first, x, Mask::lengths(kLengths, kT), true);
    return std::vector<Tensor>{seen.context, seen.weights};
  };
  plain::expect_same(leaves, ours, [&](const Leaves& p) {
    Numbers slots, weights;
    for (std::size_t b = 0; b < kB; ++b) {
      Rows own;
      slots = plain::join({slots, plain::join(run(p, plain::rows_of(p["slots"], b, kN),
                                                  plain::rows_of(p["x"], b, kLengths[b]), &own))});
      for (Numbers& row : own) {
        row.resize(kT, 0);
        weights.insert(weights.end(), row.begin(), row.end());
      }
    }
    return plain::join({slots, weights});
  });
  plain::expect_gradients(leaves, ours, 2);
}

TEST(SlotAttention, BeginsWithWhatItDraws) {
  manual_seed(24);
  const SlotAttention made(options());
  nn::normal_(made.log_sigma, 0, 0.3);
  const Tensor x = randn({kB, kT, kIn}, DType::f64);
  Generator generator(7), again(7);
  const Tensor noise(again.normal({kB, 3, kD}, 0, 1, DType::f64));
  const Tensor drawn = made(3, x, Mask(), false, generator).context;
  EXPECT_EQ(numbers(drawn), numbers(made(made.mu + exp(made.log_sigma) * noise, x).context));
  const auto leaves = leaves_of(made, {});
  plain::expect_gradients(
      leaves,
      [&] {
        Generator same(7);
        return std::vector<Tensor>{made(3, x, Mask(), false, same).context};
      },
      2);
}

// What one slot gets, another does not: over the slots, before the mean, shares sum to 1.
TEST(SlotAttention, SlotsCompete) {
  manual_seed(25);
  const Tensor e = randn({kN, kT}, DType::f64);
  const Tensor w = SlotShares(0)(e);
  EXPECT_LT(difference(sum(w, {-1}), ones({kN}, DType::f64)), 1e-14);
  const Tensor shares = exp(e) / sum(exp(e), {0}, true);
  EXPECT_LT(difference(w, shares / sum(shares, {1}, true)), 1e-14);
}

// 0 of 0 is nothing.
TEST(SlotAttention, SharesOfNothingAreZeros) {
  manual_seed(26);
  Tensor e = randn({kB, kN, kT}, DType::f64).set_requires_grad();
  const Tensor real = reshape(Mask::lengths({3, 0}, kT).tensor(Shape{kB, kT}), {kB, 1, kT});
  const Tensor w = SlotShares(0)(e, real);
  EXPECT_LT(difference(sum(select(w, 0, 0), {-1}), ones({kN}, DType::f64)), 1e-14);
  EXPECT_EQ(numbers(select(w, 0, 1)), Numbers(kN * kT, 0.0));
  sum(w * w).backward();
  EXPECT_EQ(numbers(select(e.grad(), 0, 1)), Numbers(kN * kT, 0.0));
  EXPECT_GT(sum(abs(e.grad())).item(), 0);
}

TEST(SlotAttention, RefusesWhatDoesNotFit) {
  const SlotAttention made({.input = kIn, .width = kD});
  const Tensor x = zeros({kB, kT, kIn}), slots = zeros({kB, kN, kD});
  EXPECT_ERROR(ShapeError, "slot_attention: x must be [.., n, 3], not f32[2, 5, 4]",
               made(slots, zeros({kB, kT, 4})));
  EXPECT_ERROR(ShapeError, "slot_attention: slots must be [.., n, 4], not f32[2, 2, 3]",
               made(zeros({kB, kN, 3}), x));
  EXPECT_ERROR(ShapeError, "slot_attention: x must have 3 rows, not 2: f32[2, 5, 3]",
               made(zeros({3, kN, kD}), x));
  EXPECT_ERROR(DTypeError, "slot_attention: slots must be f32, not f64[2, 2, 4]",
               made(to(slots, DType::f64), x));
  EXPECT_ERROR(ValueError, "slot_attention: 0 slots must be positive", made(0, x));
  EXPECT_ERROR(ValueError,
               "slot_attention: input 3, width 0 and times 3 must be positive, hidden 0 not "
               "negative",
               SlotAttention({.input = kIn}));
  EXPECT_ERROR(ValueError, "slot_attention: eps -1 must not be negative", SlotShares(-1));
}

}  // namespace
}  // namespace heed::attention
