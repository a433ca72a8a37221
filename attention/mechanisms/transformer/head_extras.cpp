#include "head_extras.h"

#include "../../../autograd/ops/attention/attention.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/pad.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"

namespace heed::attention {

Index HeadExtras::count() const {
  const Index slots = learned_.slot_keys.defined() ? learned_.slot_keys.size(0) : 0;
  return slots + (learned_.bias_k.defined() ? 1 : 0) + (zero_ ? 1 : 0);
}

// [1, heads, count, width]: slots [n, heads width], a bias of one row, zeros.
Tensor HeadExtras::rows(Index width, DType dtype, const Tensor& slots, const Tensor& bias) const {
  std::vector<Tensor> parts;
  for (const Tensor& each : {slots, bias}) {
    if (!each.defined()) continue;
    const Index n = each.numel() / (heads_ * width);
    parts.push_back(unsqueeze(transpose(reshape(each, Shape{n, heads_, width}), 0, 1), 0));
  }
  if (zero_) parts.push_back(zeros(Shape{1, heads_, 1, width}, dtype));
  return concat(parts, 2);
}

// What they are to the score, for each row of the memory. One by place prepares what belongs to the
// places: extra keys stand in none, and are to it what they are.
Tensor HeadExtras::keys(const Memory& memory) const {
  const Tensor raw = rows(width_, memory.keys().dtype(), learned_.slot_keys, learned_.bias_k);
  const Tensor own = memory.score().reach() < 0 ? memory.score().prepare(raw) : raw;
  return expand(own, Shape{memory.keys().size(0), heads_, own.size(2), own.size(3)});
}

Tensor HeadExtras::values(const Memory& memory) const {
  const Tensor& v = memory.values();
  const Tensor own = rows(v.size(3), v.dtype(), learned_.slot_values, learned_.bias_v);
  return expand(own, Shape{v.size(0), heads_, own.size(2), own.size(3)});
}

Memory HeadExtras::behind(const Memory& memory) const {
  return memory
      .with(concat({memory.keys(), keys(memory)}, 2), concat({memory.values(), values(memory)}, 2))
      .out_of_place();
}

Memory HeadExtras::alone(const Memory& memory) const {
  return memory.with(keys(memory), values(memory)).out_of_place();
}

Terms HeadExtras::alone(const Terms& given) const {
  Terms terms = given;
  if (const Normaliser* by = given.normaliser; by != nullptr && !by->is_softmax()) {
    if (!by->is_softmax_plus_one()) {
      throw ValueError("multi_head: a score map beside extra keys takes the weights of softmax");
    }
    terms.normaliser = nullptr;
  }
  terms.map = ScoreMap();
  terms.mask = Mask();
  terms.bias = terms.offset_bias = terms.sinks = Tensor();
  return terms;
}

Terms HeadExtras::widened(const Terms& given, const Memory& memory, const Shape& scores) const {
  Terms terms = given;
  const Index Q = scores[scores.rank() - 2], K = scores[scores.rank() - 1];
  const auto last_as = [](Shape shape, Index size) {
    shape[shape.rank() - 1] = size;
    return shape;
  };
  const auto of_keys = [&](const Tensor& x) {  // [.., K], where one may stand for all
    return expand(x, x.rank() == 0 ? Shape{K} : last_as(x.shape(), K));
  };
  // What places say of the sequence must not move with its length.
  Tensor allowed = (given.mask & memory.within_reach()).tensor(scores, "multi_head");
  if (allowed.defined()) {
    allowed = of_keys(allowed);
    const Tensor open = zeros(last_as(allowed.shape(), count())) == 0;
    terms.mask = Mask(concat({allowed, open}, -1));
  }
  Tensor bias = given.bias;
  if (given.offset_bias.defined()) {
    const Tensor block = offset_block(given.offset_bias, Q, K);
    bias = bias.defined() ? bias + block : block;
  }
  terms.offset_bias = Tensor();
  terms.bias = bias.defined() ? pad(of_keys(bias), {0, count()}) : bias;
  return terms;
}

}  // namespace heed::attention
