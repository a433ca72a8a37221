#include "clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/error.h"
#include "../core/parallel.h"
#include "gradient_runs.h"

namespace heed::optim {
namespace {

constexpr Index kGrain = 16384;

// The numbers that a parameter's gradient holds, contiguous, free to be written; undefined without
// any.
Array numbers_of(Tensor parameter) {
  const Tensor gradient = parameter.grad();
  if (!gradient.defined()) return {};
  if (gradient.is_sparse()) return gradient.sparse_rows().values;
  if (!gradient.array().is_contiguous()) parameter.set_grad(gradient.array().clone());
  return parameter.grad().array();
}

std::vector<Array> gradients_of(const char* op, const std::vector<Tensor>& parameters) {
  for (const Tensor& parameter : parameters) check_gradient(op, parameter);
  std::vector<Array> out;
  for (const Tensor& parameter : parameters) {
    Array numbers = numbers_of(parameter);
    if (numbers.defined()) out.push_back(std::move(numbers));
  }
  return out;
}

// Sum of f(|x|), in eight lanes a chunk so that it is fast, in fixed order so that bits are fixed.
template <class T, class F>
double sum_of(const T* x, Index n, const F& f) {
  double lanes[8] = {};
  Index i = 0;
  for (; i + 8 <= n; i += 8) {
    for (Index k = 0; k < 8; ++k) lanes[k] += f(std::fabs(static_cast<double>(x[i + k])));
  }
  for (; i < n; ++i) lanes[0] += f(std::fabs(static_cast<double>(x[i])));
  double total = 0;
  for (const double lane : lanes) total += lane;
  return total;
}

template <class T>
double largest(const T* x, Index n) {
  double most = 0;
  for (Index i = 0; i < n; ++i) {
    const double size = std::fabs(static_cast<double>(x[i]));
    if (size > most || std::isnan(size)) most = size;
    if (std::isnan(most)) break;
  }
  return most;
}

// What one chunk brings to the norm: its largest, or its sum of powers.
template <class T>
double part(const T* x, Index n, double order) {
  if (std::isinf(order)) return largest(x, n);
  if (order == 2) return sum_of(x, n, [](double a) { return a * a; });
  if (order == 1) return sum_of(x, n, [](double a) { return a; });
  return sum_of(x, n, [order](double a) { return std::pow(a, order); });
}

double norm_of(const std::vector<Array>& gradients, double order) {
  double total = 0;
  for (const Array& gradient : gradients) {
    const Index n = gradient.numel();
    std::vector<double> parts(static_cast<std::size_t>((n + kGrain - 1) / kGrain));
    visit_floating("clip_grad_norm", gradient.dtype(), [&](auto zero) {
      const auto* x = gradient.data<decltype(zero)>();
      parallel_for(n, kGrain, [&](Index begin, Index end) {
        parts[static_cast<std::size_t>(begin / kGrain)] = part(x + begin, end - begin, order);
      });
    });
    for (const double one : parts) {
      if (!std::isinf(order)) {
        total += one;
      } else if (!std::isnan(total) && !(one <= total)) {
        total = one;  // NaN wins
      }
    }
  }
  return std::isinf(order) ? total : order == 2 ? std::sqrt(total) : std::pow(total, 1 / order);
}

template <class F>
void rewrite(std::vector<Array>& gradients, const F& f) {
  for (Array& gradient : gradients) {
    visit_floating("clip_grad_value", gradient.dtype(), [&](auto zero) {
      using T = decltype(zero);
      T* x = gradient.mutable_data<T>();
      parallel_for(gradient.numel(), kGrain, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) x[i] = f(x[i]);
      });
    });
    gradient.bump_version();
  }
}

}  // namespace

double clip_grad_norm(const std::vector<Tensor>& parameters, double max_norm, double norm_type,
                      bool error_if_nonfinite) {
  if (!(max_norm >= 0)) {
    throw ValueError(fmt::format("clip_grad_norm: max_norm {} is negative", max_norm));
  }
  if (!(norm_type > 0)) {
    throw ValueError(fmt::format("clip_grad_norm: norm_type {} is not positive", norm_type));
  }
  std::vector<Array> gradients = gradients_of("clip_grad_norm", parameters);
  const double norm = norm_of(gradients, norm_type);
  if (error_if_nonfinite && !std::isfinite(norm)) {
    throw ValueError(fmt::format("clip_grad_norm: the norm is {}", norm));
  }
  const double factor = max_norm / (norm + 1e-6);
  if (factor >= 1) return norm;  // not so for NaN
  rewrite(gradients, [&](auto x) { return x * static_cast<decltype(x)>(factor); });
  return norm;
}

void clip_grad_value(const std::vector<Tensor>& parameters, double limit) {
  if (!(limit >= 0)) throw ValueError(fmt::format("clip_grad_value: limit {} is negative", limit));
  std::vector<Array> gradients = gradients_of("clip_grad_value", parameters);
  rewrite(gradients, [&](auto x) {
    const auto most = static_cast<decltype(x)>(limit);
    return std::isnan(x) ? x : std::clamp(x, -most, most);
  });
}

}  // namespace heed::optim
