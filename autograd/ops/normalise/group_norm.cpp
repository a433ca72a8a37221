#include "group_norm.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../core/error.h"
#include "../../check_defined.h"
#include "../shape/shape.h"
#include "../shape/widened.h"
#include "standardize.h"

namespace heed {
namespace {

using Standardize = Tensor (*)(const Tensor&, const Tensor&, const Tensor&, const Standardization&);

Tensor fused(const Tensor& x, const Tensor& weight, const Tensor& bias,
             const Standardization& how) {
  return standardize(x, weight, bias, how);
}

// As x [N, groups, C / groups, places], weight [groups, C / groups, 1].
Tensor in_groups(const Tensor& x, Index groups, const Tensor& weight, const Tensor& bias,
                 double eps, Standardize apply) {
  check_defined("group_norm", x, "x");
  check_floating("group_norm", x.dtype());
  check_eps("group_norm", eps);
  if (groups < 1) throw ValueError(fmt::format("group_norm: groups {} must be positive", groups));
  if (x.rank() < 2 || x.size(1) % groups != 0) {
    throw ShapeError(
        fmt::format("group_norm: x must be [N, C, ...], C a multiple of {} groups, not {}", groups,
                    describe(x)));
  }
  const Index batch = x.size(0), channels = x.size(1), each = channels / groups;
  check_affine("group_norm", "weight", weight, x, {channels});
  check_affine("group_norm", "bias", bias, x, {channels});
  Index places = 1;
  for (Index axis = 2; axis < x.rank(); ++axis) {
    places = checked_mul("group_norm", places, x.shape()[axis]);
  }
  Standardization how{Op::group_norm, {2, 3}, {}, eps};
  // One place a channel: the group is one run, each element with a weight of its own.
  const bool many = places == 1;
  how.layout = {.rows = batch * groups,
                .segments = many ? 1 : each,
                .length = many ? each : places,
                .row_step = each * places,
                .segment_step = places,
                .period = groups,
                .weight_row_step = each,
                .weight_segment_step = 1,
                .many = many};
  const auto a_channel = [&](const Tensor& t) {
    return t.defined() ? reshape(t, {groups, each, 1}) : t;
  };
  const Tensor y =
      apply(reshape(x, {batch, groups, each, places}), a_channel(weight), a_channel(bias), how);
  return reshape(y, x.shape());
}

}  // namespace

Tensor group_norm(const Tensor& x, Index groups, const Tensor& weight, const Tensor& bias,
                  double eps) {
  if (detail::hold_bf16(x, weight, bias)) {
    return group_norm(detail::wide(x), groups, detail::wide(weight), detail::wide(bias), eps);
  }
  return in_groups(x, groups, weight, bias, eps, fused);
}

Tensor group_norm_plain(const Tensor& x, Index groups, const Tensor& weight, const Tensor& bias,
                        double eps) {
  return in_groups(x, groups, weight, bias, eps, standardize_plain);
}

}  // namespace heed
