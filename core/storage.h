// The memory behind an Array and its views: one block, a header of 64 bytes in front of the
// numbers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "allocator.h"
#include "ref.h"

namespace heed {

class alignas(kBlockAlignment) Storage : public RefCounted {
 public:
  /// `bytes` uninitialised bytes, aligned to 64. Throws OutOfMemory.
  static Ref<Storage> make(std::size_t bytes);
  static void destroy(Storage* storage) noexcept;

  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
  std::size_t bytes() const { return bytes_; }

  /// Number of writes in place so far.
  std::uint32_t version() const { return version_; }
  void bump_version() { ++version_; }

  /// A note, until the next write, that all numbers in it are finite: see kernels::all_finite().
  bool known_finite() const { return finite_.load(std::memory_order_relaxed) == version_ + 1; }
  void note_finite() { finite_.store(version_ + 1, std::memory_order_relaxed); }

 private:
  explicit Storage(std::size_t bytes) : bytes_(bytes) {}
  std::size_t bytes_;
  std::uint32_t version_ = 0;
  std::atomic<std::uint32_t> finite_ = 0;  // the version it was seen at, plus 1
};

}  // namespace heed
