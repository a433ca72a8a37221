#include "fast_weights_attention.h"

#include <fmt/format.h>

#include <limits>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/reduce/cumulative.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/nan_guard.h"

namespace heed::attention {
namespace {

// Steps up to which one after the other is cheaper than a chunk.
constexpr Index kFewSteps = 4;

LinearOptions checked(const char* name, LinearOptions o) {
  if (o.width <= 0 || o.heads <= 0 || o.chunk <= 0 || o.head_width < 0 || o.value_head_width < 0) {
    throw ValueError(
        fmt::format("{}: width {}, heads {} and chunk {} must be positive, widths of heads {} and "
                    "{} not negative",
                    name, o.width, o.heads, o.chunk, o.head_width, o.value_head_width));
  }
  if ((o.head_width == 0 || o.value_head_width == 0) && o.width % o.heads != 0) {
    throw ValueError(fmt::format("{}: heads {} does not divide width {}", name, o.heads, o.width));
  }
  if (o.head_width == 0) o.head_width = o.width / o.heads;
  if (o.value_head_width == 0) o.value_head_width = o.width / o.heads;
  return o;
}

// x over the sums in its last column; 0 where a sum is.
Tensor normalised(const Tensor& x) {
  const auto parts = split(x, {x.size(-1) - 1, 1}, -1);
  return parts[0] / where(parts[1] == 0, 1, parts[1]);
}

}  // namespace

FastWeightsAttention::FastWeightsAttention(const Kind& kind, const LinearOptions& options)
    : kind_(kind), options_(checked(kind.name, options)) {}

nn::Linear& FastWeightsAttention::projection(const char* name, Index in, Index out) {
  nn::Linear& made = child<nn::Linear>(name, in, out, options_.bias, options_.dtype);
  if (first_ == nullptr) first_ = &made;
  return made;
}

Tensor FastWeightsAttention::split_heads(const Tensor& x) const {
  return transpose(reshape(x, Shape{x.size(0), x.size(1), H(), x.size(2) / H()}), 1, 2);
}

Tensor FastWeightsAttention::join_heads(const Tensor& x) {
  return reshape(transpose(x, 1, 2), Shape{x.size(0), x.size(2), x.size(1) * x.size(3)});
}

void FastWeightsAttention::check(const Tensor& x, const Terms& terms) const {
  check_defined(kind_.name, x, "x");
  if (x.rank() != 3 || x.size(2) != E()) {
    throw ShapeError(fmt::format("{}: x must be [B, T, {}], not {}", kind_.name, E(), describe(x)));
  }
  const DType own = first_->weight.dtype();  // to() may have changed it
  if (x.dtype() != own) {
    throw DTypeError(
        fmt::format("{}: x is {}, the weights are {}", kind_.name, describe(x), name(own)));
  }
  const bool alone = terms.normaliser == nullptr && !terms.bias.defined() &&
                     !terms.offset_bias.defined() && terms.position_bias == nullptr &&
                     terms.relative == nullptr && !terms.map.defined() && !terms.sinks.defined() &&
                     terms.dropout == 0 && !terms.need_statistics && !terms.need_log_sums;
  if (alone) return;
  throw ValueError(
      fmt::format("{}: of all terms it takes a mask, and gives weights: it has no scores that "
                  "others could add to",
                  kind_.name));
}

FastWeightsAttention::Seen FastWeightsAttention::seen(const Mask& mask, Index batch, Index first,
                                                      Index steps) const {
  const bool causal = mask.right() == 0 && mask.left() < 0;
  const bool all = mask.right() < 0 && mask.left() < 0;
  if ((!causal && !all) || !mask.blocks().empty() || !mask.segment_offsets().empty() ||
      mask.places() != nullptr) {
    throw ValueError(fmt::format(
        "{}: a mask must be causal or one of keys: no window, no block, no rule", kind_.name));
  }
  const Shape places{batch, first + steps};
  Mask keys;
  if (mask.has_lengths()) keys = Mask::lengths(mask.key_lengths(), places[1]);
  const Tensor rest = mask.rest(places, kind_.name);
  if (rest.defined()) keys = keys & Mask(rest);
  const Tensor real = real_places(kind_.name, "x", keys, batch, places[1]);
  return {causal || !kind_.both_ways, real.defined() ? narrow(real, 1, first, steps) : real};
}

Attended FastWeightsAttention::attend(FastWeights f, const Seen& seen, bool need_weights,
                                      KeyValueCache* cache, Tensor* state) const {
  if (seen.real.defined()) {
    const Tensor real = unsqueeze(unsqueeze(seen.real, 1), -1);  // [B, 1, T, 1]
    f.k = where(real, f.k, 0);
    if (f.log_decay.defined()) f.log_decay = where(real, f.log_decay, 0);
  }
  const Tensor ones_beside = ones(Shape{f.v.size(0), f.v.size(1), f.v.size(2), 1}, f.v.dtype());
  if (kind_.normalised) f.v = concat({f.v, ones_beside}, -1);
  Attended out;
  if (seen.causal) {
    const bool few = cache != nullptr && f.q.size(2) <= kFewSteps;
    const FastWeightsOutput read =
        fast_weights(f, few ? LinearForm::recurrent : LinearForm::chunked, *state, options_.chunk);
    *state = read.state;
    out.context = read.y;
    if (need_weights) out.weights = fast_weights_matrix(f);
  } else {
    out.context = matmul(f.q, matmul(transpose(f.k, 2, 3), f.v));
    if (need_weights) out.weights = matmul(f.q, transpose(f.k, 2, 3));
  }
  if (kind_.normalised) {
    out.context = normalised(out.context);
    if (need_weights) {
      out.weights = normalised(concat({out.weights, sum(out.weights, {-1}, true)}, -1));
    }
  }
  return out;
}

Attended FastWeightsAttention::operator()(const Tensor& given, const Terms& terms,
                                          KeyValueCache* cache) const {
  const Scope scope(*this);
  check(given, terms);
  const Index B = given.size(0), T = given.size(1), first = cache != nullptr ? cache->seen() : 0;
  if (terms.need_weights && first > 0) {
    throw ValueError(
        fmt::format("{}: a state does not know the weights of steps before", kind_.name));
  }
  const Seen seen = this->seen(terms.mask, B, first, T);
  // No NaN meets a parameter or a state; who may see one gets it in the end.
  const FinitePart finite = finite_part(zero_elsewhere(given, seen.real));
  std::vector<Tensor> kept = cache != nullptr ? cache->states() : std::vector<Tensor>();
  Tensor state;
  if (!kept.empty()) {
    state = kept.front();
    kept.erase(kept.begin());
  }
  if (cache != nullptr && !seen.causal) {
    throw ValueError(fmt::format("{}: a cache is for causal attention", kind_.name));
  }
  PastSteps past(first, seen.causal, std::move(kept));
  const Steps made = steps(finite.x, past);
  Attended out = attend(made.f, seen, terms.need_weights, cache, &state);
  out.context = output(out.context, finite.x, made.beside);
  if (finite.bad.defined()) {
    const Tensor rows = heed::to(any(finite.bad, {-1}, true), finite.x.dtype());  // [B, T, 1]
    const Tensor reached = (seen.causal ? cumsum(rows, 1) : sum(rows, {1}, true)) > 0;
    out.context = with_bad(out.context, reached);
    if (terms.need_weights) out.weights = with_bad(out.weights, unsqueeze(reached, 1));
    if (cache != nullptr) {
      state = with_bad(state, unsqueeze(any(finite.bad, {1, 2}, true), 1));
    }
  }
  if (cache != nullptr) {
    std::vector<Tensor> now = {state};
    now.insert(now.end(), past.now().begin(), past.now().end());
    cache->go_on(std::move(now), T);
  }
  out.context = forwarded(out.context);
  return out;
}

}  // namespace heed::attention
