// Gates of channels and of places, and CoordConv, beside their papers' formulas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../../../attention/mechanisms/vision/cbam.h"
#include "../../../../attention/mechanisms/vision/coord_conv.h"
#include "../../../../attention/mechanisms/vision/efficient_channel.h"
#include "../../../../attention/mechanisms/vision/squeeze_excitation.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../core/error.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 2, kC = 5, kH = 3, kW = 7;

double mean_of(const Block& map, Index b, Index c) {
  double sum = 0;
  for (Index i = 0; i < map.size(2) * map.size(3); ++i) {
    sum += map(b, c, i / map.size(3), i % map.size(3));
  }
  return sum / static_cast<double>(map.size(2) * map.size(3));
}

double largest_of(const Block& map, Index b, Index c) {
  double most = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < map.size(2) * map.size(3); ++i) {
    most = std::max(most, map(b, c, i / map.size(3), i % map.size(3)));
  }
  return most;
}

Numbers relu_of(Numbers x) {
  for (double& each : x) each = std::max(each, 0.0);
  return x;
}

// fc2(relu(fc1(v)))
Numbers mlp(const Leaves& leaves, const std::string& prefix, const Numbers& v) {
  const Numbers inner =
      relu_of(plain::affine(leaves[prefix + "fc1.weight"], v, leaves[prefix + "fc1.bias"]));
  return plain::affine(leaves[prefix + "fc2.weight"], inner, leaves[prefix + "fc2.bias"]);
}

// Each channel of the map times gates(b)[c]; then the gates.
Numbers gated(const Block& map, const std::vector<Numbers>& gates) {
  const Block out(map.shape(), [&](const heed::Place& p) {
    return map(p) * gates[static_cast<std::size_t>(p[0])][static_cast<std::size_t>(p[1])];
  });
  return plain::join({out.values(), plain::join(gates)});
}

class Gates : public SeededTest<43> {
 protected:
  Tensor map = randn({kB, kC, kH, kW}, DType::f64);

  template <class Gate>
  plain::Ours both(const Gate& gate) const {
    return [this, &gate] {
      const Attended out = gate(map, true);
      return std::vector<Tensor>{out.context, out.weights};
    };
  }
};

TEST_F(Gates, SqueezeExcitationIsTheDefinition) {
  const SqueezeExcitation gate(kC, 2, DType::f64);
  EXPECT_EQ(gate.fc1.weight.shape(), (Shape{2, kC}));
  const auto leaves = leaves_of(gate, {{"map", map}});
  plain::expect_same(leaves, both(gate), [](const Leaves& x) {
    std::vector<Numbers> gates;
    for (Index b = 0; b < kB; ++b) {
      Numbers z;
      for (Index c = 0; c < kC; ++c) z.push_back(mean_of(x["map"], b, c));
      gates.push_back(mlp(x, "", z));
      for (double& s : gates.back()) s = plain::sigmoid(s);
    }
    return gated(x["map"], gates);
  });
  plain::expect_gradients(leaves, both(gate));
  EXPECT_FALSE(gate(map).weights.defined());
}

TEST_F(Gates, EfficientChannelAttentionIsTheDefinition) {
  const EfficientChannelAttention gate(kC, 3, DType::f64);
  const auto leaves = leaves_of(gate, {{"map", map}});
  plain::expect_same(leaves, both(gate), [](const Leaves& x) {
    std::vector<Numbers> gates;
    for (Index b = 0; b < kB; ++b) {
      gates.emplace_back();
      for (Index c = 0; c < kC; ++c) {
        double s = 0;
        for (Index k = 0; k < 3; ++k) {
          const Index from = c + k - 1;
          if (from >= 0 && from < kC) s += x["conv.weight"](0, 0, k) * mean_of(x["map"], b, from);
        }
        gates.back().push_back(plain::sigmoid(s));
      }
    }
    return gated(x["map"], gates);
  });
  plain::expect_gradients(leaves, both(gate));
}

// Equation 12's, from the authors' table.
TEST(EfficientChannels, KernelsGrowWithTheLogarithmOfChannels) {
  const std::pair<Index, Index> wanted[] = {{1, 1},   {16, 3},  {64, 3},  {128, 5},
                                            {256, 5}, {512, 5}, {2048, 7}};
  for (const auto& [channels, kernel] : wanted) {
    EXPECT_EQ(EfficientChannelAttention::kernel_for(channels), kernel) << channels;
    EXPECT_EQ(EfficientChannelAttention(channels).conv.weight.size(2), kernel);
  }
}

Block after_channels(const Leaves& x, const std::string& prefix, std::vector<Numbers>* gates) {
  for (Index b = 0; b < kB; ++b) {
    Numbers mean, most;
    for (Index c = 0; c < kC; ++c) {
      mean.push_back(mean_of(x["map"], b, c));
      most.push_back(largest_of(x["map"], b, c));
    }
    gates->push_back(plain::add(mlp(x, prefix, mean), mlp(x, prefix, most)));
    for (double& s : gates->back()) s = plain::sigmoid(s);
  }
  return Block(x["map"].shape(), [&](const heed::Place& p) {
    return x["map"](p) * (*gates)[static_cast<std::size_t>(p[0])][static_cast<std::size_t>(p[1])];
  });
}

TEST_F(Gates, CbamIsTheDefinition) {
  const CBAM gate(kC, 2, 3, DType::f64);
  const auto leaves = leaves_of(gate, {{"map", map}});
  plain::expect_same(leaves, both(gate), [](const Leaves& x) {
    std::vector<Numbers> ignored;
    const Block y = after_channels(x, "channels.", &ignored);
    const Block summary({kB, 2, kH, kW}, [&](const heed::Place& p) {
      double sum = 0, most = -std::numeric_limits<double>::infinity();
      for (Index c = 0; c < kC; ++c) {
        sum += y(p[0], c, p[2], p[3]);
        most = std::max(most, y(p[0], c, p[2], p[3]));
      }
      return p[1] == 0 ? sum / kC : most;
    });
    const Block gates({kB, kH, kW}, [&](const heed::Place& p) {
      double s = 0;
      for (Index which = 0; which < 2; ++which) {
        for (Index tap = 0; tap < 9; ++tap) {
          const Index row = p[1] + tap / 3 - 1, column = p[2] + tap % 3 - 1;
          if (row < 0 || row >= kH || column < 0 || column >= kW) continue;
          s += x["places.conv.weight"](0, which, tap / 3, tap % 3) *
               summary(p[0], which, row, column);
        }
      }
      return plain::sigmoid(s);
    });
    const Block z(y.shape(), [&](const heed::Place& p) { return y(p) * gates(p[0], p[2], p[3]); });
    return plain::join({z.values(), gates.values()});
  });
  plain::expect_gradients(leaves, both(gate));
  const auto channels = leaves_of(gate.channels, {{"map", map}});
  plain::expect_same(channels, both(gate.channels), [](const Leaves& x) {
    std::vector<Numbers> gates;
    const Block y = after_channels(x, "", &gates);
    return plain::join({y.values(), plain::join(gates)});
  });
}

TEST_F(Gates, CoordConvIsTheDefinition) {
  for (const bool radius : {false, true}) {
    const CoordConv made(kC, 2, 1, {}, radius, DType::f64);
    const auto leaves = leaves_of(made, {{"map", map}});
    const auto ours = [&] { return std::vector{made(map)}; };
    plain::expect_same(leaves, ours, [&](const Leaves& x) {
      return Block({kB, 2, kH, kW},
                   [&](const heed::Place& p) {
                     const double i = static_cast<double>(p[2]) - 1;  // of 3 rows
                     const double j = static_cast<double>(p[3]) / 3 - 1;
                     Numbers all;
                     for (Index c = 0; c < kC; ++c) all.push_back(x["map"](p[0], c, p[2], p[3]));
                     all.push_back(i);
                     all.push_back(j);
                     if (radius) all.push_back(std::hypot(i - 0.5, j - 0.5));
                     double y = x["conv.bias"](p[1]);
                     for (std::size_t c = 0; c < all.size(); ++c) {
                       y += x["conv.weight"](p[1], c, 0, 0) * all[c];
                     }
                     return y;
                   })
          .values();
    });
    plain::expect_gradients(leaves, ours);
  }
  // One row is neither above nor below.
  EXPECT_THAT(numbers(with_coordinates(zeros({1, 0, 1, 3}, DType::f64))),
              testing::ElementsAre(0, 0, 0, -1, 0, 1));
}

TEST_F(Gates, RefuseWhatDoesNotFit) {
  const Tensor f32 = zeros({kB, kC, kH, kW});
  const SqueezeExcitation se(kC, 2);
  const EfficientChannelAttention eca(kC);
  const CBAM cbam(kC, 1);
  EXPECT_ERROR(ShapeError,
               "squeeze_excitation: map must be [B, 5, H, W] with places, not f32[2, 4, 3, 7]",
               se(zeros({kB, 4, kH, kW})));
  EXPECT_ERROR(
      ShapeError,
      "efficient_channel_attention: map must be [B, 5, H, W] with places, not f32[2, 5, 3]",
      eca(zeros({kB, kC, kH})));
  EXPECT_ERROR(ShapeError,
               "channels: channel_gate: map must be [B, 5, H, W] with places, not f32[2, 5, 0, 7]",
               cbam(zeros({kB, kC, 0, kW})));
  EXPECT_ERROR(ShapeError,
               "places: place_gate: map must be [B, C, H, W] with channels, not f32[2, 0, 3, 7]",
               cbam.places(zeros({kB, 0, kH, kW})));
  EXPECT_ERROR(DTypeError, "squeeze_excitation: map is f64[2, 5, 3, 7], the weights are f32",
               se(map));
  EXPECT_ERROR(DTypeError, "places: place_gate: map is f64[2, 5, 3, 7], the weights are f32",
               cbam.places(map));
  EXPECT_ERROR(GradError, "channels: channel_gate: map is undefined", cbam(Tensor()));
  EXPECT_ERROR(ValueError, "squeeze_excitation: 5 channels cannot be reduced to one of 6",
               SqueezeExcitation(5, 6));
  EXPECT_ERROR(ValueError, "channel_gate: 5 channels cannot be reduced to one of 0", CBAM(5, 0));
  EXPECT_NO_THROW(PlaceGate(1));
  EXPECT_ERROR(ValueError, "place_gate: kernel 4 must be positive and odd", PlaceGate(4));
  EXPECT_ERROR(ValueError, "efficient_channel_attention: 0 channels must be positive",
               EfficientChannelAttention(0));
  EXPECT_ERROR(ValueError, "efficient_channel_attention: kernel 2 must be positive and odd",
               EfficientChannelAttention(5, 2));
  EXPECT_ERROR(ValueError, "coord_conv: 0 channels must be positive", CoordConv(0, 2, 1));
  EXPECT_ERROR(ShapeError, "coord_conv: map must be [B, 5, H, W] with places, not f32[2, 4, 3, 7]",
               CoordConv(kC, 2, 1)(zeros({kB, 4, kH, kW})));
  EXPECT_ERROR(ShapeError, "with_coordinates: map must be [B, C, H, W], not f32[2, 5, 3]",
               with_coordinates(zeros({kB, kC, kH})));
}

}  // namespace
}  // namespace heed::attention
