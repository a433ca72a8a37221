// The rows linear and delta, which have no peer: causal attention over fast weights in chunks,
// forward and backward, must cost in proportion to T, and little beside causal softmax attention.
#pragma once

#include <cstdint>

namespace bench::linear {

inline constexpr const char* kNames[] = {"linear", "delta"};
inline constexpr std::int64_t kSteps[] = {2048, 16384};

/// Runs the row and causal softmax attention in turns and prints both.
void measure(const char* row, int threads, int repeats);

}  // namespace bench::linear
