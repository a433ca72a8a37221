#include "../../../../attention/mechanisms/vision/deformable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../core/error.h"
#include "../../../../nn/init.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;

constexpr Index kB = 2, kQ = 3, kE = 4, kM = 2, kL = 2, kK = 2;
constexpr Index kHeights[] = {3, 2}, kWidths[] = {5, 3};

// Equation 3, sample by sample.
Numbers reference(const Leaves& x) {
  Numbers contexts, all_weights, all_places;
  Block weights({kB, kM, kQ, kL * kK}, std::vector<double>(kB * kM * kQ * kL * kK));
  Block places({kB, kM, kQ, kL, kK, 2}, std::vector<double>(kB * kM * kQ * kL * kK * 2));
  constexpr Index kD = kE / kM;
  for (Index b = 0; b < kB; ++b) {
    for (Index q = 0; q < kQ; ++q) {
      const Numbers query = x["query"].row({b, q});
      const auto of = [&](const std::string& name) {
        return plain::affine(x[name + ".weight"], query, x[name + ".bias"]);
      };
      const Numbers offsets = of("sampling_offsets"), logits = of("attention_weights");
      Numbers joined(kE, 0.0);
      for (Index m = 0; m < kM; ++m) {
        const Numbers own(logits.begin() + m * kL * kK, logits.begin() + (m + 1) * kL * kK);
        const Numbers A = plain::softmax(own, kL * kK);
        for (Index l = 0; l < kL; ++l) {
          const Block& map = x[l == 0 ? "map0" : "map1"];
          const Index H = kHeights[l], W = kWidths[l];
          for (Index k = 0; k < kK; ++k) {
            const Index sample = (m * kL + l) * kK + k;
            const double across =
                x["references"](b, q, 0) + at(offsets, 2 * sample) / static_cast<double>(W);
            const double down =
                x["references"](b, q, 1) + at(offsets, 2 * sample + 1) / static_cast<double>(H);
            weights.at({b, m, q, l * kK + k}) = at(A, l * kK + k);
            places.at({b, m, q, l, k, 0}) = across;
            places.at({b, m, q, l, k, 1}) = down;
            for (Index pixel = 0; pixel < H * W; ++pixel) {
              const double u = across * static_cast<double>(W) - 0.5;
              const double v = down * static_cast<double>(H) - 0.5;
              const double weight =
                  std::max(0.0, 1 - std::fabs(u - static_cast<double>(pixel % W))) *
                  std::max(0.0, 1 - std::fabs(v - static_cast<double>(pixel / W)));
              Numbers there;
              for (Index c = 0; c < kE; ++c) there.push_back(map(b, c, pixel / W, pixel % W));
              const Numbers value =
                  plain::affine(x["value_proj.weight"], there, x["value_proj.bias"]);
              for (Index d = 0; d < kD; ++d) {
                at(joined, m * kD + d) += at(A, l * kK + k) * weight * at(value, m * kD + d);
              }
            }
          }
        }
      }
      contexts = plain::join(
          {contexts, plain::affine(x["output_proj.weight"], joined, x["output_proj.bias"])});
    }
  }
  return plain::join({contexts, weights.values(), places.values()});
}

class Deformables : public SeededTest<67> {
 protected:
  const DeformableAttention made{
      {.width = kE, .heads = kM, .levels = kL, .points = kK, .dtype = DType::f64}};
  Tensor query = randn({kB, kQ, kE}, DType::f64), references = rand({kB, kQ, 2}, DType::f64);
  Tensor map0 = randn({kB, kE, kHeights[0], kWidths[0]}, DType::f64);
  Tensor map1 = randn({kB, kE, kHeights[1], kWidths[1]}, DType::f64);
};

TEST_F(Deformables, AreTheDefinition) {
  for (const nn::Linear* part :
       {&made.sampling_offsets, &made.attention_weights, &made.value_proj, &made.output_proj}) {
    nn::normal_(part->weight, 0, 0.5);
    nn::normal_(part->bias, 0, 0.5);
  }
  const auto leaves = plain::leaves_of(
      made, {{"query", query}, {"references", references}, {"map0", map0}, {"map1", map1}});
  const auto ours = [&] {
    const auto out = made(query, references, {map0, map1}, {.need_weights = true});
    return std::vector<Tensor>{out.context, out.weights, out.places};
  };
  plain::expect_same(leaves, ours, reference);
  const auto context = [&] { return std::vector{made(query, references, {map0, map1}).context}; };
  plain::expect_gradients(leaves, context);
  EXPECT_LT(difference(context()[0], ours()[0]), 1e-12);
}

// Head 0 to the right, head 1 to the left, the second point twice as far; all weigh the same.
TEST_F(Deformables, BeginInARing) {
  const auto out = made(query, references, {map0, map1}, {.need_weights = true});
  EXPECT_LT(amax(abs(out.weights - 0.25)).item(), 1e-12);
  const Block places(out.places), from(references);
  for (Index m = 0; m < kM; ++m) {
    for (Index k = 0; k < kK; ++k) {
      const double steps = static_cast<double>(k + 1) * (m == 0 ? 1 : -1);
      EXPECT_NEAR(places(1, m, 2, 0, k, 0), from(1, 2, 0) + steps / kWidths[0], 1e-12);
      EXPECT_NEAR(places(1, m, 2, 0, k, 1), from(1, 2, 1), 1e-12);
    }
  }
}

TEST_F(Deformables, RefuseWhatDoesNotFit) {
  EXPECT_ERROR(ValueError, "deformable: size 0 must be positive",
               DeformableAttention({.width = 4, .points = 0}));
  EXPECT_ERROR(ValueError, "deformable: heads 3 do not divide width 4",
               DeformableAttention({.width = 4, .heads = 3}));
  EXPECT_ERROR(ValueError, "deformable: 1 maps for 2 levels", made(query, references, {map0}));
  EXPECT_ERROR(ShapeError, "deformable: references must be [2, 3, 2], not f64[2, 3, 4]",
               made(query, query, {map0, map1}));
  EXPECT_ERROR(ShapeError, "deformable: map must be [B, 4, H, W] with places, not f64[2, 3, 2]",
               made(query, references, {references, map1}));
  EXPECT_ERROR(ShapeError, "deformable: 2 rows of queries, and a map f64[3, 4, 2, 2]",
               made(query, references, {map0, zeros({3, kE, 2, 2}, DType::f64)}));
  EXPECT_ERROR_WITH(ShapeError, "deformable: query must be [.., n, 4]",
                    made(references, references, {map0, map1}));
  EXPECT_ERROR(GradError, "deformable: references is undefined",
               made(query, Tensor(), {map0, map1}));
}

}  // namespace
}  // namespace heed::attention
