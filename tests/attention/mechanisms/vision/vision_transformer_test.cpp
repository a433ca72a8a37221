#include "../../../../attention/mechanisms/vision/vision_transformer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/losses/cross_entropy.h"
#include "../../../../core/error.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;

constexpr Index kB = 2, kC = 2, kH = 4, kW = 6, kPatch = 2, kE = 4, kClasses = 3;

VisionTransformerOptions options(bool distilled) {
  return {.height = kH,
          .width = kW,
          .channels = kC,
          .patch = kPatch,
          .classes = kClasses,
          .layers = 2,
          .embedding = kE,
          .heads = 2,
          .hidden = 3,
          .distilled = distilled,
          .dtype = DType::f64};
}

// What the encoder is to read, by the paper's first equation.
Block words(const nn::Module& made, const Tensor& images, bool distilled) {
  const Block x(images), weight = plain::parameter(made, "patch_embed.weight");
  const Block bias = plain::parameter(made, "patch_embed.bias");
  const Block places = plain::parameter(made, "positions.weight");
  const Index tokens = distilled ? 2 : 1;
  return Block({kB, tokens + kH * kW / (kPatch * kPatch), kE}, [&](const heed::Place& p) {
    double z = places(p[1], p[2]);
    if (p[1] < tokens) {
      return z + plain::parameter(made, p[1] == 0 ? "cls_token" : "dist_token")(0, 0, p[2]);
    }
    const Index patch = p[1] - tokens, row = patch / (kW / kPatch), column = patch % (kW / kPatch);
    z += bias(p[2]);
    for (Index c = 0; c < kC; ++c) {
      for (Index i = 0; i < kPatch * kPatch; ++i) {
        z += weight(p[2], c, i / kPatch, i % kPatch) *
             x(p[0], c, row * kPatch + i / kPatch, column * kPatch + i % kPatch);
      }
    }
    return z;
  });
}

class VisionTransformers : public SeededTest<83> {
 protected:
  Tensor images = randn({kB, kC, kH, kW}, DType::f64);
};

// The encoder is held to its own definition in transformer_test.cpp.
TEST_F(VisionTransformers, AreTheDefinition) {
  for (const bool distilled : {false, true}) {
    const VisionTransformer made(options(distilled));
    const Block z0 = words(made, images, distilled);
    const Block z(made.encoder(tensor(z0.values(), Shape(z0.shape()), DType::f64)).output);
    const VisionTransformerOutput out = made(images, {.need_weights = true});
    for (Index b = 0; b < kB; ++b) {
      EXPECT_THAT(Block(out.logits).row({b}),
                  near(plain::affine(made, "head", z.row({b, 0})), 1e-10));
      if (!distilled) continue;
      EXPECT_THAT(Block(out.distilled).row({b}),
                  near(plain::affine(made, "head_dist", z.row({b, 1})), 1e-10));
    }
    EXPECT_EQ(out.distilled.defined(), distilled);
    ASSERT_EQ(out.weights.size(), 2U);
    const Index T = z0.size(1);
    EXPECT_EQ(out.weights[1].shape(), (Shape{kB, 2, T, T}));
    EXPECT_TRUE(made(images).weights.empty());
  }
}

TEST_F(VisionTransformers, HaveGradientsOfBothOrders) {
  const VisionTransformer made(options(true));
  plain::expect_gradients(
      plain::leaves_of(made, {{"images", images}}),
      [&] {
        const VisionTransformerOutput out = made(images);
        return std::vector{out.logits, out.distilled};
      },
      3);
}

TEST_F(VisionTransformers, TakeOptionsOfTheEncoder) {
  VisionTransformerOptions o = options(false);
  o.encoder = [](TransformerOptions layer) {
    layer.norm = Norm::rms;
    return layer;
  };
  const VisionTransformer made(o);
  EXPECT_FALSE(made.encoder.norm->bias.defined());
}

TEST_F(VisionTransformers, DistilHalfOfEach) {
  const Tensor labels = indices({2, 0}, {kB}), teacher = indices({1, 1}, {kB});
  const VisionTransformerOutput out = VisionTransformer(options(true))(images);
  const double wanted =
      (cross_entropy(out.logits, labels).item() + cross_entropy(out.distilled, teacher).item()) / 2;
  EXPECT_NEAR(hard_distillation_loss(out, labels, teacher).item(), wanted, 1e-12);
  EXPECT_ERROR(GradError, "hard_distillation_loss: distilled is undefined",
               hard_distillation_loss(VisionTransformer(options(false))(images), labels, teacher));
}

TEST_F(VisionTransformers, RefuseWhatDoesNotFit) {
  const auto refuses = [](auto change, const char* text) {
    VisionTransformerOptions wrong = options(false);
    change(wrong);
    EXPECT_ERROR(ValueError, text, VisionTransformer{wrong});
  };
  refuses([](auto& o) { o.patch = 0; }, "vision_transformer: size 0 must be positive");
  refuses([](auto& o) { o.patch = 4; },
          "vision_transformer: patches of 4 do not divide images of 4 x 6");
  const VisionTransformer made(options(false));
  EXPECT_ERROR(ShapeError, "vision_transformer: images must be 4 x 6, not f64[2, 2, 6, 4]",
               made(zeros({kB, kC, kW, kH}, DType::f64)));
  EXPECT_ERROR(ShapeError,
               "vision_transformer: map must be [B, 2, H, W] with places, not f64[2, 3, 4, 6]",
               made(zeros({kB, 3, kH, kW}, DType::f64)));
  EXPECT_ERROR(DTypeError, "vision_transformer: map is f32[2, 2, 4, 6], the weights are f64",
               made(zeros({kB, kC, kH, kW})));
}

}  // namespace
}  // namespace heed::attention
