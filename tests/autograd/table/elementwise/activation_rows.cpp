#include "../../../../autograd/ops/elementwise/activation.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "../../../../autograd/ops/elementwise/clamp.h"
#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using T = const Tensor&;
using X = const Tensors&;
using B = const Blocks&;

// The same operator with other numbers beside it.
Sample variant(const std::string& name, Tensor (*call)(T), double (*reference)(double)) {
  return sample(
      name, {in({3, 5}, Domain::nonzero)}, [call](X x) { return call(x[0]); },
      [reference](B x) { return map(x[0], reference); });
}

double gelu_by_erf(double x) { return x / 2 * (1 + std::erf(x / std::numbers::sqrt2)); }
double gelu_by_tanh(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

Sample clamped(const std::string& name, const std::vector<Index>& shape, std::optional<double> min,
               std::optional<double> max) {
  return sample(
      name, {in(shape, Domain::distinct)}, [=](X x) { return clamp(x[0], min, max); },
      [=](B x) {
        return map(x[0], [=](double value) {
          return std::min(std::max(value, min.value_or(-1e9)), max.value_or(1e9));
        });
      });
}

double larger(double x, double y) { return std::max(x, y); }
double smaller(double x, double y) { return std::min(x, y); }

Sample between(const std::string& name, const std::vector<Index>& x, const std::vector<Index>& min,
               const std::vector<Index>& max) {
  return sample(
      name, {in(x, Domain::distinct), in(min, Domain::distinct), in(max, Domain::distinct)},
      [](X t) { return clamp(t[0], t[1], t[2]); },
      [](B b) { return map(map(b[0], b[1], larger), b[2], smaller); });
}

Row clamp_row() {
  std::vector<BadCall> bad_calls =
      bad_operands("clamp", [](T x) { return clamp(x, -1.0, std::nullopt); });
  const auto more = {
      BAD(ValueError, "clamp: it takes min, max or both; both are left out",
          clamp(of(3), std::nullopt, std::nullopt)),
      BAD(ValueError, "both are left out", clamp(of(3), Tensor(), Tensor())),
      BAD(DTypeError, "clamp: dtypes differ: x is f32[3], max is f64[3]",
          clamp(of(3), of(3), of<DType::f64>(3))),
      BAD(DTypeError, "clamp: takes f32 or f64, not bool",
          clamp(of<DType::boolean>(3), of<DType::boolean>(3), Tensor())),
      BAD(DTypeError, "clamp: dtypes differ: x is i64[3], min is f32[3]",
          clamp(of<DType::i64>(3), of(3), Tensor())),
      BAD(ShapeError, "clamp: shapes [3] and [5] do not broadcast", clamp(of(3), of(5), Tensor())),
      BAD(ShapeError, "clamp: shapes [2, 3] and [5] do not broadcast",
          clamp(of(3), of(2, 1), of(5))),
      BAD(GradError, "clamp: x is undefined", clamp(Tensor(), of(5), Tensor()))};
  bad_calls.insert(bad_calls.end(), more);
  return integers_too(
      {Op::clamp,
       {clamped("two numbers", {3, 5}, -0.8, 0.9), clamped("min", {7}, 0.1, {}),
        clamped("max", {2, 1, 3}, {}, 0.1), clamped("rank 0", {}, -1.5, 1.5),
        clamped("empty", {0, 3}, -1, 1), between("tensors", {3, 5}, {3, 5}, {3, 5}),
        between("tensors that broadcast", {3, 5}, {5}, {3, 1}),
        between("tensors that widen", {5}, {3, 1}, {2, 1, 1}),
        sample(
            "min alone, a tensor", {in({3, 2}, Domain::distinct), in({2}, Domain::distinct)},
            [](X t) { return clamp(t[0], t[1], Tensor()); },
            [](B b) { return map(b[0], b[1], larger); }),
        sample(
            "max alone, a tensor", {in({3, 2}, Domain::distinct), in({}, Domain::distinct)},
            [](X t) { return clamp(t[0], Tensor(), t[1]); },
            [](B b) { return map(b[0], b[1], smaller); })},
       std::move(bad_calls)});
}

}  // namespace

std::vector<Row> activation_rows() {
  return {
      unary(Op::log_sigmoid, log_sigmoid, [](double x) { return -std::log1p(std::exp(-x)); }),
      with(unary(
               Op::leaky_relu, [](T x) { return leaky_relu(x); },
               [](double x) { return x > 0 ? x : 0.01 * x; }, Domain::nonzero),
           {variant(
               "slope", [](T x) { return leaky_relu(x, 0.3); },
               [](double x) { return x > 0 ? x : 0.3 * x; })}),
      with(unary(
               Op::elu, [](T x) { return elu(x); },
               [](double x) { return x > 0 ? x : std::expm1(x); }, Domain::nonzero),
           {variant(
               "alpha", [](T x) { return elu(x, 1.7); },
               [](double x) { return x > 0 ? x : 1.7 * std::expm1(x); })}),
      with(unary(
               Op::gelu, [](T x) { return gelu(x); }, gelu_by_erf),
           {variant(
               "by tanh", [](T x) { return gelu(x, Gelu::tanh); }, gelu_by_tanh)}),
      unary(Op::silu, silu, [](double x) { return x / (1 + std::exp(-x)); }),
      with(unary(
               Op::softplus, [](T x) { return softplus(x); },
               [](double x) { return std::log1p(std::exp(x)); }),
           {variant(
                "beta", [](T x) { return softplus(x, 2.5); },
                [](double x) { return std::log1p(std::exp(2.5 * x)) / 2.5; }),
            variant(
                "negative beta", [](T x) { return softplus(x, -0.7); },
                [](double x) { return std::log1p(std::exp(-0.7 * x)) / -0.7; }),
            variant(
                "threshold", [](T x) { return softplus(x, 2, 0.1); },
                [](double x) { return 2 * x > 0.1 ? x : std::log1p(std::exp(2 * x)) / 2; })},
           {BAD(ValueError, "softplus: beta must be finite and not 0: it is 0", softplus(of(3), 0)),
            BAD(ValueError, "softplus: beta must be finite and not 0: it is nan",
                softplus(of(3), NAN))}),
      clamp_row(),
  };
}

}  // namespace heed::table
