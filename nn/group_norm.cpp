#include "group_norm.h"

#include <fmt/format.h>

#include "../autograd/ops/normalise/group_norm.h"
#include "../autograd/ops/normalise/standardize.h"
#include "../core/error.h"

namespace heed::nn {
namespace {

Index checked(Index groups, Index channels, double eps) {
  if (groups <= 0 || channels <= 0 || channels % groups != 0) {
    throw ValueError(
        fmt::format("GroupNorm: {} groups do not divide {} channels", groups, channels));
  }
  check_eps("GroupNorm", eps);
  return channels;
}

}  // namespace

GroupNorm::GroupNorm(Index groups, Index channels, double eps, bool affine, DType dtype)
    : weight(
          parameter("weight", affine ? ones({checked(groups, channels, eps)}, dtype) : Tensor())),
      bias(parameter("bias", affine ? zeros({channels}, dtype) : Tensor())),
      groups_(groups),
      eps_(eps) {
  checked(groups, channels, eps);
}

Tensor GroupNorm::operator()(const Tensor& x) const {
  const Scope scope(*this);
  return forwarded(group_norm(x, groups_, weight, bias, eps_));
}

}  // namespace heed::nn
