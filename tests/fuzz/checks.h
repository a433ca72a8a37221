// What targets assert. A broken promise is an exception that no target catches: libFuzzer takes it
// for a crash, the test suite for a failure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../../core/error.h"
#include "memory.h"

namespace heed::fuzz {

class BrokenPromise : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws BrokenPromise unless it `holds`.
inline void require(bool holds, const char* promise) {
  if (!holds) throw BrokenPromise(promise);
}

/// What a refusal must be: one line of UTF-8 that can be shown, and names the file.
void require_message(const FormatError& error);

/// Memory that reading may take: some for buffers, and so many times the input's bytes.
struct MemoryBound {
  std::size_t fixed, factor;
};

/// Throws BrokenPromise, with the figures, where more was held.
void require_within(const PeakMemory& memory, std::size_t input_bytes, MemoryBound bound);

inline bool is_zstd(std::string_view file) {
  return file.starts_with("\x28\xb5\x2f\xfd") ||
         (file.size() >= 4 && (file[0] & 0xF0) == 0x50 && file.substr(1, 3) == "\x2a\x4d\x18");
}

/// How many bytes a byte of the file stands for at most: gzip packs 1,032 into one, zstd a block of
/// 128 KiB into four.
inline std::size_t unpacked(std::string_view file) {
  if (is_zstd(file)) return std::size_t{1} << 15;
  return file.starts_with("\x1f\x8b") ? 1032 : 1;
}
/// What readers hold besides: buffers, and what zstd looks back on.
inline std::size_t buffers(std::string_view file) {
  return std::size_t{is_zstd(file) ? 10u : 1u} << 20;
}

/// Reads: true where the reader accepts, false where it refuses as promised, with a FormatError
/// of one of these paths. Whatever else it throws goes on to the caller.
template <class Read>
bool accepts(std::initializer_list<std::string_view> paths, std::size_t input_bytes,
             MemoryBound bound, const Read& read) {
  const PeakMemory memory;
  bool accepted = true;
  try {
    read();
  } catch (const FormatError& error) {
    require_message(error);
    require(std::find(paths.begin(), paths.end(), error.path()) != paths.end(),
            "a FormatError carries the path");
    accepted = false;
  }
  require_within(memory, input_bytes, bound);
  return accepted;
}

}  // namespace heed::fuzz
