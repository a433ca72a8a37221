// Products of matrices, and the losses.
#include "step.h"

namespace heed::onnx {
namespace {

void matmul(const Step& step) { step.out(step.to.node("MatMul", {step.in(0), step.in(1)})); }

// x w^T + b: a Gemm of matrices, else the weight turned once, whoever reads it.
void linear(const Step& step) {
  GraphWriter& to = step.to;
  if (step.rank() == 2) {
    step.out(to.node("Gemm", {step.in(0), step.in(1), step.in(2)},
                     {attribute("transB", std::int64_t{1})}));
    return;
  }
  const std::string out = to.node("MatMul", {step.in(0), to.transposed(step.in(1))});
  step.out(step.has(2) ? to.node("Add", {out, step.in(2)}) : out);
}

// Of rows of logits, one loss each: -(1 - s) w_t log p_t - s / C sum_c w_c log p_c, and 0 where the
// target is ignored.
void cross_entropy(const Step& step) {
  GraphWriter& to = step.to;
  const DType dtype = step.dtype();
  const std::string targets = step.operand("targets"), weight = step.operand("weight");
  const double smoothing = step.real("label_smoothing");
  const auto two = [&](const char* type, const std::string& a, const std::string& b) {
    return to.node(type, {a, b});
  };
  const std::string ignored = two(
      "Equal", targets,
      to.constant(Array::full({}, static_cast<double>(step.number("ignore_index")), DType::i64)));
  const std::string at = to.node("Where", {ignored, to.number(0, DType::i64), targets});
  const std::string logs =
      to.node("LogSoftmax", {step.in(0)}, {attribute("axis", std::int64_t{1})});
  const std::string places = to.node("Unsqueeze", {at, to.whole({1})});
  std::string own = to.node(
      "Squeeze", {to.node("GatherElements", {logs, places}, {attribute("axis", std::int64_t{1})}),
                  to.whole({1})});
  if (!weight.empty()) own = two("Mul", own, to.node("Gather", {weight, at}));
  if (smoothing != 0) {
    const auto classes = static_cast<double>(step.array(0).size(1));
    const std::string all = weight.empty() ? logs : two("Mul", logs, weight);
    const std::string sum =
        to.node("ReduceSum", {all, to.whole({1})}, {attribute("keepdims", std::int64_t{0})});
    own = two("Add", two("Mul", own, to.number(1 - smoothing, dtype)),
              two("Mul", sum, to.number(smoothing / classes, dtype)));
  }
  step.out(to.node("Where", {ignored, to.number(0, dtype), to.node("Neg", {own})}));
}

}  // namespace

void add_products(Writers& to) {
  to["matmul"] = matmul;
  to["linear"] = linear;
  to["cross_entropy"] = cross_entropy;
}

}  // namespace heed::onnx
