#include "entmax.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "../../error.h"
#include "axis_rows.h"

namespace heed::kernels {
namespace {

constexpr Index kCost = 64;  // a few steps, each with a power

// deformed_exp() for d > 1, with c = -log of the row's largest p: 1 - d c would be lost in
// rounding.
double steep_power(double gap, double c, double d, double& slope) {
  if (gap == 0) return slope = std::exp(-c);
  const double top = std::exp(-d * c), base = top - d * gap;
  if (!(base > 0)) return slope = 0;
  const double p = std::exp(std::log(base) / d);
  slope = p / base * top;
  return p;
}

// [1 - d (gap + c)]_+^(1/d) and, in `slope`, minus its derivative by c.
double deformed_exp(double gap, double c, double d, double& slope) {
  if (d > 1) return steep_power(gap, c, d, slope);
  const double q = gap + c, base = 1 - d * q;
  if (!(base > 0)) return slope = 0;
  if (d == 0) return slope = std::exp(-q);
  if (d == 1) {
    slope = 1;
    return base;
  }
  if (d == 0.5) {
    slope = base;
    return base * base;
  }
  const double p = std::exp(std::log1p(-d * q) / d);
  slope = p / base;
  return p;
}

struct Total {
  double value, slope;
};
Total total_at(const std::vector<double>& gaps, double c, double d) {
  Total out{0, 0};
  for (const double gap : gaps) {
    double slope;
    out.value += deformed_exp(gap, c, d, slope);
    out.slope += slope;
  }
  return out;
}

// The c at which the powers of these gaps to the largest sum to 1.
double threshold(const std::vector<double>& gaps, double d) {
  // How far c must go for a total of exp(log_n) equal powers to become 1.
  const auto bend = [d](double log_n) {
    return d == 0 || d > 1 ? log_n : -std::expm1(-d * log_n) / d;
  };
  double low = 0, high = bend(std::log(static_cast<double>(gaps.size())));  // all gaps 0
  double c = 0;
  for (int step = 0; step < 200; ++step) {
    const Total total = total_at(gaps, c, d);
    if (total.value == 1) break;
    (total.value > 1 ? low : high) = c;
    // Newton for total^d = 1 (d > 1: log total = 0): convex in c for d <= 1, and straight where all
    // gaps are equal.
    double next = c + total.value * bend(std::log(total.value)) / total.slope;
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (next == c || high - low <= 1e-16 * high) break;
    c = next;
  }
  return c;
}

template <class T>
void entmax_row(const T* x, const bool* may, T* to, Index n, double alpha,
                std::vector<double>& gaps) {
  const double d = alpha - 1;
  double top = -std::numeric_limits<double>::infinity();
  bool any = false, sound = true;
  for (Index i = 0; i < n; ++i) {
    if (may && !may[i]) continue;
    any = true;
    sound = sound && !std::isnan(x[i]);
    top = std::max(top, static_cast<double>(x[i]));
  }
  if (!any || !sound || std::isinf(top)) {
    const T rest = any ? std::numeric_limits<T>::quiet_NaN() : T{0};
    for (Index i = 0; i < n; ++i) to[i] = may && !may[i] ? T{0} : rest;
    return;
  }
  gaps.clear();  // of those that can be in the support
  for (Index i = 0; i < n; ++i) {
    const double gap = top - static_cast<double>(x[i]);
    if ((!may || may[i]) && d * gap < 1) gaps.push_back(gap);
  }
  const double c = threshold(gaps, d);
  const double scale = 1 / total_at(gaps, c, d).value;  // the last bits of c
  for (Index i = 0; i < n; ++i) {
    double slope;
    const double p =
        may && !may[i] ? 0 : deformed_exp(top - static_cast<double>(x[i]), c, d, slope) * scale;
    to[i] = static_cast<T>(p);
  }
}

// (exp(t) - 1 - t) / t^2
double phi(double t) {
  if (std::fabs(t) > 0.03) return (std::expm1(t) - t) / (t * t);
  return 0.5 + t * (1.0 / 6 + t * (1.0 / 24 + t * (1.0 / 120 + t * (1.0 / 720 + t / 5040))));
}

// gx, and gives back galpha.
template <class T>
double entmax_grad_row(const T* g, const T* y, T* gx, Index n, double alpha) {
  const auto weight = [alpha](double p) {
    if (alpha == 2) return std::isnan(p) ? p : 1.0;
    return alpha == 1.5 ? std::sqrt(p) : std::pow(p, 2 - alpha);
  };
  double weights = 0, weighted = 0;
  for (Index i = 0; i < n; ++i) {
    if (y[i] == 0) continue;
    const double s = weight(static_cast<double>(y[i]));
    weights += s;
    weighted += s * static_cast<double>(g[i]);
  }
  const double middle = weights == 0 ? 0 : weighted / weights;
  double galpha = 0;
  for (Index i = 0; i < n; ++i) {
    gx[i] = 0;
    if (y[i] == 0) continue;
    const double p = static_cast<double>(y[i]);
    const double e = static_cast<double>(g[i]) - middle;
    const double log_p = std::log(p);
    gx[i] = static_cast<T>(weight(p) * e);
    galpha -= e * p * log_p * log_p * phi((1 - alpha) * log_p);
  }
  return galpha;
}

Shape one_a_row(const Shape& shape, Index axis) {
  Shape out = shape;
  out[axis] = 1;
  return out;
}

// One number a row, in the order of the rows.
Array alpha_rows(const char* op, const Array& alpha, const Array& x, Index axis) {
  const Shape shape = one_a_row(x.shape(), axis);
  if (alpha.dtype() != x.dtype()) {
    throw DTypeError(
        fmt::format("{}: dtypes differ: x is {}, alpha is {}", op, describe(x), describe(alpha)));
  }
  if (!(broadcast_shapes(op, alpha.shape(), shape) == shape)) {
    throw ShapeError(fmt::format("{}: alpha {} does not broadcast to {}, one a row", op,
                                 describe(alpha), to_string(shape)));
  }
  return with_axis_last(alpha.expand(shape).to(DType::f64), axis);
}

void check_alpha(const char* op, const Array& alpha) {
  for (const double value : alpha.to(DType::f64).to_vector<double>()) {
    if (!(value >= 1 && std::isfinite(value))) {
      throw ValueError(fmt::format("{}: alpha {} is not a number of at least 1", op, value));
    }
  }
}

}  // namespace

Array entmax(const char* op, const Array& x, Index axis, const Array& alpha, const Array& mask) {
  check_floating(op, x.dtype());
  axis = normalize_axis(op, axis, x.rank());
  const Array allowed = mask_rows(op, mask, x, axis);
  const Array alphas = alpha_rows(op, alpha, x, axis);
  check_alpha(op, alpha);
  const Array rows = with_axis_last(x, axis);
  Array out = Array::empty(rows.shape(), x.dtype());
  const Index size = x.shape()[axis];
  if (x.numel() == 0) return out.transpose(axis, -1);
  visit_floating(op, x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = rows.data<T>();
    const bool* may = allowed.defined() ? allowed.data<bool>() : nullptr;
    const double* each = alphas.data<double>();
    T* to = out.mutable_data<T>();
    each_rows(x.numel() / size, size, kCost, [&](Index begin, Index end) {
      std::vector<double> gaps;
      for (Index row = begin; row < end; ++row) {
        const Index at = row * size;
        entmax_row(from + at, may ? may + at : nullptr, to + at, size, each[row], gaps);
      }
    });
  });
  return with_axis_back(out, axis);
}

EntmaxGradients entmax_grad(const Array& g, const Array& y, Index axis, const Array& alpha) {
  axis = normalize_axis("entmax", axis, y.rank());
  const Array alphas = alpha_rows("entmax", alpha, y, axis);
  const Array rows_g = with_axis_last(g, axis);
  const Array rows_y = with_axis_last(y, axis);
  Array gx = Array::empty(rows_y.shape(), y.dtype());
  Array galpha = Array::zeros(alphas.shape(), y.dtype());
  const Index size = y.shape()[axis];
  if (y.numel() == 0) return {gx.transpose(axis, -1), galpha.transpose(axis, -1)};
  visit_floating("entmax", y.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from_g = rows_g.data<T>();
    const T* from_y = rows_y.data<T>();
    const double* each = alphas.data<double>();
    T* to = gx.mutable_data<T>();
    T* to_alpha = galpha.mutable_data<T>();
    each_rows(y.numel() / size, size, kCost, [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        const Index at = row * size;
        to_alpha[row] =
            static_cast<T>(entmax_grad_row(from_g + at, from_y + at, to + at, size, each[row]));
      }
    });
  });
  return {with_axis_back(gx, axis), with_axis_back(galpha, axis)};
}

}  // namespace heed::kernels
