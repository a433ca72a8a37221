#include "int8.h"

#include "../../../core/error.h"
#include "../../check_defined.h"
#include "../../record.h"

namespace heed {

Tensor linear_int8(const Tensor& x, const kernels::Int8Matrix& weight, const Tensor& bias) {
  check_defined("linear_int8", x, "x");
  const auto refuse = [](const Tensor&) -> Tensor {
    throw GradError(
        "linear_int8: a weight in 8 bits is for what has been trained: it has no derivative");
  };
  return record("linear_int8", weight.multiply(x.array(), bias.defined() ? bias.array() : Array()),
                {x, bias}, refuse, refuse);
}

Tensor embedding_int8(const kernels::Int8Matrix& weight, const Tensor& ids) {
  check_defined("embedding_int8", ids, "ids");
  return Tensor(weight.rows(ids.array()));
}

}  // namespace heed
