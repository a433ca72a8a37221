// Where the backward pass of tiled attention writes the gradients of queries, keys and values.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "../../side_by_side.h"
#include "../reduce/reduce.h"
#include "attention_plan.h"

namespace heed::kernels {

// Arrays of these shapes for gradients, in memory as the operands lie; for undefined ones none. Pieces
// of one projection, all of them or the last two, lie side by side, so that the projection's own
// gradient is there without being put together.
inline std::vector<Array> gradient_places(const std::vector<Array>& operands) {
  std::vector<Array> out(operands.size());
  const bool in_rows = std::all_of(operands.begin(), operands.end(), [](const Array& x) {
    return !x.defined() || x.strides()[x.rank() - 1] == 1;
  });
  for (std::ptrdiff_t first = 0; in_rows && first + 1 < std::ssize(operands); ++first) {
    const std::vector<Array> pieces =
        empty_side_by_side({operands.begin() + first, operands.end()});
    std::copy(pieces.begin(), pieces.end(), out.begin() + first);
    if (!pieces.empty()) break;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Array& x = operands[i];
    if (x.defined() && !out[i].defined()) out[i] = empty_in_order_of(x, x.size(-1));
  }
  return out;
}

// The gradient of keys or values: each task's block of its own, [parts, units, K, width]; or
// `place`, an array of the operand's shape, at once, if at_once().
class KeyGradients {
 public:
  // Where there is one part, and nothing was broadcast.
  static bool at_once(const Array& operand, const AttentionPlan& plan, Index parts) {
    return parts == 1 && operand.shape() == whole(operand, plan);
  }
  KeyGradients(const Array& operand, const AttentionPlan& plan, Index parts, Index units,
               const Array& place)
      : shape_(operand.shape()),
        whole_(whole(operand, plan)),
        direct_(at_once(operand, plan, parts)),
        blocks_(direct_ ? place
                        : Array::empty(Shape{parts, units, plan.K, operand.size(-1)},
                                       operand.dtype())) {
    if (direct_) lead_ = blocks_.expand(plan.with_lead({plan.K, operand.size(-1)})).strides();
  }
  Index step() const { return blocks_.strides()[blocks_.rank() - 2]; }
  template <class T>
  T* block(const LeadingAxes& axes, Index part, Index unit) {
    T* const data = blocks_.mutable_data<T>();
    if (direct_) return data + axes.offset(lead_, unit, 0);
    return data + part * blocks_.strides()[0] + unit * blocks_.strides()[1];
  }
  Array sum() const {
    if (direct_) return blocks_;
    return sum_to(reduce(Reduce::sum, blocks_, {0}, false).reshape(whole_), shape_);
  }

 private:
  static Shape whole(const Array& operand, const AttentionPlan& plan) {
    Shape shape = plan.shared;
    shape.push_back(plan.K);
    shape.push_back(operand.size(-1));
    return shape;
  }
  Shape shape_, whole_;
  bool direct_;
  Array blocks_;
  Strides lead_;  // of direct blocks, spread over the leading axes
};

}  // namespace heed::kernels
