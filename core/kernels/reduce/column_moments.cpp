#include "column_moments.h"

#include <cmath>

#include "column_moments_simd.h"
#include "column_pieces.h"

namespace heed::kernels {

ColumnMoments column_moments(const Array& x, Index columns) {
  const ColumnPieces pieces(x.numel() / columns, columns);
  ColumnParts parts(pieces);
  visit_floating("column_moments", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = x.data<T>();
    pieces.each([&](Index p, Index at, Index rows) {
      simd::column_moments<T>().moments(from + at, rows, columns, parts.first(p), parts.second(p));
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

}  // namespace heed::kernels
