#include "head_extras.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/ops/attention.h"
#include "../../../autograd/ops/elementwise.h"
#include "../../../autograd/ops/join.h"
#include "../../../autograd/ops/pad.h"
#include "../../../autograd/ops/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../biases/offset_bias.h"

namespace heed::attention {
namespace {

Tensor table(Index rows, Index width, DType dtype) {
  return rows > 0 ? zeros(Shape{rows, width}, dtype) : Tensor();
}

HeadExtrasOptions checked(const HeadExtrasOptions& options) {
  if (options.slots >= 0) return options;
  throw ValueError(fmt::format("head_extras: slots {} must not be negative", options.slots));
}

}  // namespace

HeadExtras::HeadExtras(const HeadExtrasOptions& options, Index heads, Index key_width,
                       Index value_width, DType dtype)
    : options_(checked(options)),
      heads_(heads),
      D_(key_width),
      Dv_(value_width),
      slot_keys(parameter("slot_keys", table(options.slots, heads * D_, dtype))),
      slot_values(parameter("slot_values", table(options.slots, heads * Dv_, dtype))),
      bias_k(parameter("bias_k",
                       options.bias_kv ? zeros(Shape{1, 1, heads * D_}, dtype) : Tensor())),
      bias_v(parameter("bias_v",
                       options.bias_kv ? zeros(Shape{1, 1, heads * Dv_}, dtype) : Tensor())) {
  if (options.slots > 0) {
    nn::normal_(slot_keys, 0, 1 / std::sqrt(static_cast<double>(D_)));
    nn::normal_(slot_values, 0, 1 / std::sqrt(static_cast<double>(options.slots)));
  }
  if (options.bias_kv) {
    nn::xavier_normal_(bias_k);
    nn::xavier_normal_(bias_v);
  }
}

Index HeadExtras::count() const {
  return options_.slots + (options_.bias_kv ? 1 : 0) + (options_.zero ? 1 : 0);
}

Memory HeadExtras::behind(const Memory& memory) const {
  const Index B = memory.keys().size(0);
  // [n, heads width] -> [B, heads, n, width]
  const auto rows = [&](const Tensor& x, Index width) {
    const Index n = x.numel() / (heads_ * width);
    const Tensor split = transpose(reshape(x, Shape{n, heads_, width}), 0, 1);
    return expand(unsqueeze(split, 0), Shape{B, heads_, n, width});
  };
  const auto joined = [&](const Tensor& x, const Tensor& slots, const Tensor& bias, Index width) {
    std::vector<Tensor> parts = {x};
    if (slots.defined()) parts.push_back(rows(slots, width));
    if (bias.defined()) parts.push_back(rows(bias, width));
    if (options_.zero) parts.push_back(zeros(Shape{B, heads_, 1, width}, x.dtype()));
    return concat(parts, 2);
  };
  return Memory(memory.score(), joined(memory.keys(), slot_keys, bias_k, D_),
                joined(memory.values(), slot_values, bias_v, Dv_), memory.mask());
}

Terms HeadExtras::widened(const Terms& given, const Shape& scores) const {
  Terms terms = given;
  const Index Q = scores[scores.rank() - 2], K = scores[scores.rank() - 1];
  // What places say of the sequence must not move with its length.
  Tensor allowed = given.mask.tensor(scores, "multi_head");
  if (allowed.defined()) {
    Shape open = allowed.shape();
    if (open[open.rank() - 1] != K) allowed = expand(allowed, open.with(open.rank() - 1, K));
    open[open.rank() - 1] = count();
    terms.mask = Mask(concat({allowed, zeros(open) == 0}, -1));
  }
  Tensor bias = given.bias;
  if (given.offset_bias.defined()) {
    const Tensor block = offset_block(given.offset_bias, Q, K);
    bias = bias.defined() ? bias + block : block;
  }
  terms.offset_bias = Tensor();
  if (bias.defined() && bias.rank() > 0 && bias.size(-1) == K) bias = pad(bias, {0, count()});
  terms.bias = bias;
  return terms;
}

}  // namespace heed::attention
