#include "swin.h"

#include <fmt/format.h>

#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/pad.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/feature_map.h"

namespace heed::attention {
namespace {

SwinOptions checked(const SwinOptions& o) {
  for (const Index size : {o.channels, o.patch, o.classes, o.width, o.window}) {
    if (size <= 0) throw ValueError(fmt::format("swin: size {} must be positive", size));
  }
  if (o.depths.empty() || o.depths.size() > 20 || o.depths.size() != o.heads.size()) {
    throw ValueError(fmt::format("swin: {} depths and {} heads: one of each a stage",
                                 o.depths.size(), o.heads.size()));
  }
  for (const Index depth : o.depths) {
    if (depth <= 0) throw ValueError(fmt::format("swin: depth {} must be positive", depth));
  }
  return o;
}

Index width_of(const SwinOptions& o, std::size_t stage) {
  return Checked("swin", o.width) * (Index{1} << stage);
}

}  // namespace

Swin::Swin(const SwinOptions& given)
    : options_(checked(given)),
      patch_embed(child<nn::Conv2d>("patch_embed", options_.channels, options_.width,
                                    PerAxis(options_.patch), Conv2dOptions{.stride = options_.patch},
                                    true, options_.dtype)),
      patch_norm(
          child<nn::LayerNorm>("patch_norm", Shape{options_.width}, 1e-5, true, options_.dtype)),
      blocks(child<nn::ModuleListOf<SwinBlock>>("blocks")),
      merges(child<nn::ModuleListOf<PatchMerging>>("merges")),
      norm(child<nn::LayerNorm>("norm", Shape{width_of(options_, options_.depths.size() - 1)}, 1e-5,
                                true, options_.dtype)),
      head(child<nn::Linear>("head", width_of(options_, options_.depths.size() - 1),
                             options_.classes, true, options_.dtype)) {
  for (std::size_t stage = 0; stage < options_.depths.size(); ++stage) {
    if (stage > 0) merges.add(width_of(options_, stage - 1), options_.dtype);
    for (Index i = 0; i < options_.depths[stage]; ++i) {
      blocks.add(SwinBlockOptions{.width = width_of(options_, stage),
                                  .heads = options_.heads[stage],
                                  .window = options_.window,
                                  .shift = i % 2 == 0 ? 0 : options_.window / 2,
                                  .dropout = options_.dropout,
                                  .dtype = options_.dtype});
    }
  }
}

SwinOutput Swin::operator()(const Tensor& images, bool need_weights) const {
  const Scope scope(*this);
  check_map("swin", images, options_.channels, head.weight.dtype());
  const Index patch = options_.patch;
  const auto missing = [&](Index n) { return (patch - n % patch) % patch; };
  const Tensor whole = pad(images, {0, missing(images.size(3)), 0, missing(images.size(2))});
  Tensor x = patch_norm(permute(patch_embed(whole), {0, 2, 3, 1}));
  SwinOutput out;
  std::size_t block = 0;
  for (std::size_t stage = 0; stage < options_.depths.size(); ++stage) {
    if (stage > 0) x = merges[stage - 1](x);
    for (Index i = 0; i < options_.depths[stage]; ++i) {
      const Attended seen = blocks[block++](x, need_weights);
      x = seen.context;
      if (need_weights) out.weights.push_back(seen.weights);
    }
  }
  out.features = norm(x);
  out.logits = forwarded(head(mean(out.features, {1, 2})));
  return out;
}

}  // namespace heed::attention
