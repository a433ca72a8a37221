// The row stream: what it costs to train on text that is larger than memory. A language model of a
// million parameters takes its steps on windows of text that is read, shuffled and coded as it
// goes, from shards, and on the same windows, made before, in turns.
#pragma once

#include <cstdint>

namespace bench::stream {

inline constexpr const char* kName = "stream";
inline constexpr const char* kMemoryName = "stream_memory";
inline constexpr double kTarget = 1.11;  ///< 1 / 0.9: a streamed step over one from memory
inline constexpr double kMostMb = 300;   ///< the process that streams, at its peak
inline constexpr std::int64_t kBytes = 2'000'000'000;

inline constexpr int kShards = 20, kSteps = 50;
inline constexpr std::int64_t kRows = 16, kLength = 64;  // of a batch
inline constexpr std::int64_t kBuffer = 1000;  ///< lines, refilled about every twenty steps
inline constexpr std::int64_t kWords = 2000;
inline constexpr std::int64_t kWidth = 128, kHeads = 4, kInner = 512, kLayers = 3;

struct Result {
  int threads = 0;
  double streamed_ms = 0, memory_ms = 0;  ///< a step
  double peak_mb = 0;
  bool losses_agree = false;

  double ratio() const { return streamed_ms / memory_ms; }
  bool met() const { return losses_agree && ratio() <= kTarget && peak_mb <= kMostMb; }
};

/// Measures and prints; the text of so many bytes is made the first time.
Result measure(int threads, int repeats, std::int64_t bytes);

}  // namespace bench::stream
