#include "../../../../autograd/ops/linalg/inverse.h"

#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/shape/triangle.h"
#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;
using Matrix = std::vector<std::vector<double>>;

// Far from singular, whatever is drawn.
constexpr double kAway = 7;
Tensor away(const Tensor& x) { return x + kAway * diag(ones({x.size(-1)}, x.dtype())); }

Matrix without(const Matrix& a, std::size_t row, std::size_t column) {
  Matrix out;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i == row) continue;
    out.emplace_back();
    for (std::size_t j = 0; j < a.size(); ++j) {
      if (j != column) out.back().push_back(a[i][j]);
    }
  }
  return out;
}

// By its first row.
double determinant(const Matrix& a) {
  if (a.empty()) return 1;
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    sum += (j % 2 == 0 ? 1 : -1) * a[0][j] * determinant(without(a, 0, j));
  }
  return sum;
}

// The matrix of x that `place` stands in, with `shift` more on its diagonal.
Matrix matrix_at(const Block& x, Place place, double shift) {
  const auto n = static_cast<std::size_t>(x.size(-1)), last = place.size() - 1;
  Matrix out(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      place[last - 1] = static_cast<Index>(i);
      place[last] = static_cast<Index>(j);
      out[i][j] = x(place) + (i == j ? shift : 0);
    }
  }
  return out;
}

// Cramer's rule.
Block inverse_of(const Block& x, double shift) {
  return Block(x.shape(), [&](const Place& p) {
    const Matrix a = matrix_at(x, p, shift);
    const auto i = static_cast<std::size_t>(p[p.size() - 2]);
    const auto j = static_cast<std::size_t>(p[p.size() - 1]);
    return ((i + j) % 2 == 0 ? 1 : -1) * determinant(without(a, j, i)) / determinant(a);
  });
}

Row inverse_row() {
  const auto form = [](const std::string& name, const Sizes& shape) {
    return sample(
        name, {in(shape)}, [](X x) { return inverse(away(x[0])); },
        [](B x) { return inverse_of(x[0], kAway); });
  };
  const Tensor singular = tensor({1., 2., 2., 4.}, {2, 2});
  return {
      Op::inverse,
      {form("matrix", {3, 3}), form("five", {5, 5}), form("batch", {2, 3, 3}),
       form("two axes", {2, 3, 2, 2}), form("one", {1, 1}), form("nothing", {0, 0}),
       form("no matrices", {0, 3, 3}),
       sample(
           "rows that change places", {in({2, 2}, Domain::positive)},
           [](X x) {
             return inverse(x[0] * tensor({0., 1., 1., 0.}, {2, 2}, x[0].dtype()));
           },
           [](B x) {
             return Block({2, 2}, std::vector<double>{0, 1 / x[0]({1, 0}), 1 / x[0]({0, 1}), 0});
           })},
      {BAD(GradError, "inverse: x is undefined", inverse(Tensor())),
       BAD(ShapeError, "inverse: x must be [.., n, n], not f32[3, 5]", inverse(of(3, 5))),
       BAD(ShapeError, "inverse: x must be [.., n, n], not f32[3]", inverse(of(3))),
       BAD(DTypeError, "inverse: takes f32 or f64, not i64", inverse(of<DType::i64>(3, 3))),
       BAD(ValueError, "inverse: matrix 0 of x f32[2, 2] is singular", inverse(singular)),
       BAD(ValueError, "inverse: matrix 0 of x f32[2, 3, 3] is singular", inverse(of(2, 3, 3)))}};
}

Row logdet_row() {
  const auto form = [](const std::string& name, const Sizes& shape) {
    return sample(
        name, {in(shape)}, [](X x) { return logdet(away(x[0])); },
        [](B x) {
          Sizes to = x[0].shape();
          to.resize(to.size() - 2);
          return Block(to, [&](const Place& p) {
            Place place = p;
            place.resize(p.size() + 2, 0);
            return std::log(determinant(matrix_at(x[0], place, kAway)));
          });
        });
  };
  return {
      Op::logdet,
      {form("matrix", {3, 3}), form("five", {5, 5}), form("batch", {2, 3, 3}),
       form("two axes", {2, 3, 2, 2}), form("one", {1, 1}), form("no matrices", {0, 3, 3})},
      {BAD(GradError, "logdet: x is undefined", logdet(Tensor())),
       BAD(ShapeError, "logdet: x must be [.., n, n], not f32[3, 5]", logdet(of(3, 5))),
       BAD(ShapeError, "logdet: x must be [.., n, n], not f32[]", logdet(of())),
       BAD(DTypeError, "logdet: takes f32 or f64, not bool", logdet(of<DType::boolean>(3, 3)))}};
}

}  // namespace

std::vector<Row> inverse_rows() { return {inverse_row(), logdet_row()}; }

}  // namespace heed::table
