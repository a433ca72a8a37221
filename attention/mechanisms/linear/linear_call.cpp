#include "linear_call.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/cumulative.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/masked_sequence.h"

namespace heed::attention {
namespace {

void check(const char* op, const Tensor& x, Index width, DType dtype, const Terms& terms) {
  check_defined(op, x, "x");
  if (x.rank() != 3 || x.size(2) != width) {
    throw ShapeError(fmt::format("{}: x must be [B, T, {}], not {}", op, width, describe(x)));
  }
  if (x.dtype() != dtype) {
    throw DTypeError(fmt::format("{}: x is {}, the weights are {}", op, describe(x), name(dtype)));
  }
  if (mask_alone(terms)) return;
  throw ValueError(fmt::format(
      "{}: of all terms it takes a mask, and gives weights: it has no scores that others could add "
      "to",
      op));
}

bool causal_of(const char* op, Looks looks, const Mask& mask) {
  const bool causal = mask.right() == 0 && mask.left() < 0;
  const bool all = mask.right() < 0 && mask.left() < 0;
  if ((!causal && !all) || !mask.blocks().empty() || !mask.segment_offsets().empty() ||
      mask.places() != nullptr) {
    throw ValueError(
        fmt::format("{}: a mask must be causal or one of keys: no window, no block, no rule", op));
  }
  if (causal && looks == Looks::both) {
    throw ValueError(fmt::format("{}: cannot be causal: it looks both ways", op));
  }
  return causal || looks == Looks::back;
}

// A tensor is one of scores [B, 1, T, K], as in attend(), and must be the same for all queries.
Tensor real_of(const char* op, const Mask& mask, Index batch, Index first, Index steps) {
  const Index K = first + steps;
  Mask keys;
  if (mask.has_lengths()) keys = Mask::lengths(mask.key_lengths(), K);
  const Tensor rest = mask.rest({batch, 1, steps, K}, op);
  if (rest.defined()) {
    if (rest.rank() >= 2 && rest.size(-2) != 1) {
      throw ValueError(fmt::format(
          "{}: a mask must be causal or one of keys: {} is one of pairs; keys are [B, 1, 1, T], or "
          "Mask::key_padding's [B, T]",
          op, describe(rest)));
    }
    keys = keys & Mask::key_padding(reshape(expand(rest, {batch, 1, 1, K}), {batch, K}));
  }
  const Tensor real = real_places(op, "x", keys, batch, K);
  return real.defined() ? narrow(real, 1, first, steps) : real;
}

}  // namespace

bool mask_alone(const Terms& terms) {
  return terms.normaliser == nullptr && !terms.bias.defined() && !terms.offset_bias.defined() &&
         terms.position_bias == nullptr && terms.relative == nullptr && !terms.map.defined() &&
         !terms.sinks.defined() && terms.dropout == 0 && !terms.need_statistics &&
         !terms.need_log_sums;
}

LinearCall::LinearCall(const char* op, Looks looks, const Tensor& x, Index width, DType dtype,
                       const Terms& terms, Index first)
    : causal_(false), need_weights_(terms.need_weights) {
  check(op, x, width, dtype, terms);
  causal_ = causal_of(op, looks, terms.mask);
  real_ = real_of(op, terms.mask, x.size(0), first, x.size(1));
  finite_ = finite_part(zero_elsewhere(x, real_));
}

Tensor LinearCall::real_of_heads() const {
  return real_.defined() ? unsqueeze(unsqueeze(real_, 1), -1) : real_;
}

Tensor LinearCall::bad_rows() const {
  return finite_.bad.defined() ? any(finite_.bad, {-1}, true) : finite_.bad;
}

void LinearCall::spread(Attended& out) const {
  if (!finite_.bad.defined()) return;
  const Tensor rows = to(bad_rows(), finite_.x.dtype());  // [B, T, 1]
  const Tensor reached = (causal_ ? cumsum(rows, 1) : sum(rows, {1}, true)) > 0;
  out.context = with_bad(out.context, reached);
  if (need_weights_) out.weights = with_bad(out.weights, unsqueeze(reached, 1));
}

Tensor LinearCall::spread_state(const Tensor& state) const {
  if (!finite_.bad.defined()) return state;
  Shape rows = Shape::filled(state.rank(), 1);
  rows[0] = state.size(0);
  return with_bad(state, reshape(any(finite_.bad, {1, 2}), rows));
}

}  // namespace heed::attention
