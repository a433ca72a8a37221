#include <cmath>

#include "../../../../autograd/ops/elementwise/dropout.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/elementwise/power.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;

// A number beside a tensor.
Sample number(const std::string& name, Call call, double (*reference)(double)) {
  return sample(name, {in({3, 2}, Domain::nonzero)}, std::move(call),
                [reference](B x) { return map(x[0], reference); });
}

// i64 is well, bool is not, of any rank.
Row of_integers(Row row) {
  const BadCall once = row.bad_calls.back();
  return with(integers_too(std::move(row)), {}, {once});
}

Block choose(const Block& condition, const Block& x, const Block& y,
             const std::vector<Index>& shape) {
  return Block(shape, [&](const Place& p) { return condition(p) != 0 ? x(p) : y(p); });
}

Sample chosen(const std::string& name, const Block& condition, const std::vector<Index>& x,
              const std::vector<Index>& y, const std::vector<Index>& out) {
  return sample(
      name, {in(x), in(y)},
      [condition](X t) { return where(to_tensor(condition, DType::boolean), t[0], t[1]); },
      [condition, out](B b) { return choose(condition, b[0], b[1], out); });
}

Row where_row() {
  const Block rows({3, 1}, std::vector<double>{1, 0, 1});
  const Block single({}, std::vector<double>{1});
  const Block full({2, 3}, std::vector<double>{1, 0, 0, 1, 1, 0});
  return {Op::where,
          {chosen("condition broadcast", rows, {3, 5}, {3, 5}, {3, 5}),
           chosen("condition of rank 0", single, {2, 3}, {3}, {2, 3}),
           chosen("x and y broadcast", full, {3}, {2, 1}, {2, 3}),
           chosen("x of rank 0", full, {}, {2, 3}, {2, 3}),
           chosen("condition widens all", full, {}, {1, 1}, {2, 3}),
           chosen("empty", single, {0, 3}, {3}, {0, 3}),
           sample(
               "number for y", {in({2, 3})},
               [full](X x) { return where(to_tensor(full, DType::boolean), x[0], 2.5); },
               [full](B b) {
                 return choose(full, b[0], Block({}, std::vector<double>{2.5}), {2, 3});
               }),
           sample(
               "masked_fill", {in({2, 3})},
               [full](X x) { return masked_fill(x[0], to_tensor(full, DType::boolean), 2.5); },
               [full](B b) {
                 return choose(full, Block({}, std::vector<double>{2.5}), b[0], {2, 3});
               })},
          {BAD(DTypeError, "where: takes bool, not f32[3]", where(of(3), of(3), of(3))),
           BAD(DTypeError, "where: dtypes differ", where(flags({1}, {}), of(3), of<DType::f64>(3))),
           BAD(ShapeError, "where: shapes [3] and [5] do not broadcast",
               where(flags({1}, {}), of(3), of(5))),
           BAD(ShapeError, "where: shapes", where(flags({1, 0}, {2}), of(3), of(3))),
           BAD(GradError, "where: condition is undefined", where(Tensor(), of(3), of(3)))}};
}

// The mask comes from the generator alone, so a second one draws the same.
Sample dropped(const std::string& name, const std::vector<Index>& shape, double p) {
  return sample(
      name, {in(shape)},
      [p](X x) {
        Generator generator(29);
        return dropout(x[0], p, generator);
      },
      [p, shape](B b) {
        if (p == 0) return b[0];
        const auto kept = Generator(29).bernoulli(Shape(shape), 1 - p).to_vector<bool>();
        std::vector<double> values = b[0].values();
        for (std::size_t i = 0; i < values.size(); ++i) {
          values[i] = kept[i] ? values[i] / (1 - p) : 0;
        }
        return Block(shape, values);
      });
}

Row dropout_row() {
  std::vector<BadCall> bad_calls =
      bad_operands("dropout", [](const Tensor& x) { return dropout(x, 0.5); });
  bad_calls.push_back(BAD(ValueError, "dropout: p 1.5 is not in [0, 1]", dropout(of(3), 1.5)));
  bad_calls.push_back(BAD(ValueError, "dropout: p nan is not in [0, 1]", dropout(of(3), NAN)));
  return {Op::dropout,
          {dropped("half", {3, 5}, 0.5), dropped("a third", {2, 3, 2}, 0.3),
           dropped("none", {3, 2}, 0), dropped("rank 0", {}, 0.2), dropped("empty", {0, 3}, 0.5),
           dropped("sizes of 1", {1, 7, 1}, 0.4)},
          std::move(bad_calls)};
}

Row pow_row() {
  const auto power = [](const std::string& name, Domain domain, double exponent) {
    return sample(
        name, {in({3, 2}, domain)}, [exponent](X x) { return pow(x[0], exponent); },
        [exponent](B x) {
          return map(x[0], [exponent](double value) { return std::pow(value, exponent); });
        });
  };
  return with(binary(
                  Op::pow, [](const Tensor& x, const Tensor& y) { return pow(x, y); }, std::pow,
                  Domain::positive, Domain::any),
              {power("square", Domain::nonzero, 2), power("cube", Domain::nonzero, 3),
               power("inverse", Domain::nonzero, -1), power("root", Domain::positive, 0.5),
               power("1", Domain::nonzero, 1), power("0", Domain::nonzero, 0),
               power("4.5", Domain::positive, 4.5),
               sample(
                   "number left", {in({3, 2})}, [](X x) { return pow(2.5, x[0]); },
                   [](B x) { return map(x[0], [](double y) { return std::pow(2.5, y); }); })},
              {BAD(DTypeError, "pow: takes f32 or f64, not i64", pow(of<DType::i64>(3), 0.5)),
               BAD(DTypeError, "pow: takes f32 or f64, not i64", pow(of<DType::i64>(3), -1)),
               BAD(GradError, "pow: y is undefined", pow(2, Tensor()))});
}

Row lerp_row() {
  const auto line = [](double x, double y, double w) { return x + w * (y - x); };
  const auto weighed = [line](const std::string& name, const std::vector<Index>& x,
                              const std::vector<Index>& y, const std::vector<Index>& weight,
                              const std::vector<Index>& out) {
    return sample(
        name, {in(x), in(y), in(weight)}, [](X t) { return lerp(t[0], t[1], t[2]); },
        [line, out](B b) {
          return Block(out, [&](const Place& p) { return line(b[0](p), b[1](p), b[2](p)); });
        });
  };
  return with(
      binary(
          "lerp", [](const Tensor& x, const Tensor& y) { return lerp(x, y, 0.3); },
          [](double x, double y) { return x + 0.3 * (y - x); }),
      {weighed("weights", {3, 5}, {3, 5}, {3, 5}, {3, 5}),
       weighed("weights broadcast", {3, 5}, {5}, {3, 1}, {3, 5}),
       weighed("weights widen", {5}, {1}, {3, 1}, {3, 5})},
      {BAD(DTypeError, "lerp: dtypes differ: x is f32[3], y is f32[3], weight is f64[3]",
           lerp(of(3), of(3), of<DType::f64>(3))),
       BAD(ShapeError, "lerp: shapes [3] and [5] do not broadcast", lerp(of(3), of(3), of(5)))});
}

}  // namespace

std::vector<Row> elementwise_rows() {
  using T = const Tensor&;
  return {
      with(integers_too(binary(
               Op::add, [](T x, T y) { return x + y; }, [](double x, double y) { return x + y; })),
           {number(
                "number right", [](X x) { return x[0] + 1.5; }, [](double x) { return x + 1.5; }),
            number(
                "number left", [](X x) { return 1.5 + x[0]; }, [](double x) { return x + 1.5; })}),
      with(integers_too(binary(
               Op::sub, [](T x, T y) { return x - y; }, [](double x, double y) { return x - y; })),
           {number(
                "number right", [](X x) { return x[0] - 1.5; }, [](double x) { return x - 1.5; }),
            number(
                "number left", [](X x) { return 1.5 - x[0]; }, [](double x) { return 1.5 - x; })}),
      with(integers_too(binary(
               Op::mul, [](T x, T y) { return x * y; }, [](double x, double y) { return x * y; })),
           {number(
                "number right", [](X x) { return x[0] * 1.5; }, [](double x) { return x * 1.5; }),
            number(
                "number left", [](X x) { return 1.5 * x[0]; }, [](double x) { return x * 1.5; })}),
      with(integers_too(binary(
               Op::div, [](T x, T y) { return x / y; }, [](double x, double y) { return x / y; },
               Domain::any, Domain::nonzero)),
           {number(
                "number right", [](X x) { return x[0] / 1.5; }, [](double x) { return x / 1.5; }),
            number(
                "number left", [](X x) { return 1.5 / x[0]; }, [](double x) { return 1.5 / x; })}),
      of_integers(unary(
          Op::neg, [](T x) { return -x; }, [](double x) { return -x; })),
      of_integers(unary(Op::abs, abs, std::fabs, Domain::nonzero)),
      unary(Op::exp, exp, std::exp),
      unary(Op::expm1, expm1, std::expm1),
      unary(Op::log, log, std::log, Domain::positive),
      unary(Op::log1p, log1p, std::log1p, Domain::positive),
      unary(Op::log2, log2, std::log2, Domain::positive),
      unary(Op::log10, log10, std::log10, Domain::positive),
      unary(Op::sqrt, sqrt, std::sqrt, Domain::positive),
      unary(
          Op::rsqrt, rsqrt, [](double x) { return 1 / std::sqrt(x); }, Domain::positive),
      unary(Op::sin, sin, std::sin),
      unary(Op::cos, cos, std::cos),
      unary(Op::erf, erf, std::erf),
      // sign alone has no gradient to check.
      of_integers(unary(
          Op::sign, [](T x) { return sign(x) * x; }, std::fabs, Domain::nonzero)),
      of_integers(unary(Op::square, square, [](double x) { return x * x; })),
      unary(
          Op::reciprocal, reciprocal, [](double x) { return 1 / x; }, Domain::nonzero),
      unary(Op::tanh, tanh, std::tanh),
      unary(Op::sigmoid, sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }),
      unary(
          Op::relu, relu, [](double x) { return x > 0 ? x : 0; }, Domain::nonzero),
      integers_too(binary(
          Op::maximum, maximum, [](double x, double y) { return x > y ? x : y; }, Domain::distinct,
          Domain::distinct)),
      integers_too(binary(
          Op::minimum, minimum, [](double x, double y) { return x < y ? x : y; }, Domain::distinct,
          Domain::distinct)),
      where_row(),
      pow_row(),
      lerp_row(),
      dropout_row(),
  };
}

}  // namespace heed::table
