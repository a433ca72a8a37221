// One row an operator (or a function composed of operators): how to call it, on what, what must
// come out, and what must be refused. Everything else the suite makes of the row (see cases.h and
// operator_test.cpp). To add an operator, add a row to its family's file; an elementwise one is a
// line:
//
//   unary(Op::tanh, tanh, std::tanh)
//
// and any other says its inputs' shapes, the call and the reference:
//
//   {Op::transpose,
//    {sample("matrix", {in({3, 5})},
//            [](const Tensors& x) { return transpose(x[0], 0, 1); },
//            [](const Blocks& x) {
//              return Block({5, 3}, [&](const Place& p) { return x[0]({p[1], p[0]}); });
//            })},
//    {BAD(ShapeError, "transpose: axis 2 is out of range", transpose(of(3, 5), 0, 2))}}
#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../../../autograd/gradcheck.h"
#include "../../../autograd/op.h"
#include "../../../autograd/tensor.h"
#include "block.h"

namespace heed::table {

using Tensors = std::vector<Tensor>;
using Call = std::function<Tensor(const Tensors&)>;
using Reference = std::function<Block(const Blocks&)>;

/// Where an input's values lie. `distinct`: no two of the sample's are equal or nearly so, none is
/// near 0.
enum class Domain { any, positive, nonzero, distinct };

struct Input {
  std::vector<Index> shape;
  Domain domain = Domain::any;
};
inline Input in(std::vector<Index> shape, Domain domain = Domain::any) {
  return {std::move(shape), domain};
}

/// A call with values to make it on. Only inputs that get a gradient stand in `inputs`; indices,
/// masks and numbers are bound into call and reference.
struct Sample {
  std::string name;
  Blocks inputs;
  Call call;
  Reference reference;
};
/// Draws the values; always the same for the same name and inputs.
Sample sample(const std::string& name, const std::vector<Input>& inputs, Call call,
              Reference reference);

/// A call that must throw: run() gives the message, or "" when something else happened.
struct BadCall {
  std::string text;  ///< a part of the message
  std::function<std::string()> run;
};
template <class E>
BadCall bad(const std::string& text, std::function<void()> call) {
  return {text, [call = std::move(call)]() -> std::string {
            try {
              call();
            } catch (const E& error) {
              return error.what();
            } catch (...) {
              return "";
            }
            return "";
          }};
}
/// Of a statement, what it uses by value.
#define BAD(E, text, ...) bad<E>(text, [=] { __VA_ARGS__; })

/// What a row is of: an operator of the closed list, or a function composed of such.
struct Subject {
  Subject(Op listed) : op(listed), name(heed::name(listed)) {}
  Subject(const char* composed) : name(composed) {}
  std::optional<Op> op;
  std::string name;
};

struct Row {
  Subject subject;
  std::vector<Sample> samples;
  std::vector<BadCall> bad_calls;
  GradcheckOptions gradcheck = {};  ///< where the defaults cannot hold, and why, stands in the row
  double f32_tolerance = 1e-5;      ///< f32 against f64, relative to the largest element
  std::map<std::string, double> f32_exceptions = {};  ///< the same of single samples, by name
  bool needs_elements = false;                        ///< there is no result for empty inputs
  std::string family = {};                            ///< set by table()
};

/// The row of an operator on single elements: shapes from rank 0 to 4, empty ones, four bad calls.
Row unary(Subject subject, Tensor (*call)(const Tensor&), double (*reference)(double),
          Domain domain = Domain::any);
/// The same of two operands: broadcast either way, both ways, with rank 0; six bad calls.
Row binary(Subject subject, Tensor (*call)(const Tensor&, const Tensor&),
           double (*reference)(double, double), Domain x = Domain::any, Domain y = Domain::any);
/// The row with more samples, more bad calls.
Row with(Row row, std::vector<Sample> samples, std::vector<BadCall> bad_calls = {});

/// The row of an operator that takes i64, too: without the bad calls that say otherwise; with
/// `bools` also bool.
Row integers_too(Row row, bool bools = false);

/// Bad calls that every function of one tensor must refuse: undefined, moved from, i64, bool.
std::vector<BadCall> bad_operands(const std::string& op,
                                  const std::function<Tensor(const Tensor&)>& call);

/// Sizes, i64 indices and zeros without braces, which read badly inside of short lambdas.
Shape dims(std::convertible_to<Index> auto... sizes) { return Shape{static_cast<Index>(sizes)...}; }
Tensor ids(const std::vector<Index>& values, const Shape& shape);
inline Tensor ids(const std::vector<Index>& values) { return ids(values, dims(values.size())); }
Tensor ids(std::convertible_to<Index> auto... values) {
  return ids(std::vector<Index>{static_cast<Index>(values)...});
}
template <DType dtype = DType::f32>
Tensor of(std::convertible_to<Index> auto... sizes) {
  return zeros(dims(sizes...), dtype);
}
/// A bool mask from zeros and ones.
Tensor flags(const std::vector<double>& values, const Shape& shape);

Tensor to_tensor(const Block& block, DType dtype);
/// A sample's inputs in f64.
Tensors values_of(const Sample& sample);

}  // namespace heed::table
