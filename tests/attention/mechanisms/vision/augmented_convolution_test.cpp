#include "../../../../attention/mechanisms/vision/augmented_convolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../core/error.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;

constexpr Index kB = 2, kIn = 2, kOut = 5, kHeads = 2, kDk = 4, kDv = 2, kH = 2, kW = 3;
constexpr Index kTall = 3, kWide = 5;  // of the tables

AugmentedConvolutionOptions options(bool relative) {
  return {.in = kIn,
          .out = kOut,
          .kernel = 3,
          .heads = kHeads,
          .key_width = kDk,
          .value_width = kDv,
          .height = kTall,
          .width = kWide,
          .relative = relative,
          .dtype = DType::f64};
}

Numbers reference(const Leaves& leaves, bool relative) {
  const Block& map = leaves["map"];
  const auto conv = [&](const std::string& name, const Block& x, Index b, Index o, Index i,
                        Index j) {
    const Block& weight = leaves[name + ".weight"];
    const Index side = weight.size(2);
    double y = leaves[name + ".bias"](o);
    for (Index c = 0; c < weight.size(1); ++c) {
      for (Index tap = 0; tap < side * side; ++tap) {
        const Index row = i + tap / side - side / 2, column = j + tap % side - side / 2;
        if (row < 0 || row >= kH || column < 0 || column >= kW) continue;
        y += weight(o, c, tap / side, tap % side) * x(b, c, row, column);
      }
    }
    return y;
  };
  constexpr Index kPlaces = kH * kW, kD = kDk / kHeads, kV = kDv / kHeads;
  Block weights({kB, kHeads, kPlaces, kPlaces}, [](const heed::Place&) { return 0; });
  Block seen({kB, kDv, kH, kW}, [](const heed::Place&) { return 0; });
  for (Index b = 0; b < kB; ++b) {
    for (Index h = 0; h < kHeads; ++h) {
      for (Index i = 0; i < kPlaces; ++i) {
        Numbers scores;
        for (Index j = 0; j < kPlaces; ++j) {
          double score = 0;
          for (Index d = 0; d < kD; ++d) {
            const double q = conv("qkv", map, b, h * kD + d, i / kW, i % kW);
            double k = conv("qkv", map, b, kDk + h * kD + d, j / kW, j % kW);
            if (relative) {
              k += leaves["rows.keys"](kTall - 1 + j / kW - i / kW, d) +
                   leaves["columns.keys"](kWide - 1 + j % kW - i % kW, d);
            }
            score += q * k;
          }
          scores.push_back(score / std::sqrt(static_cast<double>(kD)));
        }
        const Numbers row = plain::softmax(scores, kPlaces);
        for (Index j = 0; j < kPlaces; ++j) {
          weights.at({b, h, i, j}) = at(row, j);
          for (Index d = 0; d < kV; ++d) {
            const double v = conv("qkv", map, b, 2 * kDk + h * kV + d, j / kW, j % kW);
            seen.at({b, h * kV + d, i / kW, i % kW}) += at(row, j) * v;
          }
        }
      }
    }
  }
  const Block out({kB, kOut, kH, kW}, [&](const heed::Place& p) {
    return p[1] < kOut - kDv ? conv("conv", map, p[0], p[1], p[2], p[3])
                             : conv("attn_out", seen, p[0], p[1] - (kOut - kDv), p[2], p[3]);
  });
  return plain::join({out.values(), weights.values()});
}

class AugmentedConvolutions : public SeededTest<47> {
 protected:
  Tensor map = randn({kB, kIn, kH, kW}, DType::f64);
};

TEST_F(AugmentedConvolutions, AreTheDefinition) {
  for (const bool relative : {false, true}) {
    const AugmentedConvolution made(options(relative));
    if (relative) {  // as large as what they are added to
      for (Tensor* table : {&made.rows->keys, &made.columns->keys}) {
        *table = randn(table->shape(), DType::f64).set_requires_grad();
      }
    }
    const auto leaves = plain::leaves_of(made, {{"map", map}});
    const auto with = [&] {
      const Attended out = made(map, {.need_weights = true});
      return std::vector<Tensor>{out.context, out.weights};
    };
    plain::expect_same(leaves, with, [&](const Leaves& x) { return reference(x, relative); });
    plain::expect_gradients(leaves, [&] { return std::vector{made(map).context}; });
    EXPECT_LT(difference(made(map).context, with()[0]), 1e-12);
  }
}

// A map of other sizes, and one beyond the tables, whose far places count as the farthest.
TEST_F(AugmentedConvolutions, TakeMapsOfAnySize) {
  const AugmentedConvolution made(options(true));
  EXPECT_EQ(made(zeros({1, kIn, 1, 7}, DType::f64)).context.shape(), (Shape{1, kOut, 1, 7}));
  EXPECT_EQ(made(zeros({0, kIn, 3, 5}, DType::f64)).context.shape(), (Shape{0, kOut, 3, 5}));
}

TEST_F(AugmentedConvolutions, RefuseWhatDoesNotFit) {
  const auto refuses = [](auto change, const char* text) {
    AugmentedConvolutionOptions wrong = options(true);
    change(wrong);
    EXPECT_ERROR(ValueError, text, AugmentedConvolution{wrong});
  };
  refuses([](auto& o) { o.in = 0; }, "augmented_convolution: size 0 must be positive");
  refuses([](auto& o) { o.kernel = 2; }, "augmented_convolution: kernel 2 must be odd");
  refuses([](auto& o) { o.heads = 3; },
          "augmented_convolution: heads 3 do not divide key_width 4 and value_width 2");
  refuses([](auto& o) { o.out = 2; },
          "augmented_convolution: value_width 2 leaves no channel of 2 to the convolution");
  refuses([](auto& o) { o.height = 0; },
          "augmented_convolution: relative logits want the largest map, not 0 x 5");
  AugmentedConvolutionOptions least = options(true);
  least.height = least.width = 1;
  EXPECT_NO_THROW(AugmentedConvolution{least});
  const AugmentedConvolution made(options(true));
  EXPECT_ERROR(ShapeError,
               "augmented_convolution: map must be [B, 2, H, W] with places, not f64[2, 3, 2, 3]",
               made(zeros({kB, 3, kH, kW}, DType::f64)));
  EXPECT_ERROR(DTypeError, "augmented_convolution: map is f32[2, 2, 2, 3], the weights are f64",
               made(zeros({kB, kIn, kH, kW})));
}

}  // namespace
}  // namespace heed::attention
