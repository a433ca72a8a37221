// The row local, which has no peer: attention in a window must cost in proportion to T x window,
// where full attention costs T x T.
#pragma once

namespace bench::local {

inline constexpr const char* kName = "local";

/// Runs local and full attention in turns at several lengths and prints both.
void measure(int threads, int repeats);

}  // namespace bench::local
