// Where the backward pass of tiled attention writes the gradients of queries, keys and values.
#pragma once

#include <vector>

#include "../../side_by_side.h"
#include "../reduce/reduce.h"
#include "attention_plan.h"

namespace heed::kernels {

// The gradient of keys or values: each task's block of its own, [parts, units, K, width]; or the
// operand's own places at once where there is one part, and nothing was broadcast.
class KeyGradients {
 public:
  KeyGradients(const Array& operand, const AttentionPlan& plan, Index parts, Index units)
      : shape_(operand.shape()), whole_(plan.shared) {
    const Index width = operand.size(-1);
    whole_.push_back(plan.K);
    whole_.push_back(width);
    direct_ = parts == 1 && shape_ == whole_;
    if (!direct_) blocks_ = Array::empty(Shape{parts, units, plan.K, width}, operand.dtype());
  }
  bool direct() const { return direct_; }
  /// Direct blocks want an array of the operand's shape.
  void put_into(const Array& place, const AttentionPlan& plan) {
    blocks_ = place;
    lead_ = blocks_.expand(plan.with_lead({plan.K, shape_.at(-1)})).strides();
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
  Shape shape_, whole_;
  bool direct_;
  Array blocks_;
  Strides lead_;  // of direct blocks, spread over the leading axes
};

// For queries, keys and values, or the last two, that are pieces of one projection: places for their
// gradients as they lie in it themselves, so that the projection's own is there without being put
// together. Else none.
inline std::vector<Array> own_places(const std::vector<Array>& operands, bool whole_queries) {
  for (const Array& x : operands) {
    if (x.strides()[x.rank() - 1] != 1) return {};
  }
  std::vector<Array> places;
  if (whole_queries) places = empty_side_by_side(operands);
  if (places.empty()) places = empty_side_by_side({operands[1], operands[2]});
  return places;
}

}  // namespace heed::kernels
