#include "inverse.h"

#include "../../../core/kernels/gemm/lu.h"
#include "../../../core/precision.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"
#include "../shape/shape.h"
#include "matmul.h"

namespace heed {

// gx = -y^T g y^T
Tensor inverse(const Tensor& x) {
  check_defined("inverse", x, "x");
  const Array y = kernels::inverse(x.array());
  return record(Op::inverse, y, {x}, [y = SavedOutput(y)](const Tensor& g) {
    const PrecisionScope scope(Precision::f32);
    const Tensor turned = transpose(y(), -2, -1);
    return -matmul(matmul(turned, g), turned);
  });
}

// gx = g x^-T
Tensor logdet(const Tensor& x) {
  check_defined("logdet", x, "x");
  return record(Op::logdet, kernels::logdet(x.array()), {x}, [x = Saved(x)](const Tensor& g) {
    return unsqueeze(unsqueeze(g, -1), -1) * transpose(inverse(x()), -2, -1);
  });
}

}  // namespace heed
