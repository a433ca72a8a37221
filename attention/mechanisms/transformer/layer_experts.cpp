#include "layer_experts.h"

#include <algorithm>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"

namespace heed::attention {
namespace {

// bool [B, T] of the last T of K keys, by scores [B, H, T, K]; undefined: all count.
Tensor real_tokens(const Mask& mask, const Shape& scores) {
  const Index B = scores[0], T = scores[2], K = scores[3];
  Tensor real;
  if (mask.has_lengths()) real = Mask::lengths(mask.key_lengths(), K).tensor(Shape{B, K});
  Tensor rest = mask.rest(scores);
  if (rest.defined()) {
    while (rest.rank() < 4) rest = unsqueeze(rest, 0);
    rest = any(rest, {1, 2});  // [B or 1, K or 1]
    real = real.defined() ? logical_and(real, rest) : rest;
  }
  return real.defined() ? narrow(expand(real, Shape{B, K}), 1, K - T, T) : real;
}

}  // namespace

Tensor by_experts(const MixtureOfExperts& mixture, const Tensor& x, const Mask& mask, Index heads,
                  const KeyValueCache* cache, Routed& routed) {
  const Index B = x.size(0), T = x.size(1);
  const Index K = cache == nullptr ? T : std::max(cache->length(), T);
  const MixtureOutput out = mixture(x, real_tokens(mask, Shape{B, heads, T, K}));
  routed = out;
  return out.output;
}

}  // namespace heed::attention
