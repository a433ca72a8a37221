#include "matmul.h"

#include "../../../core/kernels/gemm/matmul.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../reduce/reduce.h"
#include "../shape/shape.h"

namespace heed {
namespace {

// x [.., k] as one matrix [rows, k].
Tensor as_matrix(const Tensor& x) {
  const Index columns = x.size(-1);
  return reshape(x, Shape{x.shape().without(x.rank() - 1).numel(), columns});
}

}  // namespace

// ga = g b^T, gb = a^T g; the engine sums over batches that were broadcast.
Tensor matmul(const Tensor& a, const Tensor& b) {
  check_defined("matmul", a, "a", b, "b");
  if (a.rank() == 1 || b.rank() == 1) kernels::check_inner(a.array(), b.array());
  if (a.rank() == 1 && b.rank() >= 1) {
    const Tensor out = matmul(unsqueeze(a, 0), b.rank() == 1 ? unsqueeze(b, 1) : b);
    return b.rank() == 1 ? reshape(out, Shape{}) : squeeze(out, -2);
  }
  if (b.rank() == 1 && a.rank() > 1) return squeeze(matmul(a, unsqueeze(b, 1)), -1);
  return record(
      Op::matmul, kernels::matmul(a.array(), b.array()), {a, b},
      [b = Saved(b)](const Tensor& g) { return matmul(g, transpose(b(), -2, -1)); },
      [a = Saved(a), rank = b.rank()](const Tensor& g) {
        // Without a batch in b the sum over a's batch is one long product.
        if (rank == 2 && g.rank() > 2) return matmul(transpose(as_matrix(a()), 0, 1), as_matrix(g));
        return matmul(transpose(a(), -2, -1), g);
      });
}

// gx = g w, gw = g^T x, gb = the sum of g over all but the last axis
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  check_defined("linear", x, "x", weight, "weight");
  Array out = kernels::linear(x.array(), weight.array(), bias.defined() ? bias.array() : Array());
  // What the derivative will not need is not kept.
  const Saved kept_x = weight.requires_grad() ? Saved(x) : Saved();
  const Saved kept_weight = x.requires_grad() ? Saved(weight) : Saved();
  return record_shared(Op::linear, out, {x, weight, bias},
                       [kept_x, kept_weight](const Tensor& g, const std::array<bool, 3>& needs) {
                         std::array<Tensor, 3> grads;
                         if (needs[0]) grads[0] = matmul(g, kept_weight());
                         const Tensor rows = needs[1] || needs[2] ? as_matrix(g) : Tensor();
                         if (needs[1] && needs[2] && !recording()) {
                           Array sums;
                           const Array x_rows = as_matrix(kept_x()).array();
                           grads[1] = kernels::linear_weight_grad(rows.array(), x_rows, &sums);
                           grads[2] = sums;
                           return grads;
                         }
                         if (needs[1]) {
                           grads[1] = matmul(transpose(rows, 0, 1), as_matrix(kept_x()));
                         }
                         if (needs[2]) grads[2] = sum(rows, {0});
                         return grads;
                       });
}

}  // namespace heed
