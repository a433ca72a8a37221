#include "augmented_convolution.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/feature_map.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

AugmentedConvolutionOptions checked(const AugmentedConvolutionOptions& o) {
  constexpr const char* kOp = "augmented_convolution";
  for (const Index size : {o.in, o.out, o.kernel, o.heads, o.key_width, o.value_width}) {
    if (size <= 0) throw ValueError(fmt::format("{}: size {} must be positive", kOp, size));
  }
  if (o.kernel % 2 == 0) throw ValueError(fmt::format("{}: kernel {} must be odd", kOp, o.kernel));
  if (o.key_width % o.heads != 0 || o.value_width % o.heads != 0) {
    throw ValueError(fmt::format("{}: heads {} do not divide key_width {} and value_width {}", kOp,
                                 o.heads, o.key_width, o.value_width));
  }
  if (o.value_width >= o.out) {
    throw ValueError(fmt::format("{}: value_width {} leaves no channel of {} to the convolution",
                                 kOp, o.value_width, o.out));
  }
  if (o.relative && (o.height <= 0 || o.width <= 0)) {
    throw ValueError(fmt::format("{}: relative logits want the largest map, not {} x {}", kOp,
                                 o.height, o.width));
  }
  return o;
}

RelativeOptions table(const AugmentedConvolutionOptions& o, Index places) {
  return {.key_width = o.key_width / o.heads, .clip = places - 1, .dtype = o.dtype};
}

}  // namespace

AugmentedConvolution::AugmentedConvolution(const AugmentedConvolutionOptions& given)
    : options_(checked(given)),
      conv(child<nn::Conv2d>("conv", options_.in, options_.out - options_.value_width,
                             PerAxis(options_.kernel), Conv2dOptions{.padding = options_.kernel / 2},
                             true, options_.dtype)),
      qkv(child<nn::Conv2d>(
          "qkv", options_.in,
          Checked("augmented_convolution", options_.key_width) * 2 + options_.value_width, PerAxis(1),
          Conv2dOptions{}, true, options_.dtype)),
      attn_out(child<nn::Conv2d>("attn_out", options_.value_width, options_.value_width, PerAxis(1),
                                 Conv2dOptions{}, true, options_.dtype)),
      rows(options_.relative ? &child<RelativePositions>("rows", table(options_, options_.height))
                             : nullptr),
      columns(options_.relative
                  ? &child<RelativePositions>("columns", table(options_, options_.width))
                  : nullptr) {}

// q [B, N, H W, d] -> S^H + S^W [B, N, H W, H W], over sqrt(d): along each axis the relative logits
// of a line of places, the same for all lines of keys.
Tensor AugmentedConvolution::relative_logits(const Tensor& q, Index H, Index W) const {
  const Index B = q.size(0), N = q.size(1), d = q.size(3);
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  const Tensor grid = reshape(q, Shape{B, N, H, W, d});
  const Tensor across = columns->scores(grid, W, scale);              // [B, N, H, W, W']
  const Tensor down = rows->scores(transpose(grid, 2, 3), H, scale);  // [B, N, W, H, H']
  const Tensor both = unsqueeze(across, 4) + unsqueeze(transpose(down, 2, 3), 5);
  return reshape(both, Shape{B, N, H * W, H * W});
}

Attended AugmentedConvolution::operator()(const Tensor& map, const Terms& given) const {
  const Scope scope(*this);
  check_map("augmented_convolution", map, options_.in, qkv.weight.dtype());
  const Index B = map.size(0), H = map.size(2), W = map.size(3), N = options_.heads;
  const auto heads = [&](const Tensor& x) {  // [B, N d, H, W] -> [B, N, H W, d]
    return transpose(reshape(x, Shape{B, N, x.size(1) / N, H * W}), 2, 3);
  };
  const std::vector<Tensor> parts =
      split(qkv(map), {options_.key_width, options_.key_width, options_.value_width}, 1);
  const Tensor q = heads(parts[0]);
  Terms terms = given;
  if (rows != nullptr) {
    const Tensor logits = relative_logits(q, H, W);
    terms.bias = terms.bias.defined() ? terms.bias + logits : logits;
  }
  Attended out = named("augmented_convolution",
                       [&] { return attend(q, heads(parts[1]), heads(parts[2]), terms); });
  const Tensor seen = reshape(transpose(out.context, 2, 3), Shape{B, options_.value_width, H, W});
  out.context = forwarded(concat({conv(map), attn_out(seen)}, 1));
  return out;
}

}  // namespace heed::attention
