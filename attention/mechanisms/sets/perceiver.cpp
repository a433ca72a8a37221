#include "perceiver.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "perceiver";

PerceiverReadOptions checked(PerceiverReadOptions o) {
  if (o.width <= 0 || o.input_width <= 0 || o.hidden < 0) {
    throw ValueError(
        fmt::format("{}: width {} and input_width {} must be positive, hidden {} not "
                    "negative",
                    kOp, o.width, o.input_width, o.hidden));
  }
  if (o.hidden == 0) o.hidden = 4 * Checked(kOp, o.width);
  return o;
}

const PerceiverOptions& checked(const PerceiverOptions& o) {
  if (o.latents > 0 && o.width > 0 && o.blocks > 0 && o.layers > 0) return o;
  throw ValueError(fmt::format("{}: latents {}, width {}, blocks {} and layers {} must be positive",
                               kOp, o.latents, o.width, o.blocks, o.layers));
}

PerceiverReadOptions reading(const PerceiverOptions& o) {
  return {o.width, o.input_width, o.heads, o.hidden, true, o.dtype};
}

Tensor begin(const PerceiverOptions& o) {
  Tensor out = zeros({o.latents, o.width}, o.dtype);
  nn::normal_(out, 0, 0.02);  // the paper's, which it truncates at 2
  return out;
}

}  // namespace

PerceiverRead::PerceiverRead(const PerceiverReadOptions& o)
    : options_(checked(o)),
      query_norm(child<nn::LayerNorm>("query_norm", Shape{o.width}, 1e-5, true, o.dtype)),
      input_norm(child<nn::LayerNorm>("input_norm", Shape{o.input_width}, 1e-5, true, o.dtype)),
      norm(child<nn::LayerNorm>("norm", Shape{o.width}, 1e-5, true, o.dtype)),
      attend(child<MultiHead>("attend", MultiHeadOptions{.width = o.width,
                                                         .heads = o.heads,
                                                         .key_width = o.input_width,
                                                         .value_width = o.input_width,
                                                         .dtype = o.dtype})),
      linear1(child<nn::Linear>("linear1", o.width, options_.hidden, true, o.dtype)),
      linear2(child<nn::Linear>("linear2", options_.hidden, o.width, true, o.dtype)) {}

Attended PerceiverRead::operator()(const Tensor& z, const Tensor& given, const Terms& terms) const {
  const Scope scope(*this);
  const auto [x, real] =
      masked_sequence(kOp, "x", given, options_.input_width, linear1.weight.dtype(), terms.mask);
  Terms own = terms;
  own.mask = of_places(real);
  const Tensor seen = input_norm(x);
  Attended out = named(kOp, [&] { return attend(query_norm(z), seen, seen, own); });
  const Tensor o = options_.residual ? z + out.context : out.context;
  out.context = forwarded(o + linear2(gelu(linear1(norm(o)))));
  return out;
}

Perceiver::Perceiver(const PerceiverOptions& o)
    : options_(checked(o)),
      latents(parameter("latents", begin(o))),
      read(child<nn::ModuleListOf<PerceiverRead>>("read")),
      think(child<nn::ModuleListOf<TransformerEncoder>>("think")),
      answer(o.query_width == 0
                 ? nullptr
                 : &child<PerceiverRead>(
                       "answer", PerceiverReadOptions{o.query_width, o.width, o.heads, o.hidden,
                                                      false, o.dtype})) {
  const TransformerOptions layer{.width = o.width,
                                 .heads = o.heads,
                                 .hidden = o.hidden == 0 ? 4 * Checked(kOp, o.width) : o.hidden,
                                 .dropout = 0,
                                 .pre_norm = true,
                                 .activation = Activation::gelu,
                                 .dtype = o.dtype};
  for (Index i = 0; i < (o.shared ? std::min<Index>(o.blocks, 2) : o.blocks); ++i) {
    read.add(reading(o));
    think.add(o.layers, layer);
  }
}

Attended Perceiver::latents_of(const Tensor& x, const Mask& mask, bool need_weights) const {
  const auto kept =
      masked_sequence(kOp, "x", x, options_.input_width, latents.dtype(), mask);  // once for all
  const Terms terms{.mask = of_places(kept.real), .need_weights = need_weights};
  Attended out;
  Tensor z = expand(latents, {x.size(0), latents.size(0), latents.size(1)});
  for (Index block = 0; block < options_.blocks; ++block) {
    const std::size_t own = std::min(static_cast<std::size_t>(block), read.size() - 1);
    out = read[own](z, kept.x, terms);
    z = think[own](out.context).output;
  }
  out.context = z;
  return out;
}

Attended Perceiver::operator()(const Tensor& x, const Mask& mask, bool need_weights) const {
  const Scope scope(*this);
  Attended out = latents_of(x, mask, need_weights);
  out.context = forwarded(out.context);
  return out;
}

Attended Perceiver::operator()(const Tensor& queries, const Tensor& x, const Mask& mask,
                               bool need_weights) const {
  const Scope scope(*this);
  if (answer == nullptr) throw ValueError("perceiver: it has no query_width, and answers nothing");
  check_batch(kOp, "queries", queries);
  check_rows(kOp, "queries", queries, options_.query_width, latents.dtype());
  check_batch(kOp, "x", x);
  check_rows_of_batch(kOp, "queries", queries, x.size(0));
  const Tensor z = latents_of(x, mask, false).context;
  Attended out = (*answer)(queries, z, {.need_weights = need_weights});
  out.context = forwarded(out.context);
  return out;
}

}  // namespace heed::attention
