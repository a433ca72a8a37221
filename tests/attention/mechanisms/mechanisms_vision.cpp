#include "mechanisms_vision.h"

#include "../../../attention/mechanisms/vision/augmented_convolution.h"
#include "../../../attention/mechanisms/vision/cbam.h"
#include "../../../attention/mechanisms/vision/coord_conv.h"
#include "../../../attention/mechanisms/vision/deformable.h"
#include "../../../attention/mechanisms/vision/draw.h"
#include "../../../attention/mechanisms/vision/efficient_channel.h"
#include "../../../attention/mechanisms/vision/non_local.h"
#include "../../../attention/mechanisms/vision/spatial_transformer.h"
#include "../../../attention/mechanisms/vision/squeeze_excitation.h"
#include "../../../attention/mechanisms/vision/swin.h"
#include "../../../attention/mechanisms/vision/vision_transformer.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../core/generator.h"
#include "../../../nn/init.h"

namespace heed::attention {
namespace {

constexpr DType kDType = DType::f64;
constexpr Index kB = kVisionBatch, kC = 5, kH = 3, kW = 7;

using Tensors = std::vector<Tensor>;

Tensor maps(Index channels = kC, Index height = kH, Index width = kW) {
  return randn({kB, channels, height, width}, kDType);
}

// What takes a map, and gives one and its weights.
template <class Gate>
VisionMechanism gate(const std::shared_ptr<Gate>& made, const std::string& name) {
  return {.module = made,
          .inputs = {maps()},
          .call =
              [=](const Tensors& in) {
                const Attended out = (*made)(in[0], true);
                return Tensors{out.context, out.weights};
              },
          .name = name};
}

template <class Made>
VisionMechanism by_terms(const std::shared_ptr<Made>& made, const Tensor& map,
                         const std::string& name) {
  return {.module = made,
          .inputs = {map},
          .call =
              [=](const Tensors& in) {
                const Attended out = (*made)(in[0], {.need_weights = true});
                return Tensors{out.context, out.weights};
              },
          .name = name};
}

VisionMechanism coord_conv(bool radius) {
  auto made = std::make_shared<CoordConv>(kC, 2, 3, Conv2dOptions{}, radius, kDType);
  return {.module = made,
          .inputs = {maps()},
          .call = [=](const Tensors& in) { return Tensors{(*made)(in[0])}; },
          .name = "coord_conv"};
}

VisionMechanism non_local(NonLocalKind kind, bool subsample) {
  return by_terms(
      std::make_shared<NonLocal>(NonLocalOptions{
          .width = kC, .inner = 2, .kind = kind, .subsample = subsample, .dtype = kDType}),
      maps() * 0.5, "non_local");
}

VisionMechanism augmented(bool relative) {
  return by_terms(
      std::make_shared<AugmentedConvolution>(AugmentedConvolutionOptions{.in = kC,
                                                                         .out = 7,
                                                                         .heads = 2,
                                                                         .key_width = 4,
                                                                         .value_width = 2,
                                                                         .height = kH,
                                                                         .width = kW,
                                                                         .relative = relative,
                                                                         .dtype = kDType}),
      maps(), "augmented_convolution");
}

VisionMechanism deformable() {
  auto made = std::make_shared<DeformableAttention>(
      DeformableOptions{.width = 6, .heads = 3, .levels = 2, .points = 2, .dtype = kDType});
  return {.module = made,
          .inputs = {maps(6), maps(6, 2, 5), randn({kB, 3, 6}, kDType), rand({kB, 3, 2}, kDType)},
          .call =
              [=](const Tensors& in) {
                const DeformablyAttended out =
                    (*made)(in[2], in[3], {in[0], in[1]}, {.need_weights = true});
                return Tensors{out.context, out.weights, out.places};
              },
          .name = "deformable"};
}

VisionMechanism draw(bool writes) {
  auto made = std::make_shared<DrawAttention>(
      DrawOptions{.state_width = 2, .size = 3, .height = 5, .width = kW, .dtype = kDType});
  return {.module = made,
          .inputs = {writes ? maps(2, 3, 3) : maps(2, 5), randn({kB, 2}, kDType)},
          .call =
              [=](const Tensors& in) {
                return Tensors{writes ? made->write(in[0], in[1]) : made->read(in[0], in[1])};
              },
          .name = "draw"};
}

VisionMechanism spatial_transformer(SpatialTransform kind, GridPadding padding) {
  auto made = std::make_shared<SpatialTransformer>(SpatialTransformerOptions{
      .features = 2, .height = 2, .width = 3, .kind = kind, .padding = padding, .dtype = kDType});
  return {.module = made,
          .inputs = {maps(), randn({kB, 2}, kDType)},
          .call =
              [=](const Tensors& in) {
                const SpatiallyTransformed out = (*made)(in[0], in[1]);
                return Tensors{out.output, out.theta};
              },
          .name = "spatial_transformer"};
}

VisionMechanism swin_block(Index shift) {
  auto made = std::make_shared<SwinBlock>(SwinBlockOptions{
      .width = 6, .heads = 3, .window = 3, .shift = shift, .hidden = 4, .dtype = kDType});
  return {.module = made,
          .inputs = {randn({kB, 4, 5, 6}, kDType)},
          .call =
              [=](const Tensors& in) {
                const Attended out = (*made)(in[0], true);
                return Tensors{out.context, out.weights};
              },
          .name = "swin"};
}

VisionMechanism patch_merging() {
  auto made = std::make_shared<PatchMerging>(2, kDType);
  return {.module = made,
          .inputs = {randn({kB, 3, 5, 2}, kDType)},
          .call = [=](const Tensors& in) { return Tensors{(*made)(in[0])}; },
          .name = "patch_merging"};
}

VisionMechanism swin() {
  auto made = std::make_shared<Swin>(SwinOptions{.channels = 2,
                                                 .patch = 2,
                                                 .classes = 3,
                                                 .width = 4,
                                                 .depths = {2, 1},
                                                 .heads = {2, 1},
                                                 .window = 2,
                                                 .dtype = kDType});
  return {.module = made,
          .inputs = {maps(2, 5, 7)},
          .call =
              [=](const Tensors& in) {
                const SwinOutput out = (*made)(in[0]);
                return Tensors{out.logits, out.features};
              },
          .name = "swin"};
}

VisionMechanism vision_transformer(bool distilled) {
  auto made = std::make_shared<VisionTransformer>(VisionTransformerOptions{.height = 4,
                                                                           .width = 6,
                                                                           .channels = 2,
                                                                           .patch = 2,
                                                                           .classes = 3,
                                                                           .layers = 2,
                                                                           .embedding = 4,
                                                                           .heads = 2,
                                                                           .hidden = 3,
                                                                           .distilled = distilled,
                                                                           .dtype = kDType});
  return {.module = made,
          .inputs = {maps(2, 4, 6)},
          .call =
              [=](const Tensors& in) {
                const VisionTransformerOutput out = (*made)(in[0], {.need_weights = true});
                Tensors all = {out.logits, out.weights.back()};
                if (distilled) all.push_back(out.distilled);
                return all;
              },
          .name = "vision_transformer"};
}

}  // namespace

using Kind = NonLocalKind;
const Registry<VisionMechanism> kVisionMechanisms = {
    {"squeeze_excitation",
     [] { return gate(std::make_shared<SqueezeExcitation>(kC, 2, kDType), "squeeze_excitation"); }},
    {"efficient_channel",
     [] {
       return gate(std::make_shared<EfficientChannelAttention>(kC, 3, kDType),
                   "efficient_channel_attention");
     }},
    {"channel_gate",
     [] { return gate(std::make_shared<ChannelGate>(kC, 2, kDType), "channel_gate"); }},
    {"place_gate", [] { return gate(std::make_shared<PlaceGate>(3, kDType), "place_gate"); }},
    {"cbam", [] { return gate(std::make_shared<CBAM>(kC, 2, 3, kDType), "channel_gate"); }},
    {"coord_conv", [] { return coord_conv(false); }},
    {"coord_conv_radius", [] { return coord_conv(true); }},
    {"non_local", [] { return non_local(Kind::embedded_gaussian, false); }},
    {"non_local_gaussian", [] { return non_local(Kind::gaussian, false); }},
    {"non_local_dot", [] { return non_local(Kind::dot, false); }},
    {"non_local_subsampled", [] { return non_local(Kind::embedded_gaussian, true); }},
    {"augmented_convolution", [] { return augmented(true); }},
    {"augmented_convolution_without_places", [] { return augmented(false); }},
    {"deformable", deformable},
    {"draw_reads", [] { return draw(false); }},
    {"draw_writes", [] { return draw(true); }},
    {"spatial_transformer",
     [] { return spatial_transformer(SpatialTransform::affine, GridPadding::zeros); }},
    {"spatial_transformer_attention",
     [] { return spatial_transformer(SpatialTransform::attention, GridPadding::border); }},
    {"swin_block", [] { return swin_block(0); }},
    {"swin_block_shifted", [] { return swin_block(1); }},
    {"patch_merging", patch_merging},
    {"swin", swin},
    {"vision_transformer", [] { return vision_transformer(false); }},
    {"vision_transformer_distilled", [] { return vision_transformer(true); }},
};

VisionMechanism vision_mechanism(const std::string& name) {
  manual_seed(47);
  VisionMechanism out = kVisionMechanisms(name);
  for (const Tensor& parameter : out.module->parameters()) nn::normal_(parameter, 0, 0.4);
  return out;
}

}  // namespace heed::attention
