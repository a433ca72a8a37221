// The memory behind an Array and its views: one block, a header of 64 bytes in front of the
// numbers; or a header alone, for numbers that another holds (of NumPy, say).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "allocator.h"
#include "ref.h"

namespace heed {

class Loan;

class alignas(kBlockAlignment) Storage : public RefCounted {
 public:
  /// `bytes` uninitialised bytes, aligned to 64. Throws OutOfMemory.
  static Ref<Storage> make(std::size_t bytes);
  /// Around `bytes` bytes that `owner` holds: let_go(owner) is called once, when nobody here has
  /// them any more, and also when this throws OutOfMemory.
  static Ref<Storage> around(std::byte* data, std::size_t bytes, void (*let_go)(void*),
                             void* owner);
  static void destroy(Storage* storage) noexcept;

  std::byte* data() { return data_; }
  std::size_t bytes() const { return bytes_; }

  /// True where another holds the numbers, too, and may write to them.
  bool foreign() const { return release_ != nullptr; }

  /// True while numbers of ours are lent out to somebody who may write to them: see loan.h.
  bool lent() const { return loans_.load(std::memory_order_relaxed) != nullptr; }

  /// Number of writes in place so far.
  std::uint32_t version() const { return version_.load(std::memory_order_relaxed); }
  void bump_version() { version_.store(version() + 1, std::memory_order_relaxed); }

  /// A note, until the next write, that all numbers in it are finite: see kernels::all_finite().
  bool known_finite() const {
    return finite_.load(std::memory_order_relaxed) == version() + 1 && !lent();
  }
  void note_finite() {
    if (!foreign() && !lent()) finite_.store(version() + 1, std::memory_order_relaxed);
  }
  void forget_finite() { finite_.store(0, std::memory_order_relaxed); }

 private:
  explicit Storage(std::size_t bytes)
      : bytes_(bytes), data_(reinterpret_cast<std::byte*>(this + 1)) {}
  Storage(std::byte* data, std::size_t bytes, void (*let_go)(void*), void* owner)
      : bytes_(bytes), data_(data), release_(let_go), owner_(owner) {}
  std::size_t bytes_;
  std::byte* data_;
  void (*release_)(void*) = nullptr;
  void* owner_ = nullptr;
  friend class Loan;
  std::atomic<Loan*> loans_ = nullptr;
  std::atomic<std::uint32_t> version_ = 0;
  std::atomic<std::uint32_t> finite_ = 0;  // the version it was seen at, plus 1
};

}  // namespace heed
