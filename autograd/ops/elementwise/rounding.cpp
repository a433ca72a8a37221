#include "rounding.h"

#include "../../../core/kernels/elementwise/libm.h"
#include "../../check_defined.h"
#include "../../record.h"

namespace heed {
namespace {

Tensor whole(Op op, kernels::Libm kind, const Tensor& x) {
  check_defined(name(op), x, "x");
  if (x.dtype() == DType::i64) return x;
  return record(op, kernels::libm(kind, x.array()), {x},
                [](const Tensor& g) { return zeros(g.shape(), g.dtype()); });
}

}  // namespace

Tensor floor(const Tensor& x) { return whole(Op::floor, kernels::Libm::floor, x); }
Tensor ceil(const Tensor& x) { return whole(Op::ceil, kernels::Libm::ceil, x); }
Tensor round(const Tensor& x) { return whole(Op::round, kernels::Libm::round, x); }
Tensor trunc(const Tensor& x) { return whole(Op::trunc, kernels::Libm::trunc, x); }

}  // namespace heed
