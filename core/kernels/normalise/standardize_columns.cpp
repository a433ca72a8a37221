#include "standardize_columns.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../elementwise/iterate.h"
#include "../reduce/column_moments.h"
#include "../reduce/column_pieces.h"
#include "standardize_columns_simd.h"

namespace heed::kernels {
namespace {

template <class T>
std::vector<T> filled(const Array& array, Index columns, T otherwise) {
  if (!array.defined()) return std::vector<T>(static_cast<std::size_t>(columns), otherwise);
  const Array dense = array.contiguous();
  return std::vector<T>(dense.data<T>(), dense.data<T>() + columns);
}

}  // namespace

Standardized standardize_columns(const Array& x, const Array& weight, const Array& bias,
                                 Index columns, double eps) {
  Standardized out{Array::empty(x.shape(), x.dtype()), Array::zeros({columns}, x.dtype()),
                   Array::zeros({columns}, x.dtype())};
  if (x.numel() == 0) return out;
  const Array dense = x.contiguous();
  const ColumnPieces pieces(x.numel() / columns, columns);
  visit_floating("standardize", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = dense.data<T>();
    const auto [means, variances] = column_moments(dense, columns);
    T* mean = out.mean.mutable_data<T>();
    T* variance = out.variance.mutable_data<T>();
    const auto rounded = [](double v) { return static_cast<T>(v); };
    std::transform(means.begin(), means.end(), mean, rounded);
    std::transform(variances.begin(), variances.end(), variance, rounded);
    std::vector<T> factor = filled<T>(weight, columns, 1);
    const std::vector<T> shift = filled<T>(bias, columns, 0);
    for (Index c = 0; c < columns; ++c) {
      factor[static_cast<std::size_t>(c)] *=
          static_cast<T>(1 / std::sqrt(static_cast<double>(variance[c]) + eps));
    }
    T* to = out.y.mutable_data<T>();
    pieces.each([&](Index, Index at, Index rows) {
      simd::standardize_columns<T>().forward(from + at, rows, columns, mean, factor.data(),
                                             shift.data(), to + at);
    });
  });
  return out;
}

// With z = (x - mean) scale: gx = scale weight (g - sum(g) / n - z sum(g z) / n),
// gweight = sum(g z), gbias = sum(g)
StandardizeGradients standardize_columns_grad(const Array& g, const Array& x, const Array& weight,
                                              const Array& mean, const Array& variance,
                                              double eps) {
  const Index columns = mean.numel();
  StandardizeGradients out{Array::empty(x.shape(), x.dtype()), Array::zeros({columns}, x.dtype()),
                           Array::zeros({columns}, x.dtype())};
  if (x.numel() == 0) return out;
  const Array dense_g = g.contiguous(), dense_x = x.contiguous();
  const ColumnPieces pieces(x.numel() / columns, columns);
  visit_floating("standardize", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *from_g = dense_g.data<T>(), *from_x = dense_x.data<T>();
    const T *middles = mean.data<T>(), *variances = variance.data<T>();
    ColumnParts parts(pieces);
    pieces.each([&](Index p, Index at, Index rows) {
      simd::standardize_columns<T>().sums(from_g + at, from_x + at, rows, columns, middles,
                                          parts.first(p), parts.second(p));
    });
    T* gweight = out.weight.mutable_data<T>();
    T* gbias = out.bias.mutable_data<T>();
    std::vector<T> factor = filled<T>(weight, columns, 1);
    std::vector<T> middle(factor.size()), slope(factor.size());
    const auto count = static_cast<double>(pieces.rows);
    for (Index c = 0; c < columns; ++c) {
      const auto i = static_cast<std::size_t>(c);
      double sum = 0, product = 0;
      for (Index p = 0; p < pieces.count; ++p) {
        sum += parts.first(p)[c];
        product += parts.second(p)[c];
      }
      const double scale = 1 / std::sqrt(static_cast<double>(variances[c]) + eps);
      gweight[c] = static_cast<T>(product * scale);
      gbias[c] = static_cast<T>(sum);
      factor[i] *= static_cast<T>(scale);
      middle[i] = static_cast<T>(sum / count);
      slope[i] = static_cast<T>(static_cast<double>(factor[i]) * scale * scale * product / count);
    }
    T* to = out.x.mutable_data<T>();
    pieces.each([&](Index, Index at, Index rows) {
      simd::standardize_columns<T>().grad(from_g + at, from_x + at, rows, columns, middles,
                                          middle.data(), factor.data(), slope.data(), to + at);
    });
  });
  return out;
}

}  // namespace heed::kernels
