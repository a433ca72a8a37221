#include "attention_free.h"

#include <algorithm>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/dtype.h"

namespace heed::attention {
namespace {

// The largest so far along the steps of x [B, T, E], and before them `first` [B, 1, E], if defined.
Tensor running_largest(const Tensor& x, const Tensor& first) {
  Array out = x.array().clone();
  const Index B = x.size(0), T = x.size(1), E = x.size(2);
  const Array before = first.defined() ? first.array().contiguous() : Array();
  visit_floating("attention_free", x.dtype(), [&](auto zero) {
    using F = decltype(zero);
    F* to = out.mutable_data<F>();
    const F* from = before.defined() ? before.data<F>() : nullptr;
    for (Index b = 0; b < B; ++b) {
      for (Index t = 0; t < T; ++t) {
        F* row = to + (b * T + t) * E;
        const F* last = t > 0 ? row - E : from != nullptr ? from + b * E : row;
        for (Index e = 0; e < E; ++e) row[e] = std::max(row[e], last[e]);
      }
    }
  });
  return out;
}

}  // namespace

AttentionFree::AttentionFree(Index width, Index chunk, DType dtype)
    : FastWeightsAttention(
          {.name = "attention_free", .looks = Looks::both_or_back, .normalised = true},
          {.width = width, .heads = width, .chunk = chunk, .dtype = dtype}),
      q_proj(projection("q_proj", width)),
      k_proj(projection("k_proj", width)),
      v_proj(projection("v_proj", width)),
      out_proj(projection("out_proj", width, width)) {}

FastWeightsAttention::Steps AttentionFree::steps(const Tensor& x, PastSteps& past) const {
  const Tensor k = k_proj(x), gate = sigmoid(q_proj(x));
  FastWeights f;
  f.v = split_heads(v_proj(x));
  const Tensor before = past.take();
  if (past.causal() && x.size(1) > 0) {
    const Tensor m = running_largest(k, before);
    const Index T = x.size(1);
    const Tensor start = before.defined() ? before : narrow(m, 1, 0, 1);
    f.log_decay = split_heads(concat({start, narrow(m, 1, 0, T - 1)}, 1) - m);
    f.k = split_heads(exp(k - m));
    past.keep(narrow(m, 1, T - 1, 1));
  } else {
    if (before.defined()) past.keep(before);
    f.k = split_heads(x.size(1) > 0 ? exp(k - amax(k, {1}, true).detach()) : k);
  }
  f.q = ones(f.k.shape(), x.dtype());
  return {f, gate};
}

Tensor AttentionFree::output(const Tensor& y, const Tensor&, const Tensor& gate) const {
  return out_proj(gate * join_heads(y));
}

}  // namespace heed::attention
