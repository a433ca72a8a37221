#include <algorithm>
#include <cmath>

#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/losses/binary_cross_entropy.h"
#include "../../../autograd/ops/losses/regression_losses.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/triangle.h"
#include "../../../core/error.h"
#include "reduced.h"
#include "table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using T = const Tensor&;
using Loss = std::function<Tensor(const Tensor&, const Tensor&, Reduction)>;
using Sizes = std::vector<Index>;

Row pairs(const char* name, const Loss& loss,
          const std::function<double(double, double)>& reference, const std::string& first) {
  const std::string op = name;
  Row row{name,
          {},
          {bad<GradError>(op + ": " + first + " is undefined",
                          [loss] { loss(Tensor(), of(3), Reduction::mean); }),
           bad<ShapeError>(op + ": target", [loss] { loss(of(3, 5), of(5), Reduction::mean); }),
           bad<DTypeError>("f64[3]", [loss] { loss(of(3), of<DType::f64>(3), Reduction::mean); }),
           bad<DTypeError>(op + ": takes f32 or f64, not i64", [loss] {
             loss(of<DType::i64>(3), of<DType::i64>(3), Reduction::mean);
           })}};
  const auto add = [&](const std::string& title, const Sizes& shape, Reduction how) {
    row.samples.push_back(sample(
        title, {in(shape, Domain::distinct), in(shape, Domain::distinct)},
        [=](X x) { return loss(x[0], x[1], how); },
        [=](B b) { return reduced(map(b[0], b[1], reference), how); }));
  };
  add("mean", {3, 5}, Reduction::mean);
  add("sum", {2, 3, 2}, Reduction::sum);
  add("none", {3, 2}, Reduction::none);
  add("rank 0", {}, Reduction::mean);
  add("empty", {0, 3}, Reduction::none);
  return row;
}

Row huber_row() {
  return with(pairs(
                  "huber_loss", [](T x, T y, Reduction how) { return huber_loss(x, y, 0.7, how); },
                  [](double x, double y) {
                    const double d = std::fabs(x - y);
                    return d <= 0.7 ? d * d / 2 : 0.7 * (d - 0.35);
                  },
                  "input"),
              {},
              {BAD(ValueError, "huber_loss: delta 0 must be positive and finite",
                   huber_loss(of(3), of(3), 0))});
}

// Probabilities from numbers in [-2, 2]; targets as they are, which nothing forbids.
Row binary_row() {
  const auto p = [](double x) { return 0.5 + 0.2 * x; };
  return with(
      pairs(
          "binary_cross_entropy",
          [](T x, T y, Reduction how) {
            if (!x.defined() || !is_floating(x.dtype()) || x.shape() != y.shape() ||
                x.dtype() != y.dtype()) {
              return binary_cross_entropy(x, y, {.reduction = how});
            }
            return binary_cross_entropy(0.5 + 0.2 * x, y, {.reduction = how});
          },
          [p](double x, double y) { return -(y * std::log(p(x)) + (1 - y) * std::log(1 - p(x))); },
          "p"),
      {sample(
          "weight", {in({3, 5}), in({3, 5}), in({5})},
          [](X x) {
            return binary_cross_entropy(0.5 + 0.2 * x[0], x[1],
                                        {.weight = x[2], .reduction = Reduction::sum});
          },
          [p](B b) {
            double sum = 0;
            each_place({3, 5}, [&](const Place& at) {
              const double y = b[1](at);
              sum -= b[2](at) * (y * std::log(p(b[0](at))) + (1 - y) * std::log(1 - p(b[0](at))));
            });
            return Block({}, std::vector<double>{sum});
          })},
      {BAD(ValueError, "binary_cross_entropy: p must be in [0, 1]",
           binary_cross_entropy(of(3) + 1.5, of(3)))});
}

Sizes diagonal_of(const Sizes& shape, Index offset) {
  const Index rows = shape[0] + std::min<Index>(offset, 0);
  const Index columns = shape[1] - std::max<Index>(offset, 0);
  return {std::max<Index>(0, std::min(rows, columns))};
}

Row diag_row() {
  const auto of_matrix = [](const std::string& name, const Sizes& shape, Index offset) {
    return sample(
        name, {in(shape)}, [offset](X x) { return diag(x[0], offset); },
        [=](B b) {
          return Block(diagonal_of(shape, offset), [&](const Place& p) {
            return b[0]({p[0] - std::min<Index>(offset, 0), p[0] + std::max<Index>(offset, 0)});
          });
        });
  };
  return {"diag",
          {of_matrix("matrix", {3, 5}, 0), of_matrix("above", {3, 5}, 2),
           of_matrix("below", {5, 3}, -1), of_matrix("empty", {0, 3}, 0),
           sample(
               "vector", {in({3})}, [](X x) { return diag(x[0], 1); },
               [](B b) {
                 return Block({4, 4},
                              [&](const Place& p) { return p[1] == p[0] + 1 ? b[0]({p[0]}) : 0; });
               })},
          {BAD(GradError, "diag: x is undefined", diag(Tensor())),
           BAD(ShapeError, "diag: takes a vector or a matrix, not f32[]", diag(of())),
           BAD(ShapeError, "not f32[2, 3, 5]", diag(of(2, 3, 5))),
           BAD(ShapeError, "overflows", diag(of(3), INT64_MAX))}};
}

Row trace_row() {
  const auto form = [](const std::string& name, const Sizes& shape) {
    return sample(
        name, {in(shape)}, [](X x) { return trace(x[0]); },
        [](B b) {
          double sum = 0;
          each_place(b[0].shape(), [&](const Place& p) { sum += p[0] == p[1] ? b[0](p) : 0; });
          return Block({}, std::vector<double>{sum});
        });
  };
  return {"trace",
          {form("square", {5, 5}), form("wide", {3, 5}), form("tall", {7, 2}), form("one", {1, 1}),
           form("empty", {0, 3})},
          {BAD(GradError, "trace: x is undefined", trace(Tensor())),
           BAD(ShapeError, "trace: takes a matrix, not f32[3]", trace(of(3))),
           BAD(ShapeError, "not f32[]", trace(of())),
           BAD(ShapeError, "not f32[2, 3, 5]", trace(of(2, 3, 5)))}};
}

Row unbind_row() {
  const auto form = [](const std::string& name, const Sizes& shape, Index axis, Index place) {
    return sample(
        name, {in(shape)}, [=](X x) { return unbind(x[0], axis)[static_cast<std::size_t>(place)]; },
        [=](B b) {
          const Index at = axis < 0 ? axis + static_cast<Index>(shape.size()) : axis;
          return Block(without(shape, at),
                       [&](const Place& p) { return b[0](table::with(p, at, place)); });
        });
  };
  return {
      "unbind",
      {form("rows", {3, 5}, 0, 1), form("columns", {3, 5}, -1, 4), form("middle", {2, 3, 5}, 1, 2),
       form("vector", {5}, 0, 3), form("empty", {2, 0, 3}, 0, 1)},
      {BAD(GradError, "unbind: x is undefined", unbind(Tensor())),
       BAD(ShapeError, "unbind: axis 0 is out of range for rank 0", unbind(of())),
       BAD(ShapeError, "unbind: axis 2 is out of range", unbind(of(3, 5), 2)),
       BAD(ShapeError, "unbind: axis -3 is out of range", unbind(of(3, 5), -3))}};
}

}  // namespace

std::vector<Row> probability_loss_rows() { return {huber_row(), binary_row()}; }

std::vector<Row> composed_shape_rows() { return {diag_row(), trace_row(), unbind_row()}; }

std::vector<Row> composed_activation_rows() {
  return {
      unary(
          "relu6", relu6, [](double x) { return std::min(std::max(x, 0.0), 6.0); },
          Domain::nonzero),
      unary(
          "hardtanh", [](T x) { return hardtanh(x, -1.01, 1.01); },
          [](double x) { return std::min(std::max(x, -1.01), 1.01); }),
      unary(
          "softsign", softsign, [](double x) { return x / (1 + std::fabs(x)); }, Domain::nonzero),
      unary(
          "selu", selu,
          [](double x) {
            return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x));
          },
          Domain::nonzero),
      unary(
          "hardsigmoid", hardsigmoid,
          [](double x) { return std::min(std::max(x + 3, 0.0), 6.0) / 6; }, Domain::nonzero),
      unary(
          "hardswish", hardswish,
          [](double x) { return x * std::min(std::max(x + 3, 0.0), 6.0) / 6; }, Domain::nonzero),
      unary("mish", mish, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }),
  };
}

}  // namespace heed::table
