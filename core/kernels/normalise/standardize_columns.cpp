#include "standardize_columns.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../parallel.h"
#include "../elementwise/iterate.h"
#include "standardize_columns_simd.h"

namespace heed::kernels {
namespace {

// Rows in pieces that stay in cache, cut by shape alone.
struct Pieces {
  Index rows, columns, height, count;

  Pieces(Index r, Index c) : rows(r), columns(c) {
    constexpr Index kLowest = 16, kMost = 64;
    height = std::max({kLowest, 2 * kGrain / columns, (rows - 1) / kMost + 1});
    count = (rows - 1) / height + 1;
  }
  Index height_of(Index piece) const { return std::min(height, rows - piece * height); }

  // body(piece, the offset of its first element, its rows)
  template <class Body>
  void each(const Body& body) const {
    parallel_for(count, 1, [&](Index begin, Index end) {
      for (Index p = begin; p < end; ++p) body(p, p * height * columns, height_of(p));
    });
  }
};

template <class T>
std::vector<T> filled(const Array& array, Index columns, T otherwise) {
  if (!array.defined()) return std::vector<T>(static_cast<std::size_t>(columns), otherwise);
  const Array dense = array.contiguous();
  return std::vector<T>(dense.data<T>(), dense.data<T>() + columns);
}

// A pair of numbers for each column, from each piece: [count, 2, columns].
class Parts {
 public:
  explicit Parts(const Pieces& pieces)
      : columns_(pieces.columns),
        numbers_(Array::empty(Shape{pieces.count, 2, pieces.columns}, DType::f64)) {}
  double* first(Index piece) { return numbers_.mutable_data<double>() + 2 * piece * columns_; }
  double* second(Index piece) { return first(piece) + columns_; }

 private:
  Index columns_;
  Array numbers_;
};

}  // namespace

ColumnMoments column_moments(const Array& x, Index columns) {
  const Pieces pieces(x.numel() / columns, columns);
  Parts parts(pieces);
  visit_floating("standardize", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = x.data<T>();
    pieces.each([&](Index p, Index at, Index rows) {
      simd::standardize_columns<T>().moments(from + at, rows, columns, parts.first(p),
                                             parts.second(p));
    });
  });
  const auto count = static_cast<double>(pieces.rows);
  ColumnMoments out{std::vector<double>(static_cast<std::size_t>(columns)),
                    std::vector<double>(static_cast<std::size_t>(columns))};
  auto& [means, variances] = out;
  for (std::size_t c = 0; c < means.size(); ++c) {
    means[c] = parts.first(0)[c];
    variances[c] = parts.second(0)[c] / count;
  }
  for (Index p = 1; p < pieces.count; ++p) {
    const auto before = static_cast<double>(p * pieces.height);
    const auto height = static_cast<double>(pieces.height_of(p));
    const double share = height / (before + height);
    for (std::size_t c = 0; c < means.size(); ++c) {
      const double mean = parts.first(p)[c], away = mean - means[c];
      variances[c] += (parts.second(p)[c] + share * before * away * away) / count;
      // Of equal numbers that number; where one is infinite, so is the mean.
      means[c] =
          std::isfinite(away) ? means[c] + share * away : (1 - share) * means[c] + share * mean;
    }
  }
  return out;
}

Standardized standardize_columns(const Array& x, const Array& weight, const Array& bias,
                                 Index columns, double eps) {
  Standardized out{Array::empty(x.shape(), x.dtype()), Array::zeros({columns}, x.dtype()),
                   Array::zeros({columns}, x.dtype())};
  if (x.numel() == 0) return out;
  const Array dense = x.contiguous();
  const Pieces pieces(x.numel() / columns, columns);
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
  const Pieces pieces(x.numel() / columns, columns);
  visit_floating("standardize", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *from_g = dense_g.data<T>(), *from_x = dense_x.data<T>();
    const T *middles = mean.data<T>(), *variances = variance.data<T>();
    Parts parts(pieces);
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
