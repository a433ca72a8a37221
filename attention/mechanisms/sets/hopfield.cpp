#include "hopfield.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "../../../autograd/ops/elementwise/compare.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "hopfield";

double checked_beta(double beta) {
  if (beta > 0 && std::isfinite(beta)) return beta;
  throw ValueError(fmt::format("{}: beta {} must be positive", kOp, beta));
}

HopfieldOptions checked(HopfieldOptions o) {
  if (o.stored_width == 0) o.stored_width = o.state_width;
  if (o.output == 0) o.output = o.state_width;
  if (o.state_width <= 0 || o.stored_width <= 0 || o.head_width <= 0 || o.heads <= 0 ||
      o.output <= 0 || o.updates <= 0) {
    throw ValueError(fmt::format(
        "{}: state_width {}, stored_width {}, head_width {}, heads {}, "
        "output {} and updates {} must be positive",
        kOp, o.state_width, o.stored_width, o.head_width, o.heads, o.output, o.updates));
  }
  if (!(o.tolerance >= 0)) {
    throw ValueError(fmt::format("{}: tolerance {} must not be negative", kOp, o.tolerance));
  }
  o.beta = checked_beta(o.beta == 0 ? 1 / std::sqrt(static_cast<double>(o.head_width)) : o.beta);
  return o;
}

Tensor begin(Index count, Index width, DType dtype) {
  if (count <= 0) throw ValueError(fmt::format("{}: count {} must be positive", kOp, count));
  Tensor out = zeros({count, width}, dtype);
  nn::normal_(out, 0, 1 / std::sqrt(static_cast<double>(width)));
  return out;
}

Tensor for_each(const Tensor& learned, Index batch) {
  return expand(learned, {batch, learned.size(0), learned.size(1)});
}

}  // namespace

Tensor hopfield_energy(const Tensor& states, const Tensor& given, double beta,
                       const Tensor& allowed) {
  checked_beta(beta);
  scores_shape(kOp, states, given);
  check_rows(kOp, "patterns", given, states.size(-1), states.dtype());
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Index K = given.size(-2);
  Tensor may, patterns = given;
  if (allowed.defined()) {
    may = expand(allowed, given.shape().without(given.rank() - 1));  // [.., K]
    patterns = where(unsqueeze(may, -1), given, 0);
  }
  Tensor z = matmul(states, transpose(patterns, -2, -1)) * beta;  // [.., Q, K]
  Tensor norms = sum(square(patterns), {-1});                     // [.., K]
  Tensor count = tensor(static_cast<double>(K), states.dtype());
  if (may.defined()) {
    z = where(unsqueeze(may, -2), z, -kInfinity);
    count = unsqueeze(sum(to(may, states.dtype()), {-1}), -1);
  }
  const Tensor largest = K == 0 ? sum(norms, {-1}, true) : amax(norms, {-1}, true);  // [.., 1]
  const Tensor energy =
      (log(count) - logsumexp(z, {-1})) / beta + sum(square(states), {-1}) / 2 + largest / 2;
  return K == 0 || may.defined() ? where(count == 0, kInfinity, energy) : energy;
}

Attended hopfield_update(const Tensor& states, const Tensor& patterns, double beta,
                         const Terms& terms) {
  const ScaledDot score(checked_beta(beta));
  return named(kOp, [&] { return attend(score, states, patterns, patterns, terms); });
}

Hopfield::Hopfield(const HopfieldOptions& o)
    : options_(checked(o)),
      state_projection(child<nn::Linear>("state_projection", o.state_width,
                                         Checked(kOp, o.heads) * o.head_width, false, o.dtype)),
      pattern_projection(child<nn::Linear>("pattern_projection", options_.stored_width,
                                           Checked(kOp, o.heads) * o.head_width, false, o.dtype)),
      value_projection(child<nn::Linear>("value_projection", Checked(kOp, o.heads) * o.head_width,
                                         Checked(kOp, o.heads) * o.head_width, false, o.dtype)),
      out_proj(child<nn::Linear>("out_proj", Checked(kOp, o.heads) * o.head_width, options_.output,
                                 true, o.dtype)) {}

Attended Hopfield::operator()(const Tensor& states, const Tensor& stored, const Mask& mask,
                              bool need_weights) const {
  const Scope scope(*this);
  check_batch(kOp, "states", states);
  check_rows(kOp, "states", states, options_.state_width, out_proj.weight.dtype());
  const auto [y, real] =
      masked_sequence(kOp, "stored", stored, options_.stored_width, out_proj.weight.dtype(), mask);
  check_rows_of_batch(kOp, "stored", stored, states.size(0));
  const Index B = states.size(0), H = options_.heads, D = options_.head_width;
  const auto heads = [&](const Tensor& x) {
    return transpose(reshape(x, {B, x.size(1), H, D}), 1, 2);  // [B, H, n, D]
  };
  const Tensor keys = pattern_projection(y);
  const Mask may = of_places(real);
  Tensor xi = heads(state_projection(states)), stopped;  // bool [B, H, Q, 1]; undefined: none
  for (Index update = 1; update < options_.updates; ++update) {
    const Tensor next = hopfield_update(xi, heads(keys), options_.beta, {.mask = may}).context;
    // Each state by itself, whoever is beside it.
    const Tensor moved = amax(abs(next.detach() - xi.detach()), {-1}, true);
    const Tensor still = moved <= options_.tolerance;
    xi = stopped.defined() ? where(stopped, xi, next) : next;
    if (heed::any(still).array().item() != 0) {
      stopped = stopped.defined() ? logical_or(stopped, still) : still;
    }
    if (stopped.defined() && heed::all(stopped).array().item() != 0) break;
  }
  const ScaledDot score(options_.beta);
  Attended out = attend(score, xi, heads(keys), heads(value_projection(keys)),
                        {.mask = may, .need_weights = need_weights});
  const Tensor joined = reshape(transpose(out.context, 1, 2), {B, states.size(1), H * D});
  out.context = forwarded(out_proj(joined));
  return out;
}

HopfieldPooling::HopfieldPooling(const HopfieldOptions& o, Index count)
    : states(parameter("states", begin(count, checked(o).state_width, o.dtype))),
      associate(child<Hopfield>("associate", o)) {}

Attended HopfieldPooling::operator()(const Tensor& stored, const Mask& mask,
                                     bool need_weights) const {
  const Scope scope(*this);
  const auto [y, real] = masked_sequence(kOp, "stored", stored, associate.options().stored_width,
                                         states.dtype(), mask);
  Attended out = associate(for_each(states, y.size(0)), y, of_places(real), need_weights);
  out.context = forwarded(out.context);
  return out;
}

HopfieldLayer::HopfieldLayer(const HopfieldOptions& o, Index count)
    : patterns(parameter("patterns", begin(count, checked(o).stored_width, o.dtype))),
      associate(child<Hopfield>("associate", o)) {}

Attended HopfieldLayer::operator()(const Tensor& states, bool need_weights) const {
  const Scope scope(*this);
  check_batch(kOp, "states", states);
  check_rows(kOp, "states", states, associate.options().state_width, patterns.dtype());
  Attended out = associate(states, for_each(patterns, states.size(0)), Mask(), need_weights);
  out.context = forwarded(out.context);
  return out;
}

}  // namespace heed::attention
