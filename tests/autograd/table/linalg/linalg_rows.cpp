#include "../../../../autograd/ops/linalg/linalg.h"
#include "../../../../autograd/ops/linalg/matmul.h"
#include "../../../../autograd/ops/linalg/solve.h"
#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

// One sum of products an element; a vector on either side has its axis put on and taken off again.
Block product(Block a, Block b) {
  const bool row = a.rank() == 1;
  const bool column = b.rank() == 1;
  if (row) a = Block({1, a.size(0)}, a.values());
  if (column) b = Block({b.size(0), 1}, b.values());
  const Index inner = a.size(-1);
  const Block& longer = a.rank() >= b.rank() ? a : b;
  const Block& shorter = a.rank() >= b.rank() ? b : a;
  Sizes shape = longer.shape();
  for (Index axis = 3; axis <= shorter.rank(); ++axis) {
    Index& size = shape[shape.size() - static_cast<std::size_t>(axis)];
    if (size == 1) size = shorter.size(-axis);
  }
  shape[shape.size() - 2] = a.size(-2);
  shape[shape.size() - 1] = b.size(-1);
  const Index last = static_cast<Index>(shape.size()) - 1;
  Block out(shape, [&](const Place& p) {
    double total = 0;
    for (Index k = 0; k < inner; ++k)
      total += a(replaced(p, last, k)) * b(replaced(p, last - 1, k));
    return total;
  });
  if (column) shape.pop_back();
  if (row) shape.erase(shape.end() - (column ? 1 : 2));
  return {shape, out.values()};
}

Row matmul_row() {
  const auto form = [](const std::string& name, const Sizes& a, const Sizes& b) {
    return sample(
        name, {in(a), in(b)}, [](X x) { return matmul(x[0], x[1]); },
        [](B x) { return product(x[0], x[1]); });
  };
  return {Op::matmul,
          {form("matrices", {3, 5}, {5, 2}),
           form("square", {3, 3}, {3, 3}),
           form("vectors", {5}, {5}),
           form("vector and matrix", {3}, {3, 5}),
           form("matrix and vector", {3, 5}, {5}),
           form("batches", {2, 3, 4}, {2, 4, 2}),
           form("matrix right", {2, 3, 4}, {4, 2}),
           form("matrix left", {3, 2}, {4, 2, 2}),
           form("batch of 1 left", {1, 2, 3}, {3, 3, 2}),
           form("batch of 1 right", {3, 2, 3}, {1, 3, 2}),
           form("batches both ways", {2, 1, 2, 3}, {3, 3, 2}),
           form("vector and batch", {3}, {2, 3, 2}),
           form("batch and vector", {2, 2, 3}, {3}),
           form("sizes of 1", {1, 1}, {1, 1}),
           form("one row", {1, 5}, {5, 3}),
           form("one column", {3, 5}, {5, 1}),
           form("outer", {3, 1}, {1, 5}),
           form("no rows", {0, 3}, {3, 2}),
           form("no inner", {2, 0}, {0, 3}),
           form("no batch", {0, 2, 3}, {3, 2}),
           form("no inner, vectors", {0}, {0})},
          {BAD(ShapeError,
               "matmul: inner sizes differ: a is f32[3, 5], b is f32[4, 2]; a's last (5) must "
               "equal b's second to last (4)",
               matmul(of(3, 5), of(4, 2))),
           BAD(ShapeError, "matmul: inner sizes differ: a is f32[3], b is f32[5]",
               matmul(of(3), of(5))),
           BAD(ShapeError, "matmul: inner sizes differ", matmul(of(2, 3, 5), of(3))),
           BAD(ShapeError, "matmul: inner sizes differ", matmul(of(3), of(2, 5, 3))),
           BAD(ShapeError, "matmul: shapes [2] and [3] do not broadcast",
               matmul(of(2, 3, 5), of(3, 5, 2))),
           BAD(ShapeError, "matmul: needs rank 1 or more: a is f32[], b is f32[3]",
               matmul(of(), of(3))),
           BAD(ShapeError, "matmul: needs rank 1 or more", matmul(of(3), of())),
           BAD(DTypeError, "matmul: dtypes differ: a is f32[3, 5], b is f64[5, 2]",
               matmul(of(3, 5), of<DType::f64>(5, 2))),
           BAD(DTypeError, "matmul: takes f32 or f64, not i64", matmul(ids(1, 2), ids(1, 2))),
           BAD(GradError, "matmul: a is undefined", matmul(Tensor(), of(5, 2)))}};
}

Row linear_row() {
  const auto form = [](const std::string& name, const Sizes& x, Index width, bool bias) {
    const Index inside = x.back();
    std::vector<Input> inputs = {in(x), in({width, inside})};
    if (bias) inputs.push_back(in({width}));
    return sample(
        name, inputs, [bias](X t) { return linear(t[0], t[1], bias ? t[2] : Tensor()); },
        [=](B b) {
          Sizes shape = x;
          shape.back() = width;
          const Index last = static_cast<Index>(shape.size()) - 1;
          return Block(shape, [&](const Place& p) {
            double total = bias ? b[2]({p.back()}) : 0;
            for (Index k = 0; k < inside; ++k)
              total += b[0](replaced(p, last, k)) * b[1]({p.back(), k});
            return total;
          });
        });
  };
  return {
      Op::linear,
      {form("matrix", {3, 5}, 2, true), form("matrix without bias", {3, 5}, 2, false),
       form("vector", {5}, 3, true), form("batch", {2, 3, 4}, 2, true),
       form("one shape", {3, 3}, 3, true), form("sizes of 1", {1, 1}, 1, true),
       form("no rows", {0, 3}, 2, true), form("no inputs", {3, 0}, 2, true),
       form("no inputs, no bias", {3, 0}, 2, false), form("no outputs", {3, 2}, 0, true)},
      {BAD(ShapeError,
           "linear: x is f32[3, 5], weight is f32[2, 4]; x's last size must equal weight's last",
           linear(of(3, 5), of(2, 4))),
       BAD(ShapeError, "linear: bias is f32[5], weight is f32[2, 5]; bias must be [2]",
           linear(of(3, 5), of(2, 5), of(5))),
       BAD(ShapeError, "linear: x is f32[]", linear(of(), of(2, 5))),
       BAD(ShapeError, "linear: x is f32[3, 5], weight is f32[5]", linear(of(3, 5), of(5))),
       BAD(DTypeError, "linear: dtypes differ", linear(of(3, 5), of<DType::f64>(2, 5))),
       BAD(DTypeError, "linear: dtypes differ", linear(of(3, 5), of(2, 5), of<DType::f64>(2))),
       BAD(DTypeError, "linear: takes f32 or f64, not i64", linear(ids(1, 2), ids({1, 2}, {1, 2}))),
       BAD(GradError, "linear: weight is undefined", linear(of(3, 5), Tensor()))}};
}

// The products by name: matmul() of two fixed ranks.
Row named_row(const std::string& name, Tensor (*call)(const Tensor&, const Tensor&),
              const std::vector<std::pair<Sizes, Sizes>>& shapes, std::vector<BadCall> bad_calls) {
  Row row{name.c_str(), {}, std::move(bad_calls)};
  for (const auto& [a, b] : shapes) {
    row.samples.push_back(sample(
        to_string(Shape(a)) + to_string(Shape(b)), {in(a), in(b)},
        [call](X x) { return call(x[0], x[1]); }, [](B x) { return product(x[0], x[1]); }));
  }
  const auto add = [&](auto refused) { row.bad_calls.push_back(std::move(refused)); };
  const Tensor left = zeros(Shape(shapes[0].first));
  const Tensor right = zeros(Shape(shapes[0].second));
  // Matrices are named a and b, vectors x and y.
  const std::string first = left.rank() == 1 ? "x" : "a";
  const std::string second = right.rank() > 1 ? "b" : left.rank() > 1 ? "x" : "y";
  const std::string ranks = " ranks " + std::to_string(left.rank()) + " and " +
                            std::to_string(right.rank()) + ", not f32[] and ";
  add(BAD(ShapeError, name + ": takes" + ranks, call(of(), right)));
  add(BAD(ShapeError, name + ": takes", call(left, of())));
  add(BAD(DTypeError, "dtypes differ", call(left, zeros(right.shape(), DType::f64))));
  add(BAD(GradError, name + ": " + first + " is undefined", call(Tensor(), right)));
  add(BAD(GradError, name + ": " + second + " is undefined", call(left, Tensor())));
  return row;
}

Row dot_row() {
  return named_row("dot", dot, {{{5}, {5}}, {{1}, {1}}, {{7}, {7}}, {{0}, {0}}},
                   {BAD(ShapeError, "matmul: inner sizes differ", dot(of(3), of(5)))});
}

Row mm_row() {
  return named_row("mm", mm,
                   {{{3, 5}, {5, 2}}, {{3, 3}, {3, 3}}, {{1, 1}, {1, 1}}, {{0, 3}, {3, 2}}},
                   {BAD(ShapeError, "matmul: inner sizes differ", mm(of(3, 5), of(3, 5)))});
}

Row mv_row() {
  return named_row("mv", mv, {{{3, 5}, {5}}, {{1, 3}, {3}}, {{3, 1}, {1}}, {{0, 3}, {3}}},
                   {BAD(ShapeError, "matmul: inner sizes differ", mv(of(3, 5), of(3)))});
}

Row bmm_row() {
  return named_row("bmm", bmm,
                   {{{2, 3, 5}, {2, 5, 2}},
                    {{2, 3, 3}, {2, 3, 3}},
                    {{1, 1, 1}, {1, 1, 1}},
                    {{0, 2, 3}, {0, 3, 2}}},
                   {BAD(ShapeError, "bmm: batches differ: f32[1, 3, 5] and f32[2, 5, 3]",
                        bmm(of(1, 3, 5), of(2, 5, 3))),
                    BAD(ShapeError, "matmul: inner sizes differ", bmm(of(2, 3, 5), of(2, 3, 5)))});
}

Row outer_row() {
  const auto form = [](const std::string& name, Index m, Index n) {
    return sample(
        name, {in({m}), in({n})}, [](X x) { return outer(x[0], x[1]); },
        [=](B x) {
          return Block({m, n}, [&](const Place& p) { return x[0]({p[0]}) * x[1]({p[1]}); });
        });
  };
  return {"outer",
          {form("wide", 3, 5), form("tall", 7, 2), form("square", 5, 5), form("sizes of 1", 1, 1),
           form("row", 1, 5), form("empty", 0, 3)},
          {BAD(ShapeError, "outer: takes ranks 1 and 1, not f32[3, 5] and f32[3]",
               outer(of(3, 5), of(3))),
           BAD(ShapeError, "not f32[3] and f32[]", outer(of(3), of())),
           BAD(DTypeError, "dtype", outer(of(3), of<DType::f64>(3))),
           BAD(GradError, "outer: y is undefined", outer(of(3), Tensor()))}};
}

Row inner_row() {
  const auto form = [](const Sizes& a, const Sizes& b) {
    Sizes shape(a.begin(), a.end() - 1);
    shape.insert(shape.end(), b.begin(), b.end() - 1);
    return sample(
        to_string(Shape(a)) + to_string(Shape(b)), {in(a), in(b)},
        [](X x) { return inner(x[0], x[1]); },
        [=](B x) {
          return Block(shape, [&](const Place& p) {
            const auto middle = p.begin() + static_cast<std::ptrdiff_t>(a.size()) - 1;
            Place left(p.begin(), middle), right(middle, p.end());
            left.push_back(0);
            right.push_back(0);
            double total = 0;
            for (Index k = 0; k < a.back(); ++k) {
              left.back() = right.back() = k;
              total += x[0](left) * x[1](right);
            }
            return total;
          });
        });
  };
  return {"inner",
          {form({5}, {5}), form({3, 5}, {5}), form({5}, {3, 5}), form({3, 5}, {7, 5}),
           form({2, 3, 5}, {7, 5}), form({3, 3}, {3, 3}), form({1, 1}, {1}), form({2, 0}, {3, 0}),
           form({0, 3}, {2, 3})},
          {BAD(ShapeError, "inner: last sizes differ: f32[3, 5] and f32[5, 3]",
               inner(of(3, 5), of(5, 3))),
           BAD(DTypeError, "dtypes differ", inner(of(3, 5), of<DType::f64>(3, 5))),
           BAD(DTypeError, "dtypes differ", inner(ids(1, 2), of(2))),
           BAD(GradError, "inner: x is undefined", inner(Tensor(), of(3))),
           BAD(GradError, "inner: y is undefined", inner(of(3), Tensor()))}};
}

Row bilinear_row() {
  const auto form = [](const std::string& name, const Sizes& lead, Index in1, Index in2, Index out,
                       bool bias) {
    const auto ending = [&lead](Index size) {
      Sizes shape = lead;
      shape.push_back(size);
      return shape;
    };
    std::vector<Input> inputs = {in(ending(in1)), in(ending(in2)), in({out, in1, in2})};
    if (bias) inputs.push_back(in({out}));
    return sample(
        name, inputs, [bias](X t) { return bilinear(t[0], t[1], t[2], bias ? t[3] : Tensor()); },
        [=, shape = ending(out)](B b) {
          const Index last = static_cast<Index>(shape.size()) - 1;
          return Block(shape, [&](const Place& p) {
            double total = bias ? b[3]({p.back()}) : 0;
            for (Index i = 0; i < in1; ++i) {
              for (Index j = 0; j < in2; ++j) {
                total += b[0](replaced(p, last, i)) * b[2]({p.back(), i, j}) *
                         b[1](replaced(p, last, j));
              }
            }
            return total;
          });
        });
  };
  const auto refused = [](const Tensor& x1, const Tensor& x2, const Tensor& weight,
                          const Tensor& bias = Tensor()) {
    return [=] { bilinear(x1, x2, weight, bias); };
  };
  return {
      "bilinear",
      {form("matrix", {3}, 5, 2, 2, true), form("without bias", {3}, 2, 3, 2, false),
       form("vector", {}, 3, 5, 2, true), form("batch", {2, 3}, 2, 3, 1, true),
       form("one shape", {2}, 3, 3, 3, true), form("sizes of 1", {1}, 1, 1, 1, true),
       form("no rows", {0}, 2, 3, 2, true), form("no inputs", {2}, 0, 3, 2, true)},
      {bad<ShapeError>("bilinear: weight must have rank 3: x1 is f32[3, 5], x2 is f32[3, 2], "
                       "weight is f32[2, 5], bias is undefined",
                       refused(of(3, 5), of(3, 2), of(2, 5))),
       bad<ShapeError>("bilinear: last sizes must equal weight's last two",
                       refused(of(3, 5), of(3, 2), of(2, 2, 5))),
       bad<ShapeError>("bilinear: leading axes differ", refused(of(3, 5), of(2, 2), of(2, 5, 2))),
       bad<ShapeError>("bilinear: x1 and x2 must have one rank",
                       refused(of(3, 5), of(2), of(2, 5, 2))),
       bad<ShapeError>("bilinear: x1 and x2 must have one rank", refused(of(), of(), of(2, 5, 2))),
       bad<ShapeError>("bilinear: bias must be [out]",
                       refused(of(3, 5), of(3, 2), of(2, 5, 2), of(3))),
       bad<DTypeError>("bilinear: dtypes differ",
                       refused(of(3, 5), of<DType::f64>(3, 2), of(2, 5, 2))),
       bad<DTypeError>("bilinear: takes f32 or f64, not i64",
                       refused(ids(1, 2), ids(1, 2), of(2, 2, 2))),
       bad<GradError>("bilinear: x2 is undefined", refused(of(3, 5), Tensor(), of(2, 5, 2)))}};
}

// Substitution; what lies on the other side of the diagonal is not zero.
Row solve_triangular_row() {
  const auto form = [](const std::string& name, const Sizes& a, const Sizes& b, const Sizes& out,
                       bool upper, bool unit) {
    return sample(
        name, {in(a, Domain::distinct), in(b)},
        [=](X x) { return solve_triangular(x[0], x[1], {.upper = upper, .unit = unit}); },
        [=](B x) {
          const Index last = static_cast<Index>(out.size()) - 1, n = a.back();
          return Block(out, [&](const Place& p) {
            std::vector<double> solved(static_cast<std::size_t>(n));
            for (Index step = 0; step < n; ++step) {
              const Index i = upper ? n - 1 - step : step;
              const Place row = replaced(p, last - 1, i);
              double rest = x[1](row);
              for (Index j = upper ? i + 1 : 0; j < (upper ? n : i); ++j) {
                rest -= x[0](replaced(row, last, j)) * solved[static_cast<std::size_t>(j)];
              }
              solved[static_cast<std::size_t>(i)] =
                  unit ? rest : rest / x[0](replaced(row, last, i));
            }
            return solved[static_cast<std::size_t>(p[static_cast<std::size_t>(last - 1)])];
          });
        });
  };
  return {
      Op::solve_triangular,
      {form("lower", {3, 3}, {3, 5}, {3, 5}, false, false),
       form("upper", {3, 3}, {3, 2}, {3, 2}, true, false),
       form("lower, unit", {4, 4}, {4, 3}, {4, 3}, false, true),
       form("upper, unit", {4, 4}, {4, 3}, {4, 3}, true, true),
       form("batches", {2, 3, 3}, {2, 3, 2}, {2, 3, 2}, false, true),
       form("one left", {3, 3}, {2, 3, 2}, {2, 3, 2}, true, true),
       form("one right", {2, 3, 3}, {3, 2}, {2, 3, 2}, false, true),
       form("sizes of 1", {1, 1}, {1, 1}, {1, 1}, false, false),
       form("no rows", {0, 0}, {0, 3}, {0, 3}, false, false),
       form("no columns", {3, 3}, {3, 0}, {3, 0}, false, false),
       form("no batch", {0, 2, 2}, {0, 2, 3}, {0, 2, 3}, false, true)},
      {BAD(ShapeError,
           "solve_triangular: a must be [.., n, n] and b [.., n, m], not f32[3, 5] and f32[3, 2]",
           solve_triangular(of(3, 5), of(3, 2))),
       BAD(ShapeError, "not f32[3, 3] and f32[2, 3]", solve_triangular(of(3, 3), of(2, 3))),
       BAD(ShapeError, "not f32[3, 3] and f32[3]", solve_triangular(of(3, 3), of(3))),
       BAD(ShapeError, "solve_triangular: shapes [2] and [3] do not broadcast",
           solve_triangular(of(2, 5, 5), of(3, 5, 1))),
       BAD(DTypeError, "solve_triangular: dtypes differ: a is f32[3, 3], b is f64[3, 2]",
           solve_triangular(of(3, 3), of<DType::f64>(3, 2))),
       BAD(DTypeError, "solve_triangular: takes f32 or f64, not i64",
           solve_triangular(of<DType::i64>(3, 3), of<DType::i64>(3, 2))),
       BAD(GradError, "solve_triangular: a is undefined", solve_triangular(Tensor(), of(3, 2))),
       BAD(GradError, "solve_triangular: b is undefined", solve_triangular(of(3, 3), Tensor()))}};
}

}  // namespace

std::vector<Row> linalg_rows() {
  return {matmul_row(), linear_row(), dot_row(), inner_row(),    outer_row(),
          mm_row(),     mv_row(),     bmm_row(), bilinear_row(), solve_triangular_row()};
}

}  // namespace heed::table
