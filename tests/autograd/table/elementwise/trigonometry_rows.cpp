#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/elementwise/remainder.h"
#include "../../../../autograd/ops/elementwise/rounding.h"
#include "../../../../autograd/ops/elementwise/trigonometry.h"
#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using T = const Tensor&;

// Of numbers in [-0.8, 0.8].
Row narrow(Op op, Tensor (*call)(const Tensor&), double (*reference)(double)) {
  Row row{op, {}, bad_operands(name(op), call)};
  for (const std::vector<Index>& shape :
       {std::vector<Index>{}, {7}, {3, 5}, {1, 3, 1}, {2, 1, 3, 2}, {0, 3}}) {
    row.samples.push_back(sample(
        "rank " + std::to_string(shape.size()) +
            (shape.size() == 2 && shape[0] == 0 ? ", empty" : ""),
        {in(shape)}, [call](X x) { return call(0.4 * x[0]); },
        [reference](B x) {
          return map(x[0], [reference](double value) { return reference(0.4 * value); });
        }));
  }
  return row;
}

// x times it: by itself it has no gradient to check. Away from where it jumps.
Row rounding(Op op, Tensor (*call)(const Tensor&), double (*reference)(double)) {
  Row row = integers_too(unary(op, call, reference));
  row.bad_calls.push_back(row.bad_calls.back());
  row.samples.clear();
  for (const std::vector<Index>& shape :
       {std::vector<Index>{}, {7}, {3, 5}, {1, 3, 1}, {2, 1, 3, 2}, {0, 3}}) {
    row.samples.push_back(sample(
        "rank " + std::to_string(shape.size()) +
            (shape.size() == 2 && shape[0] == 0 ? ", empty" : ""),
        {in(shape)}, [call](X x) { return (call(0.1 * x[0] + 3.25) + 1.5) * x[0]; },
        [reference](B x) {
          return map(x[0], [reference](double value) {
            return (reference(0.1 * value + 3.25) + 1.5) * value;
          });
        }));
  }
  return row;
}

double floored(double x, double y) { return x - y * std::floor(x / y); }

// Away from where it jumps: x / y lies between 2 and 3.
Row remainder_row() {
  Row row = integers_too(binary(
      Op::remainder, [](T x, T y) { return remainder(x, y); }, floored));
  row.samples = binary(
                    Op::remainder, [](T x, T y) { return remainder(2.5 + 0.1 * x, 1 + 0.04 * y); },
                    [](double x, double y) { return floored(2.5 + 0.1 * x, 1 + 0.04 * y); })
                    .samples;
  return with(std::move(row),
              {sample(
                  "number", {in({3, 5})}, [](X x) { return (0.1 * x[0] - 2.55) % 0.7; },
                  [](B x) {
                    return map(x[0], [](double value) { return floored(0.1 * value - 2.55, 0.7); });
                  })});
}

Row atan2_row() {
  Row row = binary(
      Op::atan2, [](T y, T x) { return atan2(y, x); }, std::atan2, Domain::nonzero,
      Domain::nonzero);
  row.bad_calls.pop_back();  // its operands are y and x
  row.bad_calls.pop_back();
  return with(std::move(row), {},
              {BAD(GradError, "atan2: y is undefined", atan2(Tensor(), of(3))),
               BAD(GradError, "atan2: x is undefined", atan2(of(3), Tensor()))});
}

}  // namespace

std::vector<Row> trigonometry_rows() {
  return {
      narrow(Op::tan, tan, std::tan),
      narrow(Op::asin, asin, std::asin),
      narrow(Op::acos, acos, std::acos),
      unary(Op::atan, atan, std::atan),
      unary(Op::sinh, sinh, std::sinh),
      unary(Op::cosh, cosh, std::cosh),
      atan2_row(),
      rounding(Op::floor, floor, std::floor),
      rounding(Op::ceil, ceil, std::ceil),
      rounding(Op::round, round, std::nearbyint),
      rounding(Op::trunc, trunc, std::trunc),
      remainder_row(),
  };
}

}  // namespace heed::table
