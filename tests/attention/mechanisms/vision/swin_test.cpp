#include "../../../../attention/mechanisms/vision/swin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;

constexpr Index kE = 4, kHeads = 2, kM = 3;

Numbers layer_norm_of(const Numbers& x, const Block& weight, const Block& bias) {
  double mean = 0, variance = 0;
  for (const double each : x) mean += each / static_cast<double>(x.size());
  for (const double each : x) variance += std::pow(each - mean, 2) / static_cast<double>(x.size());
  Numbers out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    out.push_back((x[i] - mean) / std::sqrt(variance + 1e-5) * weight(i) + bias(i));
  }
  return out;
}

// Over the whole map: nobody is rolled, padded or cut out. A place's window is where it stands when
// windows begin at the shift, in a map that counts more than one window along that axis.
Numbers reference(const Leaves& x, Index shift) {
  const Block& map = x["x"];
  const Index H = map.size(1), W = map.size(2);
  const auto window = [&](Index at, Index places) {
    const Index by = places > kM ? shift : 0;
    return at < by ? -1 : (at - by) / kM;
  };
  const auto norm = [&](const std::string& name, const Numbers& v) {
    return layer_norm_of(v, x["layer." + name + ".weight"], x["layer." + name + ".bias"]);
  };
  const auto affine = [&](const std::string& name, const Numbers& v) {
    return plain::affine(x[name + ".weight"], v, x[name + ".bias"]);
  };
  Numbers out;
  for (Index b = 0; b < map.size(0); ++b) {
    std::vector<Numbers> qkv;
    for (Index i = 0; i < H * W; ++i) {
      qkv.push_back(plain::affine(x["layer.self_attn.in_proj_weight"],
                                  norm("norm1", map.row({b, i / W, i % W})),
                                  x["layer.self_attn.in_proj_bias"]));
    }
    constexpr Index kD = kE / kHeads;
    for (Index i = 0; i < H * W; ++i) {
      Numbers joined(kE, 0.0);
      for (Index h = 0; h < kHeads; ++h) {
        Numbers weights;
        double total = 0;
        for (Index j = 0; j < H * W; ++j) {
          const bool seen =
              window(i / W, H) == window(j / W, H) && window(i % W, W) == window(j % W, W);
          double score = 0;
          for (Index d = 0; d < kD; ++d) {
            score += at(qkv[static_cast<std::size_t>(i)], h * kD + d) *
                     at(qkv[static_cast<std::size_t>(j)], kE + h * kD + d);
          }
          const Index row = (j / W - i / W + kM - 1) * (2 * kM - 1) + j % W - i % W + kM - 1;
          weights.push_back(seen ? std::exp(score / std::sqrt(static_cast<double>(kD)) +
                                            x["relative_bias"](row, h))
                                 : 0);
          total += weights.back();
        }
        for (Index j = 0; j < H * W; ++j) {
          for (Index d = 0; d < kD; ++d) {
            at(joined, h * kD + d) +=
                at(weights, j) / total * at(qkv[static_cast<std::size_t>(j)], 2 * kE + h * kD + d);
          }
        }
      }
      const Numbers y =
          plain::add(map.row({b, i / W, i % W}), affine("layer.self_attn.out_proj", joined));
      Numbers inner = affine("layer.linear1", norm("norm2", y));
      for (double& each : inner) each *= (1 + std::erf(each / std::numbers::sqrt2)) / 2;
      out = plain::join({out, plain::add(y, affine("layer.linear2", inner))});
    }
  }
  return out;
}

class Swins : public SeededTest<89> {};

// Maps that windows divide, that they do not, and of less than a window.
TEST_F(Swins, BlocksAreTheDefinition) {
  const std::pair<Index, Index> sizes[] = {{6, 3}, {4, 5}, {2, 7}};
  for (const auto& [H, W] : sizes) {
    for (const Index shift : {0, 1}) {
      const SwinBlock made({.width = kE,
                            .heads = kHeads,
                            .window = kM,
                            .shift = shift,
                            .hidden = 3,
                            .dtype = DType::f64});
      const Tensor x = randn({1, H, W, kE}, DType::f64);
      const auto leaves = plain::leaves_of(made, {{"x", x}});
      const auto ours = [&] { return std::vector{made(x).context}; };
      plain::expect_same(leaves, ours, [&](const Leaves& l) { return reference(l, shift); });
    }
  }
}

// A map that windows divide both ways: shifted ones begin a row and a column later.
TEST_F(Swins, ShiftedWindowsAreSeenByTheirOwnPlacesAlone) {
  const SwinBlock made(
      {.width = kE, .heads = kHeads, .window = kM, .shift = 1, .hidden = 3, .dtype = DType::f64});
  const Tensor x = randn({1, 6, 6, kE}, DType::f64);
  const Tensor before = made(x).context;
  for (const auto& [place, first, last] :
       {std::array<Index, 3>{0, 0, 0}, {2, 1, 3}, {3, 1, 3}, {5, 4, 5}}) {
    Array other = x.array().clone();
    other.mutable_data<double>()[(place * 6 + place) * kE] += 1;
    const Numbers moved = numbers(sum(abs(made(Tensor(other)).context - before), {3}));
    for (Index i = 0; i < 36; ++i) {
      const bool near = i / 6 >= first && i / 6 <= last && i % 6 >= first && i % 6 <= last;
      EXPECT_EQ(at(moved, i) > 0, near) << place << " at " << i;
    }
  }
}

TEST_F(Swins, BlocksHaveGradientsOfBothOrdersAndWeights) {
  const SwinBlock made(
      {.width = kE, .heads = kHeads, .window = kM, .shift = 1, .hidden = 3, .dtype = DType::f64});
  const Tensor x = randn({2, 4, 5, kE}, DType::f64);
  plain::expect_gradients(
      plain::leaves_of(made, {{"x", x}}), [&] { return std::vector{made(x).context}; }, 3);
  const Attended seen = made(x, true);
  ASSERT_EQ(seen.weights.shape(), (Shape{2, 4, kHeads, kM * kM, kM * kM}));
  EXPECT_LT(amax(abs(sum(seen.weights, {4}) - 1)).item(), 1e-12);
  EXPECT_LT(difference(seen.context, made(x).context), 1e-12);
}

TEST_F(Swins, MergingIsTheDefinition) {
  const PatchMerging made(2, DType::f64);
  const Tensor x = randn({2, 3, 4, 2}, DType::f64);
  const auto leaves = plain::leaves_of(made, {{"x", x}});
  const auto ours = [&] { return std::vector{made(x)}; };
  plain::expect_same(leaves, ours, [](const Leaves& l) {
    Numbers out;
    for (Index i = 0; i < 2 * 2 * 2; ++i) {
      Numbers four;
      for (Index part = 0; part < 4; ++part) {
        const Index row = i / 2 % 2 * 2 + part % 2, column = i % 2 * 2 + part / 2;
        const Numbers there = row < 3 ? l["x"].row({i / 4, row, column}) : Numbers{0, 0};
        four.insert(four.end(), there.begin(), there.end());
      }
      const Numbers normed = layer_norm_of(four, l["norm.weight"], l["norm.bias"]);
      out = plain::join({out, plain::affine(l["reduction.weight"], normed, Block())});
    }
    return out;
  });
  plain::expect_gradients(leaves, ours);
}

SwinOptions options() {
  return {.channels = 2,
          .patch = 2,
          .classes = 3,
          .width = 4,
          .depths = {2, 1},
          .heads = {2, 1},
          .window = 3,
          .dtype = DType::f64};
}

// Of its parts, each held to its definition above.
TEST_F(Swins, WholeOnesAreTheDefinition) {
  const Swin made(options());
  const Tensor images = randn({2, 2, 7, 9}, DType::f64);  // 4 x 5 patches, then 2 x 3
  const SwinOutput out = made(images, true);
  Array padded = Array::zeros({2, 2, 8, 10}, DType::f64);
  for (Index i = 0; i < images.numel(); ++i) {
    padded.mutable_data<double>()[(i / 63 * 8 + i / 9 % 7) * 10 + i % 9] =
        images.array().data<double>()[i];
  }
  Tensor x = made.patch_norm(permute(made.patch_embed(Tensor(padded)), {0, 2, 3, 1}));
  x = made.merges[0](made.blocks[1](made.blocks[0](x).context).context);
  const Tensor features = made.norm(made.blocks[2](x).context);
  EXPECT_EQ(features.shape(), (Shape{2, 2, 3, 8}));
  EXPECT_LT(difference(out.features, features), 1e-12);
  EXPECT_LT(difference(out.logits, made.head(mean(features, {1, 2}))), 1e-12);
  EXPECT_EQ(out.weights.size(), 3U);
  EXPECT_LT(difference(made(images).logits, out.logits), 1e-12);
  plain::expect_gradients(
      plain::leaves_of(made, {{"images", images}}),
      [&] { return std::vector{made(images).logits}; }, 1);
}

TEST_F(Swins, RefuseWhatDoesNotFit) {
  EXPECT_ERROR(ValueError,
               "swin: width 4, heads 0 and window 7 must be positive, hidden 0 not negative",
               SwinBlock({.width = 4, .heads = 0}));
  EXPECT_ERROR(ValueError, "swin: shift 7 is not in [0, 7)", SwinBlock({.width = 4, .shift = 7}));
  const auto refuses = [](auto change, const char* text) {
    SwinOptions wrong = options();
    change(wrong);
    EXPECT_ERROR(ValueError, text, Swin{wrong});
  };
  refuses([](auto& o) { o.patch = 0; }, "swin: size 0 must be positive");
  refuses([](auto& o) { o.heads = {2}; }, "swin: 2 depths and 1 heads: one of each a stage");
  refuses([](auto& o) { o.depths = {}, o.heads = {}; },
          "swin: 0 depths and 0 heads: one of each a stage");
  refuses([](auto& o) { o.depths = {2, 0}; }, "swin: depth 0 must be positive");
  EXPECT_ERROR(ShapeError, "swin: x must be [B, H, W, 4] with places, not f32[2, 3, 5]",
               SwinBlock({.width = 4})(zeros({2, 3, 5})));
  EXPECT_ERROR(DTypeError, "swin: x is f64[1, 2, 3, 4], the weights are f32",
               SwinBlock({.width = 4})(zeros({1, 2, 3, 4}, DType::f64)));
  EXPECT_ERROR(ShapeError, "patch_merging: x must be [B, H, W, 4] with places, not f32[1, 2, 3, 5]",
               PatchMerging(4)(zeros({1, 2, 3, 5})));
  EXPECT_ERROR(ShapeError, "swin: map must be [B, 2, H, W] with places, not f64[1, 3, 8, 8]",
               Swin{options()}(zeros({1, 3, 8, 8}, DType::f64)));
}

}  // namespace
}  // namespace heed::attention
