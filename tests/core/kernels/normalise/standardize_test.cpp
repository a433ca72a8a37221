#include "../../../../core/kernels/normalise/standardize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../core/generator.h"

namespace heed::kernels {
namespace {

// Every length around some widths of a vector, far from 0, where squares would cancel.
TEST(Standardize, AnyLength) {
  constexpr double kEps = 1e-3;
  Generator generator(7);
  for (const DType dtype : {DType::f32, DType::f64}) {
    const double room = dtype == DType::f32 ? 1e-4 : 1e-12;
    for (Index n = 1; n < 140; ++n) {
      const Array x = generator.normal({3, n}, 30, 2, dtype);
      for (const bool centred : {true, false}) {
        const Standardized out = standardize(
            x, Array(), Array(), {.rows = 3, .length = n, .row_step = n}, kEps, centred);
        const auto from = x.to(DType::f64).to_vector<double>();
        const auto to = out.y.to(DType::f64).to_vector<double>();
        for (Index row = 0; row < 3; ++row) {
          const auto at = [&](Index i) { return static_cast<std::size_t>(row * n + i); };
          const double count = static_cast<double>(n);
          double mean = 0, variance = 0;
          for (Index i = 0; centred && i < n; ++i) mean += from[at(i)] / count;
          for (Index i = 0; i < n; ++i) variance += std::pow(from[at(i)] - mean, 2) / count;
          ASSERT_NEAR(out.mean.select(0, row).item(), mean, 10 * room) << n;
          ASSERT_NEAR(out.variance.select(0, row).item() / (variance + kEps),
                      variance / (variance + kEps), room)
              << n;
          for (Index i = 0; i < n; ++i) {
            ASSERT_NEAR(to[at(i)], (from[at(i)] - mean) / std::sqrt(variance + kEps), 10 * room)
                << n;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace heed::kernels
