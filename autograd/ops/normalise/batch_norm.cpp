#include "batch_norm.h"

#include <fmt/format.h>

#include "../../../core/error.h"
#include "../../check_defined.h"
#include "../../grad_mode.h"
#include "../elementwise/elementwise.h"
#include "../shape/shape.h"
#include "../shape/widened.h"
#include "standardize.h"

namespace heed {
namespace {

constexpr Index kShortest = 16;  // places that a run of its own pays for

// x as [N, C, places].
Tensor with_places(const Tensor& x) {
  check_defined("batch_norm", x, "x");
  check_floating("batch_norm", x.dtype());
  if (x.rank() < 2) {
    throw ShapeError(fmt::format("batch_norm: x must be [N, C, ...], not {}", describe(x)));
  }
  Index places = 1;
  for (Index axis = 2; axis < x.rank(); ++axis) {
    places = checked_mul("batch_norm", places, x.shape()[axis]);
  }
  return reshape(x, {x.size(0), x.size(1), places});
}

void check_running(const char* what, const Tensor& running, const Tensor& x) {
  check_affine("batch_norm", what, running, x, {x.size(1)});
  if (running.defined() && running.requires_grad()) {
    throw GradError(fmt::format("batch_norm: {} must not require a gradient", what));
  }
}

Tensor a_channel(const Tensor& t) { return t.defined() ? reshape(t, {t.size(0), 1}) : t; }

// x [N, C, places] by the moments of each channel. Short runs are laid side by side first.
Tensor by_batch(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps,
                kernels::Standardized* seen) {
  const Index batch = x.size(0), channels = x.size(1), places = x.size(2);
  Standardization how{Op::batch_norm, {0, 2}, {}, eps};
  how.layout = {.rows = channels,
                .segments = batch,
                .length = places,
                .row_step = places,
                .segment_step = channels * places,
                .period = channels,
                .weight_row_step = 1};
  how.layout.down = places == 1;
  if (places >= kShortest || places == 1)
    return standardize(x, a_channel(weight), a_channel(bias), how, seen);
  how.axes = {1};
  how.layout.segments = 1;
  how.layout.length = how.layout.row_step = batch * places;
  const Tensor rows = reshape(transpose(x, 0, 1), {channels, batch * places});
  const Tensor y = standardize(rows, a_channel(weight), a_channel(bias), how, seen);
  return contiguous(transpose(reshape(y, {channels, batch, places}), 0, 1));
}

// running += momentum (found - running)
void move_towards(Tensor running, const Tensor& found, double momentum) {
  if (running.defined()) running.copy_from(running * (1 - momentum) + found * momentum);
}

}  // namespace

Tensor batch_norm(const Tensor& x, const Tensor& running_mean, const Tensor& running_var,
                  const Tensor& weight, const Tensor& bias, bool training, double momentum,
                  double eps) {
  if (detail::hold_bf16(x, weight, bias)) {
    return batch_norm(detail::wide(x), running_mean, running_var, detail::wide(weight),
                      detail::wide(bias), training, momentum, eps);
  }
  const Tensor wide = with_places(x);
  check_eps("batch_norm", eps);
  if (!(momentum >= 0 && momentum <= 1)) {
    throw ValueError(fmt::format("batch_norm: momentum {} is not in [0, 1]", momentum));
  }
  check_running("running_mean", running_mean, x);
  check_running("running_var", running_var, x);
  check_affine("batch_norm", "weight", weight, x, {x.size(1)});
  check_affine("batch_norm", "bias", bias, x, {x.size(1)});
  const Index count = wide.size(0) * wide.size(2);  // values a channel
  if (!training) {
    if (!running_mean.defined() || !running_var.defined()) {
      throw ValueError("batch_norm: evaluation needs running_mean and running_var");
    }
    Tensor scale = reciprocal(sqrt(running_var + eps));
    if (weight.defined()) scale = scale * weight;
    Tensor shift = -(running_mean * scale);
    if (bias.defined()) shift = shift + bias;
    return reshape(wide * a_channel(scale) + a_channel(shift), x.shape());
  }
  if (count == 1) {
    throw ValueError(fmt::format(
        "batch_norm: training needs more than one value a channel, x is {}", describe(x)));
  }
  kernels::Standardized seen;
  const Tensor y = by_batch(wide, weight, bias, eps, &seen);
  if (count > 0) {
    const NoGrad scope;
    const double unbiased = static_cast<double>(count) / static_cast<double>(count - 1);
    move_towards(running_mean, Tensor(seen.mean), momentum);
    move_towards(running_var, Tensor(seen.variance) * unbiased, momentum);
  }
  return reshape(y, x.shape());
}

Tensor batch_norm_plain(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps) {
  const Tensor wide = with_places(x);
  const Standardization how{Op::batch_norm, {0, 2}, {}, eps};
  return reshape(standardize_plain(wide, a_channel(weight), a_channel(bias), how), x.shape());
}

}  // namespace heed
