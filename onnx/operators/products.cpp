#include <fmt/format.h>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/einsum.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../integers.h"
#include "operators.h"

namespace heed::onnx {
namespace {

// matmul() is for what floats.
bool of_integers(const Tensor& a, const Tensor& b) {
  return a.dtype() == DType::i64 && b.dtype() == DType::i64;
}
Tensor multiplied(const Tensor& a, const Tensor& b) {
  return of_integers(a, b) ? Tensor(product(a.array(), b.array())) : matmul(a, b);
}

Operation matmul_of(NodeReader& node) {
  node.inputs(2, 2);
  return one([](const std::vector<Tensor>& in, const Run&) { return multiplied(in[0], in[1]); });
}

// alpha A' B' + beta C, where ' may transpose
Operation gemm(NodeReader& node) {
  node.inputs(2, 3);
  const double alpha = node.number("alpha", 1), beta = node.number("beta", 1);
  const bool turn_a = node.truth("transA", false), turn_b = node.truth("transB", false);
  return one([=](const std::vector<Tensor>& in, const Run&) {
    const Tensor& c = input_or_none(in, 2);
    const Tensor a = turn_a ? transpose(in[0], 0, 1) : in[0];
    const bool whole = of_integers(a, in[1]);
    if (!whole && turn_b && alpha == 1 && beta == 1 && c.defined() && c.rank() == 1 &&
        in[1].rank() == 2 && c.size(0) == in[1].size(0))
      return linear(a, in[1], c);
    Tensor out = multiplied(a, turn_b ? transpose(in[1], 0, 1) : in[1]);
    if (whole && (alpha != 1 || (beta != 1 && beta != 0)))
      throw DTypeError(fmt::format("integers times alpha {} and beta {}", alpha, beta));
    if (alpha != 1) out = out * alpha;
    if (!c.defined() || beta == 0) return out;
    return out + (beta == 1 ? c : c * beta);
  });
}

Operation einsum_of(NodeReader& node) {
  node.inputs(1, static_cast<std::size_t>(-1));
  const std::string equation = node.text("equation", "");
  return one(
      [equation](const std::vector<Tensor>& in, const Run&) { return einsum(equation, in); });
}

}  // namespace

void add_products(Makers& to) {
  to["MatMul"] = matmul_of;
  to["Gemm"] = gemm;
  to["Einsum"] = einsum_of;
}

}  // namespace heed::onnx
