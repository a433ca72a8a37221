// The loop that measures what the processor's multiply-adds can do: as many independent sums in
// registers as hide their latency, nothing read or written.
#pragma once

namespace bench::fma {

inline constexpr long kRounds = 4'000'000;  // of kSums sums of a vector each
inline constexpr int kSums = 12;

}  // namespace bench::fma
