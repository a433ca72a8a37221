#include "vision_transformer.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/losses/cross_entropy.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/ops/shape/slicing.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/feature_map.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

VisionTransformerOptions checked(VisionTransformerOptions o) {
  constexpr const char* kOp = "vision_transformer";
  for (const Index size :
       {o.height, o.width, o.channels, o.patch, o.classes, o.layers, o.embedding, o.heads}) {
    if (size <= 0) throw ValueError(fmt::format("{}: size {} must be positive", kOp, size));
  }
  if (o.height % o.patch != 0 || o.width % o.patch != 0) {
    throw ValueError(fmt::format("{}: patches of {} do not divide images of {} x {}", kOp, o.patch,
                                 o.height, o.width));
  }
  if (o.hidden == 0) o.hidden = Checked(kOp, o.embedding) * 4;
  return o;
}

Index tokens(const VisionTransformerOptions& o) {
  return Checked("vision_transformer", o.height / o.patch) * (o.width / o.patch) +
         (o.distilled ? 2 : 1);
}

TransformerOptions layer_options(const VisionTransformerOptions& o) {
  TransformerOptions out{.width = o.embedding,
                         .heads = o.heads,
                         .hidden = o.hidden,
                         .dropout = o.dropout,
                         .pre_norm = true,
                         .activation = Activation::gelu,
                         .dtype = o.dtype};
  return o.encoder ? o.encoder(std::move(out)) : out;
}

}  // namespace

VisionTransformer::VisionTransformer(const VisionTransformerOptions& given)
    : options_(checked(given)),
      patch_embed(child<nn::Conv2d>("patch_embed", options_.channels, options_.embedding,
                                    PerAxis(options_.patch),
                                    Conv2dOptions{.stride = options_.patch}, true, options_.dtype)),
      cls_token(parameter("cls_token", zeros(Shape{1, 1, options_.embedding}, options_.dtype))),
      dist_token(parameter(
          "dist_token",
          options_.distilled ? zeros(Shape{1, 1, options_.embedding}, options_.dtype) : Tensor())),
      positions(child<LearnedPositions>("positions", tokens(options_), options_.embedding,
                                        options_.dtype)),
      encoder(child<TransformerEncoder>("encoder", options_.layers, layer_options(options_), true)),
      head(child<nn::Linear>("head", options_.embedding, options_.classes, true, options_.dtype)),
      head_dist(options_.distilled ? &child<nn::Linear>("head_dist", options_.embedding,
                                                        options_.classes, true, options_.dtype)
                                   : nullptr) {
  nn::normal_(cls_token, 0, 0.02);
  if (dist_token.defined()) nn::normal_(dist_token, 0, 0.02);
}

VisionTransformerOutput VisionTransformer::operator()(const Tensor& images,
                                                      const Terms& terms) const {
  const Scope scope(*this);
  check_map("vision_transformer", images, options_.channels, cls_token.dtype());
  if (images.size(2) != options_.height || images.size(3) != options_.width) {
    throw ShapeError(fmt::format("vision_transformer: images must be {} x {}, not {}",
                                 options_.height, options_.width, describe(images)));
  }
  const auto token = [&](const Tensor& x) {
    return expand(x, Shape{images.size(0), 1, options_.embedding});
  };
  std::vector<Tensor> z0 = {token(cls_token)};
  if (dist_token.defined()) z0.push_back(token(dist_token));
  z0.push_back(places_of(patch_embed(images)));  // [B, N, E]
  const TransformerOutput z =
      named("vision_transformer", [&] { return encoder(positions(concat(z0, 1)), terms); });
  VisionTransformerOutput out{forwarded(head(select(z.output, 1, 0))), Tensor(), z.weights,
                              z.routed};
  if (head_dist != nullptr) out.distilled = (*head_dist)(select(z.output, 1, 1));
  return out;
}

Tensor hard_distillation_loss(const VisionTransformerOutput& output, const Tensor& labels,
                              const Tensor& teacher) {
  check_defined("hard_distillation_loss", output.logits, "logits", output.distilled, "distilled");
  return 0.5 * cross_entropy(output.logits, labels) +
         0.5 * cross_entropy(output.distilled, teacher);
}

}  // namespace heed::attention
