#include <cmath>

#include "../../../../autograd/ops/elementwise/glu.h"
#include "../../../../autograd/ops/elementwise/prelu.h"
#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

Row glu_row() {
  const auto form = [](const std::string& name, const Sizes& shape, Index axis, Index real) {
    return sample(
        name, {in(shape)}, [=](X x) { return glu(x[0], axis); },
        [=](B x) {
          Sizes half = shape;
          const Index size = half[static_cast<std::size_t>(real)] /= 2;
          return Block(half, [&](const Place& p) {
            const Place gate = replaced(p, real, p[static_cast<std::size_t>(real)] + size);
            return x[0](p) / (1 + std::exp(-x[0](gate)));
          });
        });
  };
  std::vector<BadCall> bad_calls = bad_operands("glu", [](const Tensor& x) { return glu(x, 0); });
  bad_calls.push_back(
      BAD(ShapeError, "glu: axis 1 must be even to be halved: x is f32[2, 3]", glu(of(2, 3))));
  bad_calls.push_back(BAD(ShapeError, "glu: axis 2 is out of range for rank 2", glu(of(2, 4), 2)));
  bad_calls.push_back(BAD(ShapeError, "glu: axis", glu(of())));
  return {"glu",
          {form("rows", {3, 4}, -1, 1), form("columns", {6, 5}, 0, 0), form("vector", {2}, 0, 0),
           form("middle axis", {2, 6, 3}, 1, 1), form("empty", {0, 4}, 1, 1)},
          bad_calls};
}

Row prelu_row() {
  const auto form = [](const std::string& name, const Sizes& shape, Index count) {
    return sample(
        name, {in(shape, Domain::nonzero), in({count})}, [](X x) { return prelu(x[0], x[1]); },
        [=](B x) {
          return Block(shape, [&](const Place& p) {
            const double slope = x[1](Place{count == 1 ? 0 : p[1]});
            return x[0](p) > 0 ? x[0](p) : slope * x[0](p);
          });
        });
  };
  return {"prelu",
          {form("one slope", {3, 5}, 1), form("channels", {3, 5}, 5),
           form("channels and places", {2, 3, 5}, 3), form("rank 0", {}, 1), form("vector", {7}, 1),
           form("empty", {0, 3}, 3)},
          {BAD(ShapeError, "prelu: weight must be [1] or [5], not f32[3], for x f32[3, 5]",
               prelu(of(3, 5), of(3))),
           BAD(ShapeError, "prelu: weight must be [1] or [1], not f32[], for x f32[3]",
               prelu(of(3), of())),
           BAD(DTypeError, "prelu: weight is f64[1] for x f32[3]", prelu(of(3), of<DType::f64>(1))),
           BAD(DTypeError, "prelu: takes f32 or f64, not i64", prelu(ids(1), of(1))),
           BAD(GradError, "prelu: x is undefined", prelu(Tensor(), of(1))),
           BAD(GradError, "prelu: weight is undefined", prelu(of(3), Tensor()))}};
}

}  // namespace

std::vector<Row> gate_rows() { return {glu_row(), prelu_row()}; }

}  // namespace heed::table
