#include "../autograd/ops/elementwise/activation.h"
#include "../autograd/ops/elementwise/dropout.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/elementwise/power.h"
#include "operators.h"

namespace bench::operators {

std::vector<Operator> elementwise() {
  const Inputs with_row = [](Index n) {
    const std::vector<Index> shape = matrix(n);
    return std::vector<Input>{{.shape = shape}, {.shape = {shape[1]}}};
  };
  const Inputs with_flags = [](Index n) {
    return std::vector<Input>{
        {.shape = matrix(n)}, {.shape = matrix(n)}, {.shape = matrix(n), .kind = Kind::flags}};
  };
  return {
      same("add", matrices(2), [](auto& x) { return x[0] + x[1]; }),
      same("mul", matrices(2), [](auto& x) { return x[0] * x[1]; }),
      same("add a row", with_row, [](auto& x) { return x[0] + x[1]; }),
      same("exp", matrices(1), [](auto& x) { return exp(x[0]); }),
      same("tanh", matrices(1), [](auto& x) { return tanh(x[0]); }),
      same("sigmoid", matrices(1), [](auto& x) { return sigmoid(x[0]); }),
      same("relu", matrices(1), [](auto& x) { return relu(x[0]); }),
      same("erf", matrices(1), [](auto& x) { return erf(x[0]); }),
      both(
          "gelu", matrices(1), [](H x) { return gelu(x[0]); },
          [](T x) { return torch::gelu(x[0]); }),
      same("pow 1.7", matrices(1, 2), [](auto& x) { return pow(x[0], 1.7); }),
      same("pow", matrices(2, 2), [](auto& x) { return pow(x[0], x[1]); }),
      same("where", with_flags, [](auto& x) { return where(x[2], x[0], x[1]); }),
      both(
          "dropout", matrices(1), [](H x) { return dropout(x[0], 0.5); },
          [](T x) { return torch::dropout(x[0], 0.5, /*train=*/true); }),
  };
}

}  // namespace bench::operators
