// Sums, products, powers; functions of one number; of several. What ONNX computes of integers, i64
// here, is truncated where it is divided.
#include <numeric>

#include "../../autograd/factories.h"
#include "../../autograd/ops/elementwise/clamp.h"
#include "../../autograd/ops/elementwise/compare.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/elementwise/power.h"
#include "../../autograd/ops/elementwise/remainder.h"
#include "../../autograd/ops/elementwise/rounding.h"
#include "../../autograd/ops/elementwise/trigonometry.h"
#include "../../autograd/ops/shape/shape.h"
#include "../integers.h"
#include "operators.h"

namespace heed::onnx {
namespace {

bool whole(const Tensor& x) { return x.dtype() == DType::i64; }

template <Tensor (*kFunction)(const Tensor&)>
Operation unary(NodeReader& node) {
  node.inputs(1, 1);
  return of_one(kFunction);
}
template <Tensor (*kFunction)(const Tensor&, const Tensor&)>
Operation binary(NodeReader& node) {
  node.inputs(2, 2);
  return one([](const std::vector<Tensor>& in, const Run&) { return kFunction(in[0], in[1]); });
}

Tensor quotient(const Tensor& x, const Tensor& y) {
  if (whole(x) && whole(y)) return divide(x.array(), y.array());
  return x / y;
}
// The exponent may be of another dtype.
Tensor raised(const Tensor& x, const Tensor& y) {
  if (whole(x) && whole(y)) return power(x.array(), y.array());
  if (whole(x)) return to(pow(to(x, DType::f64), to(y, DType::f64)), DType::i64);
  if (y.numel() == 1 && y.rank() <= x.rank() && !y.requires_grad()) return pow(x, y.item());
  return pow(x, to(y, x.dtype()));
}
Tensor added(const Tensor& x, const Tensor& y) { return x + y; }
Tensor multiplied(const Tensor& x, const Tensor& y) { return x * y; }
Tensor difference(const Tensor& x, const Tensor& y) { return x - y; }
Tensor reflected(const Tensor& x) { return -x; }

// With the sign of x, exactly: |x| by |y|, of which neither is below 0. A zero keeps its own.
Tensor rest_towards_zero(const Tensor& x, const Tensor& y) {
  const Tensor sign = where(x < 0, tensor(-1, x.dtype()), tensor(1, x.dtype()));
  return sign * remainder(sign * x, abs(y));
}

Operation modulo(NodeReader& node) {
  node.inputs(2, 2);
  const bool as_in_c = node.truth("fmod", false);
  return one([as_in_c](const std::vector<Tensor>& in, const Run&) {
    if (!as_in_c) return remainder(in[0], in[1]);
    if (whole(in[0])) return Tensor(c_remainder(in[0].array(), in[1].array()));
    return rest_towards_zero(in[0], in[1]);
  });
}

// Max, Min, Sum and Mean take any number of operands.
template <Tensor (*kFunction)(const Tensor&, const Tensor&), bool kMean = false>
Operation variadic(NodeReader& node) {
  node.inputs(1, static_cast<std::size_t>(-1));
  return one([](const std::vector<Tensor>& in, const Run&) {
    Tensor out = in[0];
    for (std::size_t i = 1; i < in.size(); ++i) out = kFunction(out, in[i]);
    return kMean ? out / static_cast<double>(in.size()) : out;
  });
}

Tensor within(const Tensor& x, const Tensor& least, const Tensor& most) {
  if (!least.defined() && !most.defined()) return x;
  if (!whole(x)) {
    // Bounds that are numbers get no gradient.
    const auto number = [](const Tensor& bound) {
      return bound.defined() ? std::optional<double>(bound.item()) : std::nullopt;
    };
    return clamp(x, number(least), number(most));
  }
  Tensor out = x;
  if (least.defined()) out = maximum(out, least);
  return most.defined() ? minimum(out, most) : out;
}
Operation clip(NodeReader& node) {
  if (node.opset() < 11) {
    node.inputs(1, 1);
    const bool has_min = node.has("min"), has_max = node.has("max");
    const double min = node.number("min", 0), max = node.number("max", 0);
    return of_one([=](const Tensor& x) {
      if (!has_min && !has_max) return x;
      return clamp(x, has_min ? std::optional(min) : std::nullopt,
                   has_max ? std::optional(max) : std::nullopt);
    });
  }
  node.inputs(1, 3);
  return one([](const std::vector<Tensor>& in, const Run&) {
    return within(in[0], input_or_none(in, 1), input_or_none(in, 2));
  });
}

}  // namespace

void add_arithmetic(Makers& to) {
  to["Add"] = binary<added>;
  to["Sub"] = binary<difference>;
  to["Mul"] = binary<multiplied>;
  to["Div"] = binary<quotient>;
  to["Pow"] = binary<raised>;
  to["Mod"] = modulo;
  to["Max"] = variadic<maximum>;
  to["Min"] = variadic<minimum>;
  to["Sum"] = variadic<added>;
  to["Mean"] = variadic<added, true>;
  to["Clip"] = clip;
  to["Neg"] = unary<reflected>;
  to["Abs"] = unary<abs>;
  to["Sign"] = unary<sign>;
  to["Exp"] = unary<exp>;
  to["Log"] = unary<log>;
  to["Sqrt"] = unary<sqrt>;
  to["Reciprocal"] = unary<reciprocal>;
  to["Floor"] = unary<floor>;
  to["Ceil"] = unary<ceil>;
  to["Round"] = unary<round>;
  to["Sin"] = unary<sin>;
  to["Cos"] = unary<cos>;
  to["Tan"] = unary<tan>;
  to["Asin"] = unary<asin>;
  to["Acos"] = unary<acos>;
  to["Atan"] = unary<atan>;
  to["Sinh"] = unary<sinh>;
  to["Cosh"] = unary<cosh>;
  to["Erf"] = unary<erf>;
}

}  // namespace heed::onnx
