#include "lu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../../error.h"
#include "../../parallel.h"
#include "../elementwise/iterate.h"

namespace heed::kernels {
namespace {

// Brings the row with the largest element of column c, from row c on, up to row c. Whether it
// moved.
bool pivot(std::vector<double>& a, Index n, Index columns, Index c) {
  Index best = c;
  for (Index i = c + 1; i < n; ++i) {
    const auto size = [&](Index row) {
      return std::fabs(a[static_cast<std::size_t>(row * columns + c)]);
    };
    if (size(i) > size(best)) best = i;
  }
  if (best == c) return false;
  const auto row = [&](Index i) { return a.begin() + i * columns; };
  std::swap_ranges(row(best), row(best + 1), row(c));
  return true;
}

// Row i less `factor` times row c, from column `first` on.
void subtract(std::vector<double>& a, Index columns, Index i, Index c, Index first, double factor) {
  double* const to = a.data() + i * columns;
  const double* const from = a.data() + c * columns;
  for (Index j = first; j < columns; ++j) to[j] -= factor * from[j];
}

// Gauss-Jordan on [x, 1]; false where a pivot is 0.
template <class T>
bool invert(const T* x, T* to, Index n) {
  const Index columns = 2 * n;
  std::vector<double> a(static_cast<std::size_t>(n * columns), 0.0);
  const auto at = [&](Index i, Index j) -> double& {
    return a[static_cast<std::size_t>(i * columns + j)];
  };
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) at(i, j) = double{x[i * n + j]};
    at(i, n + i) = 1;
  }
  for (Index c = 0; c < n; ++c) {
    pivot(a, n, columns, c);
    if (at(c, c) == 0) return false;
    const double scale = 1 / at(c, c);
    for (Index j = c; j < columns; ++j) at(c, j) *= scale;
    for (Index i = 0; i < n; ++i) {
      if (i != c) subtract(a, columns, i, c, c, at(i, c));
    }
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) to[i * n + j] = static_cast<T>(at(i, n + j));
  }
  return true;
}

template <class T>
T log_determinant(const T* x, Index n) {
  std::vector<double> a(x, x + n * n);
  double log = 0;
  bool negative = false;
  for (Index c = 0; c < n; ++c) {
    if (pivot(a, n, n, c)) negative = !negative;
    const double on = a[static_cast<std::size_t>(c * n + c)];
    if (on == 0) return -std::numeric_limits<T>::infinity();
    log += std::log(std::fabs(on));
    if (on < 0) negative = !negative;
    for (Index i = c + 1; i < n; ++i) {
      subtract(a, n, i, c, c, a[static_cast<std::size_t>(i * n + c)] / on);
    }
  }
  return negative ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(log);
}

// Calls body(m) for each matrix of x.
template <class Body>
void each_matrix(const Array& x, const Body& body) {
  const Index n = x.size(-1), each = std::max<Index>(1, n * n);
  const Index grain = std::max<Index>(1, kGrain / std::max<Index>(1, each * n));
  parallel_for(x.numel() / each, grain, [&](Index begin, Index end) {
    for (Index m = begin; m < end; ++m) body(m);
  });
}

}  // namespace

void check_square(const char* op, const Array& x) {
  check_floating(op, x.dtype());
  if (x.rank() >= 2 && x.size(-1) == x.size(-2)) return;
  throw ShapeError(fmt::format("{}: x must be [.., n, n], not {}", op, describe(x)));
}

Array inverse(const Array& x) {
  check_square("inverse", x);
  const Array from = x.contiguous();
  Array out = Array::empty(x.shape(), x.dtype());
  if (out.numel() == 0) return out;
  const Index n = x.size(-1);
  std::vector<char> done(static_cast<std::size_t>(x.numel() / (n * n)), 1);
  visit_floating("inverse", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* const first = from.data<T>();
    T* const to = out.mutable_data<T>();
    each_matrix(x, [&](Index m) {
      done[static_cast<std::size_t>(m)] = invert(first + m * n * n, to + m * n * n, n) ? 1 : 0;
    });
  });
  const auto bad = std::find(done.begin(), done.end(), 0);
  if (bad != done.end()) {
    throw ValueError(
        fmt::format("inverse: matrix {} of x {} is singular", bad - done.begin(), describe(x)));
  }
  return out;
}

Array logdet(const Array& x) {
  check_square("logdet", x);
  const Array from = x.contiguous();
  const Index n = x.size(-1);
  Array out = Array::zeros(x.shape().without(x.rank() - 1).without(x.rank() - 2), x.dtype());
  if (x.numel() == 0) return out;
  visit_floating("logdet", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* const first = from.data<T>();
    T* const to = out.mutable_data<T>();
    each_matrix(x, [&](Index m) { to[m] = log_determinant(first + m * n * n, n); });
  });
  return out;
}

}  // namespace heed::kernels
