#include "real_tokens.h"

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"

namespace heed::attention {

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

}  // namespace heed::attention
