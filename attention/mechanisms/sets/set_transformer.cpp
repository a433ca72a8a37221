#include "set_transformer.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"

namespace heed::attention {
namespace {

Index positive(const char* what, Index count) {
  if (count > 0) return count;
  throw ValueError(fmt::format("set_transformer: {} {} must be positive", what, count));
}

// Learned elements, as Glorot would have them.
Tensor begin(Index count, const SetOptions& o) {
  Tensor out = zeros({count, o.width}, o.dtype);
  nn::xavier_uniform_(out);
  return out;
}

// The same elements for each set of the batch: [B, n, E].
Tensor for_each(const Tensor& learned, Index batch) {
  return expand(learned, {batch, learned.size(0), learned.size(1)});
}

MaskedSequence elements(const Tensor& x, const MultiHead& of, const Mask& mask) {
  return masked_sequence("set_transformer", "x", x, of.options().width, of.out_proj.weight.dtype(),
                         mask);
}

}  // namespace

SetBlock::SetBlock(const SetOptions& o)
    : attend(child<MultiHead>(
          "attend", MultiHeadOptions{.width = o.width, .heads = o.heads, .dtype = o.dtype})),
      norm1(o.layer_norm ? &child<nn::LayerNorm>("norm1", Shape{o.width}, 1e-5, true, o.dtype)
                         : nullptr),
      norm2(o.layer_norm ? &child<nn::LayerNorm>("norm2", Shape{o.width}, 1e-5, true, o.dtype)
                         : nullptr),
      feed_forward(child<nn::Linear>("feed_forward", o.width, o.width, true, o.dtype)) {}

Attended SetBlock::operator()(const Tensor& x, const Tensor& y, const Terms& terms) const {
  const Scope scope(*this);
  const auto normed = [](const nn::LayerNorm* norm, const Tensor& h) {
    return norm == nullptr ? h : (*norm)(h);
  };
  Attended out = named("set_transformer", [&] { return attend(x, y, y, terms); });
  // What is not finite was seen by one row alone: the others' weights do not meet it.
  out.context = forwarded(guarded(x + out.context, !terms.mask.all(), [&](const Tensor& sum) {
    const Tensor h = normed(norm1, sum);
    return normed(norm2, h + relu(feed_forward(h)));
  }));
  return out;
}

InducedSetBlock::InducedSetBlock(const SetOptions& o, Index count)
    : points(parameter("points", begin(positive("points", count), o))),
      gather(child<SetBlock>("gather", o)),
      spread(child<SetBlock>("spread", o)) {}

Attended InducedSetBlock::operator()(const Tensor& given, const Mask& mask,
                                     bool need_weights) const {
  const Scope scope(*this);
  const auto [x, real] = elements(given, gather.attend, mask);
  const Mask seen = of_places(real);
  const Attended heard =
      gather(for_each(points, x.size(0)), x, {.mask = seen, .need_weights = need_weights});
  Attended out = spread(x, heard.context, {.need_weights = need_weights});
  out.context = forwarded(out.context);
  if (need_weights) out.weights = matmul(out.weights, heard.weights);
  return out;
}

SetPooling::SetPooling(const SetOptions& o, Index count)
    : seeds(parameter("seeds", begin(positive("seeds", count), o))),
      feed_forward(child<nn::Linear>("feed_forward", o.width, o.width, true, o.dtype)),
      block(child<SetBlock>("block", o)) {}

Attended SetPooling::operator()(const Tensor& given, const Mask& mask, bool need_weights) const {
  const Scope scope(*this);
  const auto [z, real] = elements(given, block.attend, mask);
  const Mask seen = of_places(real);
  Attended out = block(for_each(seeds, z.size(0)), relu(feed_forward(z)),
                       {.mask = seen, .need_weights = need_weights});
  out.context = forwarded(out.context);
  return out;
}

SetTransformer::SetTransformer(const SetTransformerOptions& o)
    : induced(child<nn::ModuleListOf<InducedSetBlock>>("induced")),
      encoder(child<nn::ModuleListOf<SetBlock>>("encoder")),
      pool(child<SetPooling>("pool", o.blocks, o.seeds)),
      decoder(child<nn::ModuleListOf<SetBlock>>("decoder")) {
  if (o.points < 0 || o.encoder < 0 || o.decoder < 0) {
    throw ValueError(
        fmt::format("set_transformer: points {}, encoder {} and decoder {} must not be negative",
                    o.points, o.encoder, o.decoder));
  }
  for (Index i = 0; i < o.encoder; ++i) {
    if (o.points > 0) {
      induced.add(o.blocks, o.points);
    } else {
      encoder.add(o.blocks);
    }
  }
  for (Index i = 0; i < o.decoder; ++i) decoder.add(o.blocks);
}

Attended SetTransformer::operator()(const Tensor& given, const Mask& mask,
                                    bool need_weights) const {
  const Scope scope(*this);
  const auto [x, real] = elements(given, pool.block.attend, mask);
  const Mask seen = of_places(real);
  Tensor z = x;
  for (const InducedSetBlock& block : induced) z = block(z, seen).context;
  for (const SetBlock& block : encoder) z = block(z, z, {.mask = seen}).context;
  Attended out = pool(z, seen, need_weights);
  for (const SetBlock& block : decoder) out.context = block(out.context, out.context).context;
  out.context = forwarded(out.context);
  return out;
}

}  // namespace heed::attention
