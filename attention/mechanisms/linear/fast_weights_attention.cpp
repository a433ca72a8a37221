#include "fast_weights_attention.h"

#include <fmt/format.h>

#include <limits>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"

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

// x over the sums in its last column; 0 where a sum is, or has no digits left.
Tensor normalised(const Tensor& x) {
  const auto parts = split(x, {x.size(-1) - 1, 1}, -1);
  const double least = x.dtype() == DType::f32 ? std::numeric_limits<float>::min()
                                               : std::numeric_limits<double>::min();
  return parts[0] / where(abs(parts[1]) < least, 1, parts[1]);
}

}  // namespace

FastWeightsAttention::FastWeightsAttention(const Kind& kind, const LinearOptions& options)
    : kind_(kind), options_(checked(kind.name, options)) {}

nn::Linear& FastWeightsAttention::projection(const char* name, Index in, Index out) {
  nn::Linear& made = child<nn::Linear>(name, in, out, options_.bias, options_.dtype);
  if (first_ == nullptr) first_ = &made;
  return made;
}

Attended FastWeightsAttention::attend(FastWeights f, const LinearCall& call, bool few,
                                      Tensor* state) const {
  if (const Tensor real = call.real_of_heads(); real.defined()) {
    f.k = where(real, f.k, 0);
    if (f.log_decay.defined()) f.log_decay = where(real, f.log_decay, 0);
  }
  if (kind_.normalised)
    f.v = concat({f.v, ones(f.v.shape().without(3).with(3, 1), f.v.dtype())}, -1);
  Attended out;
  if (call.causal()) {
    const FastWeightsOutput read =
        fast_weights(f, few ? LinearForm::recurrent : LinearForm::chunked, *state, options_.chunk);
    *state = read.state;
    out.context = read.y;
    if (call.need_weights()) out.weights = fast_weights_matrix(f);
  } else {
    out.context = matmul(f.q, matmul(transpose(f.k, 2, 3), f.v));
    if (call.need_weights()) out.weights = matmul(f.q, transpose(f.k, 2, 3));
  }
  if (kind_.normalised) {
    out.context = normalised(out.context);
    if (call.need_weights()) {
      out.weights = normalised(concat({out.weights, sum(out.weights, {-1}, true)}, -1));
    }
  }
  return out;
}

Attended FastWeightsAttention::operator()(const Tensor& given, const Terms& terms,
                                          KeyValueCache* cache) const {
  const Scope scope(*this);
  if (cache != nullptr && cache->options().window > 0) {
    throw ValueError(fmt::format(
        "{}: a state of all steps has none that a rolling cache could drop: give a plain one",
        kind_.name));
  }
  const Index first = cache != nullptr ? cache->seen() : 0;
  const LinearCall call(kind_.name, kind_.looks, given, E(), first_->weight.dtype(), terms, first);
  if (cache != nullptr && !call.causal()) {
    throw ValueError(fmt::format("{}: a cache is for causal attention", kind_.name));
  }
  if (call.need_weights() && first > 0) {
    throw ValueError(
        fmt::format("{}: a state does not know the weights of steps before", kind_.name));
  }
  std::vector<Tensor> kept = cache != nullptr ? cache->states() : std::vector<Tensor>();
  Tensor state;
  if (!kept.empty()) {
    state = kept.front();
    kept.erase(kept.begin());
  }
  const Index T = given.size(1);
  PastSteps past(first, call.causal(), std::move(kept), call.real());
  const Steps made = steps(call.x(), past);
  Attended out = attend(made.f, call, cache != nullptr && T <= kFewSteps, &state);
  out.context = output(out.context, call.x(), made.beside);
  call.spread(out);
  if (cache != nullptr) {
    std::vector<Tensor> now = {call.spread_state(state)};
    now.insert(now.end(), past.now().begin(), past.now().end());
    cache->go_on(std::move(now), T);
  }
  out.context = forwarded(out.context);
  return out;
}

}  // namespace heed::attention
