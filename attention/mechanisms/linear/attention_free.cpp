#include "attention_free.h"

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "running_largest.h"

namespace heed::attention {

AttentionFree::AttentionFree(Index width, Index chunk, DType dtype)
    : FastWeightsAttention(
          {.name = "attention_free", .looks = Looks::both_or_back, .normalised = true},
          {.width = width, .heads = width, .chunk = chunk, .dtype = dtype}),
      q_proj(projection("q_proj", width)),
      k_proj(projection("k_proj", width)),
      v_proj(projection("v_proj", width)),
      out_proj(projection("out_proj", width, width)) {}

FastWeightsAttention::Steps AttentionFree::steps(const Tensor& x, PastSteps& past) const {
  const Tensor gate = sigmoid(q_proj(x));
  Tensor k = k_proj(x);
  // A masked key is never the largest: what was summed does not decay by it.
  if (past.real().defined()) k = where(unsqueeze(past.real(), -1), k, kNoneYet);
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
