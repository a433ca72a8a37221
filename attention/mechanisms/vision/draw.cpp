#include "draw.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/ops/shape/slicing.h"
#include "../../../core/error.h"
#include "../../attend.h"

namespace heed::attention {
namespace {

DrawOptions checked(const DrawOptions& o) {
  for (const Index size : {o.state_width, o.size, o.height, o.width}) {
    if (size <= 0) throw ValueError(fmt::format("draw: size {} must be positive", size));
  }
  return o;
}

void check_planes(const char* what, const Tensor& x, Index rows, Index height, Index width,
                  DType dtype) {
  check_defined("draw", x, what);
  if (x.rank() != 4 || x.size(0) != rows || x.size(2) != height || x.size(3) != width) {
    throw ShapeError(fmt::format("draw: the {} must be [{}, C, {}, {}], not {}", what, rows, height,
                                 width, describe(x)));
  }
  if (x.dtype() != dtype) {
    throw DTypeError(
        fmt::format("draw: the {} is {}, the weights are {}", what, describe(x), name(dtype)));
  }
}

// [B] -> [B, 1, 1, 1]
Tensor by_patch(const Tensor& x) { return reshape(x, Shape{x.size(0), 1, 1, 1}); }

}  // namespace

DrawAttention::DrawAttention(const DrawOptions& options)
    : options_(checked(options)),
      window(child<nn::Linear>("window", options_.state_width, 5, true, options_.dtype)) {}

DrawFilters DrawAttention::filters(const Tensor& state) const {
  const Scope scope(*this, Scope::unhooked);
  check_defined("draw", state, "state");
  if (state.rank() != 2 || state.size(1) != options_.state_width) {
    throw ShapeError(fmt::format("draw: the state must be [B, {}], not {}", options_.state_width,
                                 describe(state)));
  }
  const Index N = options_.size, longest = std::max(options_.height, options_.width);
  const Tensor p = window(state);  // [B, 5]
  const Tensor log_variance = narrow(p, 1, 2, 1), delta = exp(narrow(p, 1, 3, 1));
  const double step = N == 1 ? 0 : static_cast<double>(longest - 1) / static_cast<double>(N - 1);
  const Tensor from_middle = arange(N, state.dtype()) - static_cast<double>(N - 1) / 2;  // [N]
  const auto along = [&](Index which, Index places) {
    const Tensor g = (narrow(p, 1, which, 1) + 1) * (static_cast<double>(places + 1) / 2);
    const Tensor mu = g + from_middle * step * delta;                           // [B, N]
    const Tensor query = stack({mu, expand(log_variance, mu.shape())}, -1);     // [B, N, 2]
    const Tensor keys = unsqueeze(arange(1, places + 1, 1, state.dtype()), 1);  // [places, 1]
    return attend(gaussian_, query, keys, keys, {.need_weights = true}).weights;
  };
  return {along(1, options_.height), along(0, options_.width), exp(select(p, 1, 4))};
}

Tensor DrawAttention::read(const Tensor& image, const DrawFilters& at) const {
  const Scope scope(*this);
  check_planes("image", image, at.rows.size(0), options_.height, options_.width,
               window.weight.dtype());
  const Tensor rows = unsqueeze(at.rows, 1), columns = unsqueeze(at.columns, 1);
  return forwarded(by_patch(at.gamma) * matmul(matmul(rows, image), transpose(columns, 2, 3)));
}

Tensor DrawAttention::write(const Tensor& patch, const DrawFilters& at) const {
  const Scope scope(*this);
  check_planes("patch", patch, at.rows.size(0), options_.size, options_.size,
               window.weight.dtype());
  const Tensor rows = unsqueeze(at.rows, 1), columns = unsqueeze(at.columns, 1);
  return forwarded(matmul(matmul(transpose(rows, 2, 3), patch), columns) / by_patch(at.gamma));
}

Tensor DrawAttention::read(const Tensor& image, const Tensor& state) const {
  return read(image, filters(state));
}

Tensor DrawAttention::write(const Tensor& patch, const Tensor& state) const {
  return write(patch, filters(state));
}

}  // namespace heed::attention
