// Products of matrices, and the losses.
#include "../core/error.h"
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

// Of rows of logits, one loss each.
void cross_entropy(const Step& step) {
  GraphWriter& to = step.to;
  if (step.real("label_smoothing") != 0) to.refuse("ONNX has no label smoothing");
  step.out(to.node("SoftmaxCrossEntropyLoss",
                   {step.in(0), step.operand("targets"), step.operand("weight")},
                   {attribute("ignore_index", std::int64_t{step.number("ignore_index")}),
                    attribute("reduction", std::string("none"))}));
}

}  // namespace

void add_products(Writers& to) {
  to["matmul"] = matmul;
  to["linear"] = linear;
  to["cross_entropy"] = cross_entropy;
}

}  // namespace heed::onnx
