#include "../../../../core/kernels/gemm/gemm_simd.h"

#include <gtest/gtest.h>

namespace heed::kernels::simd {
namespace {

// Whatever a processor has; two panels of B and more.
TEST(GemmSimd, PanelsNearbyFitTheSecondCache) {
  EXPECT_GE(bytes_near(), 1 << 17);
  EXPECT_LE(bytes_near(), 3 << 18);
  const GemmPanels floats = gemm<float>().panels, doubles = gemm<double>().panels;
  EXPECT_GE(bytes_near(), 2 * kTileDepth * floats.columns * 4);
  EXPECT_GE(bytes_near(), 2 * kTileDepth * doubles.columns * 8);
}

}  // namespace
}  // namespace heed::kernels::simd
