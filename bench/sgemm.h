// The product that measures the machine: [n, n] by [n, n].
#pragma once

namespace bench::sgemm {

inline constexpr int kSize = 2048;
constexpr double flops() { return 2.0 * kSize * kSize * kSize; }

}  // namespace bench::sgemm
