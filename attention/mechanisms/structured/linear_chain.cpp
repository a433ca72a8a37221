#include "linear_chain.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "chain_over_keys.h"

namespace heed::attention {
namespace {

using Places = std::vector<Tensor>;

void check(const Tensor& u, const Tensor& transitions) {
  check_defined("linear_chain", u, "u", transitions, "transitions");
  check_floating("linear_chain", u.dtype());
  if (u.rank() < 2) {
    throw ShapeError(fmt::format("linear_chain: u must be [.., T, S], not {}", describe(u)));
  }
  const Index S = u.size(-1);
  if (transitions.shape() != Shape{S, S}) {
    throw ShapeError(fmt::format("linear_chain: transitions must be [{}, {}], not {}", S, S,
                                 describe(transitions)));
  }
  if (transitions.dtype() != u.dtype()) {
    throw DTypeError(fmt::format("linear_chain: dtypes differ: u is {}, transitions are {}",
                                 describe(u), describe(transitions)));
  }
}

// log sum_i exp(x_i + A_ij): x [.., S] -> [.., S]
Tensor onward(const Tensor& x, const Tensor& transitions) {
  return logsumexp(unsqueeze(x, -1) + transitions, {-2});
}

Tensor chosen(const Tensor& condition, const Tensor& x, const Tensor& y) {
  return condition.defined() ? where(condition, x, y) : x;
}

// Each place's bool [.., 1]; undefined where everything is allowed.
Places places_of(const Tensor& allowed, Index T) {
  if (!allowed.defined()) return Places(static_cast<std::size_t>(T));
  Places out = unbind(allowed, -1);
  for (Tensor& place : out) place = unsqueeze(place, -1);
  return out;
}

}  // namespace

ChainMarginals linear_chain(const Tensor& given, const Tensor& transitions, const Tensor& allowed) {
  check(given, transitions);
  const Index T = given.size(-2);
  const Shape places = given.shape().without(given.rank() - 1);
  const Shape rows = places.without(places.rank() - 1);
  const Tensor may = allowed.defined() ? expand(allowed, places) : allowed;
  const Tensor u = may.defined() ? where(unsqueeze(may, -1), given, 0) : given;
  if (T == 0) return {u * 1, zeros(rows, u.dtype())};
  const Places at = unbind(u, -2), here = places_of(may, T);
  const auto size = static_cast<std::size_t>(T);

  Places alpha(size), beta(size);
  Tensor begun = here[0];  // whether a place before this one is in the chain
  alpha[0] = at[0];
  for (std::size_t t = 1; t < size; ++t) {
    const Tensor next = at[t] + onward(alpha[t - 1], transitions);
    alpha[t] = chosen(here[t], chosen(begun, next, at[t]), alpha[t - 1]);
    if (begun.defined()) begun = logical_or(begun, here[t]);
  }
  beta[size - 1] = zeros(at[0].shape(), u.dtype());
  const Tensor back = transpose(transitions, 0, 1);
  for (std::size_t t = size - 1; t > 0; --t) {
    beta[t - 1] = chosen(here[t], onward(at[t] + beta[t], back), beta[t]);
  }

  const Tensor log_z = logsumexp(alpha.back(), {-1});  // [..]
  const Tensor log_p = stack(alpha, -2) + stack(beta, -2) - unsqueeze(unsqueeze(log_z, -1), -1);
  if (!may.defined()) return {exp(log_p), log_z};
  const Tensor shown = unsqueeze(may, -1);
  return {where(shown, exp(where(shown, log_p, 0)), 0), where(squeeze(begun, -1), log_z, 0)};
}

LinearChain::LinearChain(DType dtype)
    : transitions(parameter("transitions", zeros({2, 2}, dtype))) {}

Tensor LinearChain::operator()(const Tensor& scores, const Tensor& allowed, Index axis,
                               Tensor*) const {
  const Scope scope(*this);
  return forwarded(chain_over_keys(scores, allowed, axis, [&](const Tensor& u, const Tensor& may) {
    return linear_chain(u, transitions, may).nodes;
  }));
}

}  // namespace heed::attention
