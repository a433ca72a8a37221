#include "standardize.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../parallel.h"
#include "../elementwise/iterate.h"
#include "../reduce/reduce_simd.h"
#include "../reduce/variance_simd.h"
#include "standardize_columns.h"
#include "standardize_simd.h"

namespace heed::kernels {
namespace {

constexpr Index kCost = 4;
constexpr Index kMaxPieces = 64;  // each has its own sums for weight and bias

Index row_grain(const RowLayout& layout) {
  const Index size = std::max<Index>(1, layout.segments * layout.length);
  return std::max<Index>(1, kGrain / kCost / size);
}

// Calls body(offset of the elements, offset of the weights) for each segment of a row.
template <class Body>
void each_segment(const RowLayout& layout, Index row, const Body& body) {
  const Index weights = row % layout.period * layout.weight_row_step;
  for (Index s = 0; s < layout.segments; ++s) {
    body(row * layout.row_step + s * layout.segment_step, weights + s * layout.weight_segment_step);
  }
}

template <class T>
struct Moments {
  T mean = 0, variance = 0;
};

// By deviations from a number among them, so that of equal numbers the mean is that number and the
// variance 0; `otherwise` where that is not finite.
template <class T>
Moments<T> moments_far(const T* x, const RowLayout& layout, Index row, Moments<T> otherwise) {
  simd::Spread all;
  each_segment(layout, row, [&](Index at, Index) {
    all.add(simd::variances<T>().spread(x + at, layout.length));
  });
  if (!std::isfinite(all.mean)) return otherwise;
  return {static_cast<T>(all.mean), static_cast<T>(all.squares / all.count)};
}

template <class T>
Moments<T> moments(const T* x, const RowLayout& layout, Index row, bool centred) {
  const auto length = static_cast<std::size_t>(layout.length);
  const auto count = static_cast<double>(layout.segments * layout.length);
  double sum = 0, squares = 0;
  if (centred) {
    each_segment(layout, row,
                 [&](Index at, Index) { sum += simd::reductions<T>().sum(x + at, 1, length); });
  }
  const T mean = static_cast<T>(sum / count);
  each_segment(layout, row, [&](Index at, Index) {
    squares += simd::standardize_runs<T>().squares(x + at, mean, length);
  });
  const Moments<T> found{mean, static_cast<T>(squares / count)};
  return centred && simd::is_far(mean, squares / count) ? moments_far(x, layout, row, found)
                                                        : found;
}

template <class T>
T scale_of(T variance, double eps) {
  return static_cast<T>(1 / std::sqrt(static_cast<double>(variance) + eps));
}

template <class T>
const T* data_or_null(const Array& array) {
  return array.defined() ? array.data<T>() : nullptr;
}

Array dense(const Array& array) { return array.defined() ? array.contiguous() : array; }

template <class T>
class GradientRows {
 public:
  const RowLayout& layout;
  const T *g, *x, *weight, *mean, *variance;
  double eps;
  bool centred;
  T* gx;
  Index weights;

  // gx of rows begin .. end, and adds to the gradients of weight and bias unless they are null.
  void run(Index begin, Index end, double* gweight, double* gbias) const {
    // Those of elements go on in doubles after a few rows.
    constexpr Index kFew = 32;
    const auto size = static_cast<std::size_t>(gweight && layout.many ? weights : 0);
    std::vector<T> few(2 * size, T{0});
    for (Index row = begin; row < end; ++row) {
      run_row(row, gweight, gbias, few.data());
      if (size == 0 || ((row - begin + 1) % kFew != 0 && row + 1 < end)) continue;
      simd::standardize_runs<T>().move(few.data(), gweight, size);
      simd::standardize_runs<T>().move(few.data() + size, gbias, size);
    }
  }

 private:
  void run_row(Index row, double* gweight, double* gbias, T* few) const {
    const auto length = static_cast<std::size_t>(layout.length);
    const simd::Centre<T> centre{mean[row], scale_of(variance[row], eps)};
    double sum = 0, product = 0;
    each_segment(layout, row, [&](Index at, Index w) {
      if (layout.many) {
        simd::standardize_runs<T>().sums(g + at, x + at, centre, weight ? weight + w : nullptr, sum,
                                         product, length);
        if (gweight) {
          simd::standardize_runs<T>().weight_grad(g + at, x + at, centre, few + w,
                                                  few + weights + w, length);
        }
        return;
      }
      double part = 0, part_product = 0;
      simd::standardize_runs<T>().sums(g + at, x + at, centre, nullptr, part, part_product, length);
      if (gweight) {
        gweight[w] += part_product;
        gbias[w] += part;
      }
      sum += (weight ? static_cast<double>(weight[w]) : 1.0) * part;
      product += (weight ? static_cast<double>(weight[w]) : 1.0) * part_product;
    });
    const auto count = static_cast<double>(layout.segments * layout.length);
    const T mean_g = static_cast<T>(centred ? sum / count : 0.0);
    const T slope = static_cast<T>(product / count);
    each_segment(layout, row, [&](Index at, Index w) {
      simd::standardize_runs<T>().grad(g + at, x + at, centre, weight ? weight + w : nullptr,
                                       layout.many, mean_g, slope, gx + at, length);
    });
  }
};

}  // namespace

Standardized standardize(const Array& x, const Array& weight, const Array& bias,
                         const RowLayout& layout, double eps, bool centred) {
  if (layout.down) return standardize_columns(x, weight, bias, layout.rows, eps);
  const Array from = x.contiguous(), w = dense(weight), b = dense(bias);
  Standardized out{Array::empty(x.shape(), x.dtype()), Array::zeros({layout.rows}, x.dtype()),
                   Array::zeros({layout.rows}, x.dtype())};
  if (x.numel() == 0) return out;
  visit_floating("standardize", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* elements = from.data<T>();
    const T *weights = data_or_null<T>(w), *biases = data_or_null<T>(b);
    T* y = out.y.mutable_data<T>();
    T* means = out.mean.mutable_data<T>();
    T* variances = out.variance.mutable_data<T>();
    parallel_for(layout.rows, row_grain(layout), [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        const Moments<T> found = moments(elements, layout, row, centred);
        means[row] = found.mean;
        variances[row] = found.variance;
        const simd::Centre<T> centre{found.mean, scale_of(found.variance, eps)};
        each_segment(layout, row, [&](Index at, Index k) {
          simd::standardize_runs<T>().forward(
              elements + at, centre, weights ? weights + k : nullptr, biases ? biases + k : nullptr,
              layout.many, y + at, static_cast<std::size_t>(layout.length));
        });
      }
    });
  });
  return out;
}

StandardizeGradients standardize_grad(const Array& g, const Array& x, const Array& weight,
                                      const Array& mean, const Array& variance,
                                      const RowLayout& layout, double eps, bool centred,
                                      Index weights) {
  if (layout.down) return standardize_columns_grad(g, x, weight, mean, variance, eps);
  const Array dense_g = g.contiguous(), dense_x = x.contiguous(), w = dense(weight);
  Array gx = Array::empty(x.shape(), x.dtype());
  StandardizeGradients out{gx, {}, {}};
  const Index grain =
      std::max(row_grain(layout), weights == 0 ? 1 : (layout.rows + kMaxPieces - 1) / kMaxPieces);
  const Index pieces = weights == 0 ? 0 : std::max<Index>(1, (layout.rows + grain - 1) / grain);
  Array parts = Array::zeros(Shape{2, pieces, weights}, DType::f64);
  if (x.numel() > 0) {
    visit_floating("standardize", x.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const GradientRows<T> rows{layout,
                                 dense_g.data<T>(),
                                 dense_x.data<T>(),
                                 data_or_null<T>(w),
                                 mean.data<T>(),
                                 variance.data<T>(),
                                 eps,
                                 centred,
                                 gx.mutable_data<T>(),
                                 weights};
      double* sums = weights == 0 ? nullptr : parts.mutable_data<double>();
      parallel_for(layout.rows, grain, [&](Index begin, Index end) {
        double* gweight = sums ? sums + begin / grain * weights : nullptr;
        rows.run(begin, end, gweight, sums ? gweight + pieces * weights : nullptr);
      });
    });
  }
  if (weights == 0) return out;
  const Array summed = reduce(Reduce::sum, parts, {1}, false).to(x.dtype());
  out.weight = summed.select(0, 0);
  out.bias = summed.select(0, 1);
  return out;
}

}  // namespace heed::kernels
