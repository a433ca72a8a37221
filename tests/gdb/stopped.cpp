// Stops where gdb can look at shapes, arrays and tensors: of gdb_test.cpp.
#include "../../autograd/node.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/tensor.h"

extern "C" [[gnu::noinline]] void stop_here() { asm volatile(""); }

int main() {
  using namespace heed;
  const Shape shape{2, 3};
  const Tensor numbers = tensor({1, 2, 3, 4, 5, 6.5}, shape);
  const Array turned = numbers.array().transpose(0, 1);
  const Array many = Array::full({11}, 7, DType::i64);
  const Tensor leaf = tensor({0.25, -2}, {2}, DType::f64).set_requires_grad();
  const Tensor result = leaf + leaf;
  const Tensor flags = numbers > 4;
  const Tensor none;
  const Array nothing;
  const Array narrow = numbers.array().to(DType::bf16);
  stop_here();
  return static_cast<int>(shape.rank() + turned.rank() + narrow.rank() + many.rank() +
                          result.rank() + flags.rank() + none.defined() + nothing.defined());
}
