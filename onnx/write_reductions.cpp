// Sums, extremes and what else takes axes away.
#include "step.h"

namespace heed::onnx {
namespace {

// Axes are an input of ReduceSum and an attribute of its sisters.
std::string reduced(GraphWriter& to, const char* type, const std::string& x,
                    const std::vector<Index>& axes, Index keepdim) {
  const Attribute kept = attribute("keepdims", std::int64_t{keepdim});
  if (std::string(type) == "ReduceSum") return to.node(type, {x, to.whole(axes)}, {kept});
  return to.node(type, {x}, {attribute("axes", axes), kept});
}

void reduce(const Step& step, const char* type) {
  GraphWriter& to = step.to;
  const DType dtype = step.result().dtype();
  const std::string x = step.dtype() == dtype ? step.in(0) : to.cast(step.in(0), dtype);
  const std::vector<Index> axes = step.numbers("axes");
  step.out(axes.empty() ? to.node("Identity", {x})
                        : reduced(to, type, x, axes, step.number("keepdim")));
}
void sum(const Step& step) { reduce(step, "ReduceSum"); }
void mean(const Step& step) { reduce(step, "ReduceMean"); }
void prod(const Step& step) { reduce(step, "ReduceProd"); }
void amax(const Step& step) { reduce(step, "ReduceMax"); }
void amin(const Step& step) { reduce(step, "ReduceMin"); }
void logsumexp(const Step& step) { reduce(step, "ReduceLogSumExp"); }

// As i32 numbers, which ONNX has none of here: f32 holds 0 and 1 as well.
void of_truths(const Step& step, const char* type) {
  GraphWriter& to = step.to;
  std::string x = step.in(0);
  if (step.dtype() != DType::boolean) x = to.cast(x, DType::boolean);
  const std::vector<Index> axes = step.numbers("axes");
  if (axes.empty()) {
    step.out(to.node("Identity", {x}));
    return;
  }
  const std::string out = reduced(to, type, to.cast(x, DType::f32), axes, step.number("keepdim"));
  step.out(to.cast(out, DType::boolean));
}
void any(const Step& step) { of_truths(step, "ReduceMax"); }
void all(const Step& step) { of_truths(step, "ReduceMin"); }

void sum_to(const Step& step) {
  GraphWriter& to = step.to;
  std::vector<Index> gone, kept;
  const Index lead = step.rank() - step.result().rank();
  for (Index axis = 0; axis < step.rank(); ++axis) {
    if (axis < lead) {
      gone.push_back(axis);
    } else if (step.result().size(axis - lead) == 1 && step.array(0).size(axis) != 1) {
      kept.push_back(axis);
    }
  }
  std::string out = step.in(0);
  if (!kept.empty()) out = reduced(to, "ReduceSum", out, kept, 1);
  if (!gone.empty()) out = reduced(to, "ReduceSum", out, gone, 0);
  step.out(out == step.in(0) ? to.node("Identity", {out}) : out);
}

void place(const Step& step, const char* type) {
  step.out(step.to.node(type, {step.in(0)},
                        {attribute("axis", std::int64_t{step.axis("axis")}),
                         attribute("keepdims", std::int64_t{step.number("keepdim")})}));
}
void argmax(const Step& step) { place(step, "ArgMax"); }
void argmin(const Step& step) { place(step, "ArgMin"); }

void cumsum(const Step& step) {
  step.out(step.to.node(
      "CumSum",
      {step.in(0),
       step.to.constant(Array::full(Shape{}, static_cast<double>(step.axis("axis")), DType::i64))},
      {attribute("reverse", std::int64_t{step.number("reverse")})}));
}

}  // namespace

void add_reductions(Writers& to) {
  to["sum"] = sum;
  to["mean"] = mean;
  to["prod"] = prod;
  to["amax"] = amax;
  to["amin"] = amin;
  to["logsumexp"] = logsumexp;
  to["any"] = any;
  to["all"] = all;
  to["sum_to"] = sum_to;
  to["argmax"] = argmax;
  to["argmin"] = argmin;
  to["cumsum"] = cumsum;
}

}  // namespace heed::onnx
