#include "linalg.h"

#include <fmt/format.h>

#include "../../../core/error.h"
#include "../../check_defined.h"
#include "../elementwise/elementwise.h"
#include "../reduce/reduce.h"
#include "../shape/shape.h"
#include "matmul.h"

namespace heed {
namespace {

// a b where both have the ranks that the name promises.
Tensor product(const char* op, const Tensor& a, Index rank_a, const Tensor& b, Index rank_b) {
  if (a.rank() != rank_a || b.rank() != rank_b) {
    throw ShapeError(fmt::format("{}: takes ranks {} and {}, not {} and {}", op, rank_a, rank_b,
                                 describe(a), describe(b)));
  }
  return matmul(a, b);
}

void check_bilinear(const Tensor& x1, const Tensor& x2, const Tensor& weight, const Tensor& bias) {
  check_defined("bilinear", x1, "x1", x2, "x2", weight, "weight");
  const auto fail = [&](const char* rule) {
    throw ShapeError(fmt::format("bilinear: {}: x1 is {}, x2 is {}, weight is {}, bias is {}", rule,
                                 describe(x1), describe(x2), describe(weight), describe(bias)));
  };
  check_floating("bilinear", x1.dtype());
  if (x2.dtype() != x1.dtype() || weight.dtype() != x1.dtype() ||
      (bias.defined() && bias.dtype() != x1.dtype())) {
    throw DTypeError(fmt::format("bilinear: dtypes differ: x1 is {}, x2 is {}, weight is {}",
                                 describe(x1), describe(x2), describe(weight)));
  }
  if (weight.rank() != 3) fail("weight must have rank 3");
  if (x1.rank() == 0 || x1.rank() != x2.rank()) fail("x1 and x2 must have one rank, 1 or more");
  const Index last = x1.rank() - 1;
  if (!(x1.shape().without(last) == x2.shape().without(last))) fail("leading axes differ");
  if (x1.size(-1) != weight.size(1) || x2.size(-1) != weight.size(2)) {
    fail("last sizes must equal weight's last two");
  }
  if (bias.defined() && !(bias.shape() == Shape{weight.size(0)})) fail("bias must be [out]");
}

}  // namespace

Tensor dot(const Tensor& x, const Tensor& y) {
  check_defined("dot", x, "x", y, "y");
  return product("dot", x, 1, y, 1);
}

// A product of all rows of x with all of y.
Tensor inner(const Tensor& x, const Tensor& y) {
  check_defined("inner", x, "x", y, "y");
  if (x.rank() == 0 || y.rank() == 0) return x * y;
  const Index k = x.size(-1);
  if (y.size(-1) != k) {
    throw ShapeError(fmt::format("inner: last sizes differ: {} and {}", describe(x), describe(y)));
  }
  Shape shape = x.shape().without(x.rank() - 1);
  const Shape others = y.shape().without(y.rank() - 1);
  const Tensor rows = reshape(x, {shape.numel(), k}), columns = reshape(y, {others.numel(), k});
  for (const Index size : others) shape.push_back(size);
  if (!is_floating(x.dtype())) return reshape(sum(unsqueeze(rows, 1) * columns, {2}), shape);
  return reshape(matmul(rows, transpose(columns, 0, 1)), shape);
}

Tensor outer(const Tensor& x, const Tensor& y) {
  check_defined("outer", x, "x", y, "y");
  if (x.rank() != 1 || y.rank() != 1) {
    throw ShapeError(
        fmt::format("outer: takes ranks 1 and 1, not {} and {}", describe(x), describe(y)));
  }
  return unsqueeze(x, 1) * y;
}

Tensor mm(const Tensor& a, const Tensor& b) {
  check_defined("mm", a, "a", b, "b");
  return product("mm", a, 2, b, 2);
}

Tensor mv(const Tensor& a, const Tensor& x) {
  check_defined("mv", a, "a", x, "x");
  return product("mv", a, 2, x, 1);
}

Tensor bmm(const Tensor& a, const Tensor& b) {
  check_defined("bmm", a, "a", b, "b");
  if (a.rank() == 3 && b.rank() == 3 && a.size(0) != b.size(0)) {
    throw ShapeError(fmt::format("bmm: batches differ: {} and {}", describe(a), describe(b)));
  }
  return product("bmm", a, 3, b, 3);
}

// One product of all rows of x1 with all of the weight, then one of each row with its x2.
Tensor bilinear(const Tensor& x1, const Tensor& x2, const Tensor& weight, const Tensor& bias) {
  check_bilinear(x1, x2, weight, bias);
  const Index rows = x1.shape().without(x1.rank() - 1).numel();
  const Index out = weight.size(0);
  const Index in1 = weight.size(1);
  const Index in2 = weight.size(2);
  const Tensor turned = reshape(transpose(weight, 0, 1), {in1, checked_mul("bilinear", out, in2)});
  const Tensor half = reshape(matmul(reshape(x1, {rows, in1}), turned), {rows, out, in2});
  Shape shape = x1.shape();
  shape[x1.rank() - 1] = out;
  const Tensor y = reshape(matmul(half, reshape(x2, {rows, in2, 1})), shape);
  return bias.defined() ? y + bias : y;
}

}  // namespace heed
