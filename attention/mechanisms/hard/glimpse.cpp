#include "glimpse.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"

namespace heed::attention {
namespace {

// Features of one look.
Index features_of(const GlimpseOptions& options) {
  check_glimpse("GlimpseNetwork", options.size, options.scales);
  if (options.channels < 1) {
    throw ValueError(fmt::format("GlimpseNetwork: channels {} must be positive", options.channels));
  }
  return Checked("GlimpseNetwork", options.scales) * options.size * options.size * options.channels;
}

}  // namespace

GlimpseNetwork::GlimpseNetwork(const GlimpseOptions& o)
    : options(o),
      what(child<nn::Linear>("what", features_of(o), o.hidden, true, o.dtype)),
      where(child<nn::Linear>("where", 2, o.hidden, true, o.dtype)),
      what_out(child<nn::Linear>("what_out", o.hidden, o.width, true, o.dtype)),
      where_out(child<nn::Linear>("where_out", o.hidden, o.width, true, o.dtype)) {}

Tensor GlimpseNetwork::operator()(const Tensor& images, const Tensor& centres) const {
  const Scope scope(*this);
  check_defined("GlimpseNetwork", images, "images", centres, "centres");
  if (images.rank() != 4 || images.size(1) != options.channels) {
    throw ShapeError(fmt::format("GlimpseNetwork: images must be [B, {}, H, W], not {}",
                                 options.channels, describe(images)));
  }
  const Tensor seen = glimpse_sensor(images, centres, options.size, options.scales);
  return forwarded(relu(what_out(relu(what(seen))) + where_out(relu(where(centres)))));
}

LocationNetwork::LocationNetwork(Index width, DType dtype, bool bounded)
    : linear(child<nn::Linear>("linear", width, 2, true, dtype)), bounded_(bounded) {}

Tensor LocationNetwork::operator()(const Tensor& h) const {
  const Scope scope(*this);
  const Tensor mean = linear(h);
  return forwarded(bounded_ ? tanh(mean) : mean);
}

}  // namespace heed::attention
