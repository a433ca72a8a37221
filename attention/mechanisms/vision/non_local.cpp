#include "non_local.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../autograd/ops/conv/pool.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/feature_map.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"

namespace heed::attention {
namespace {

NonLocalOptions checked(NonLocalOptions options) {
  if (options.width <= 0 || options.inner < 0) {
    throw ValueError(fmt::format("non_local: width {} must be positive, inner {} not negative",
                                 options.width, options.inner));
  }
  if (options.inner == 0) options.inner = std::max<Index>(options.width / 2, 1);
  return options;
}

}  // namespace

NonLocal::NonLocal(const NonLocalOptions& given)
    : options_(checked(given)),
      theta(
          options_.kind == NonLocalKind::gaussian
              ? nullptr
              : &child<nn::Linear>("theta", options_.width, options_.inner, true, options_.dtype)),
      phi(options_.kind == NonLocalKind::gaussian
              ? nullptr
              : &child<nn::Linear>("phi", options_.width, options_.inner, true, options_.dtype)),
      g(child<nn::Linear>("g", options_.width, options_.inner, true, options_.dtype)),
      out(child<nn::Linear>("out", options_.inner, options_.width, true, options_.dtype)) {
  nn::zeros_(out.weight);
  nn::zeros_(out.bias);
}

Attended NonLocal::operator()(const Tensor& map, const Terms& given) const {
  const Scope scope(*this);
  check_map("non_local", map, options_.width, g.weight.dtype());
  const Index H = map.size(2), W = map.size(3);
  const bool masked = !given.mask.all();
  if (options_.subsample && (masked || H < 2 || W < 2)) {
    throw ValueError(fmt::format("non_local: to subsample takes no mask, and 2 x 2 places: {}{}",
                                 describe(map), masked ? " with a mask" : ""));
  }
  const auto projected = [&](const nn::Linear* part, const Tensor& x) {
    return part == nullptr ? x : guarded(x, masked, *part);
  };
  const auto subsampled = [&](const Tensor& x) {
    return options_.subsample ? places_of(max_pool2d(map_of(x, H, W), 2)) : x;
  };
  const Tensor x = places_of(map);  // [B, H W, C]
  Terms terms = given;
  if (options_.kind == NonLocalKind::dot && terms.normaliser == nullptr) {
    terms.normaliser = &by_count_;
  }
  Attended y = named("non_local", [&] {
    return attend(dot_, projected(theta, x), subsampled(projected(phi, x)),
                  subsampled(projected(&g, x)), terms);
  });
  y.context = forwarded(map_of(guarded(y.context, masked, out) + x, H, W));
  return y;
}

}  // namespace heed::attention
