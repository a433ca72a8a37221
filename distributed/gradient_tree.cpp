#include "gradient_tree.h"

#include "../autograd/accumulate.h"
#include "../autograd/grad_mode.h"
#include "../core/kernels/elementwise/elementwise.h"

namespace heed::distributed {

void AddGradients::operator()(Tensor& left, Tensor&& right) const {
  const NoGrad scope;
  accumulate(left, std::move(right));
}

Array dense(const Tensor& gradient) {
  return gradient.is_sparse() ? gradient.sparse_rows().to_dense() : gradient.array().contiguous();
}

Tensor without_signed_zeros(Tensor sum) {
  if (sum.is_sparse()) {
    SparseRows rows = sum.sparse_rows();
    rows.values =
        kernels::binary(kernels::Binary::add, rows.values, Array::zeros({}, rows.dtype()));
    return Tensor(std::move(rows));
  }
  return Tensor(kernels::binary(kernels::Binary::add, sum.array(), Array::zeros({}, sum.dtype())));
}

}  // namespace heed::distributed
