// The row decode, which has no peer: with a cache of keys and values a step must cost in proportion
// to the steps before it, where reading all again costs their square.
#pragma once

namespace bench::decode {

inline constexpr const char* kName = "decode";

/// Runs decoding from an empty cache to several lengths, and prints what a step costs on the way.
void measure(int threads, int repeats);

}  // namespace bench::decode
