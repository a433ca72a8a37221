// FNV-1a of 64 bits (Fowler, Noll, Vo): tells contents apart that differ by chance. It is no seal:
// who means harm finds other bytes of the same sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace heed {

class Fnv {
 public:
  Fnv& add(std::span<const std::byte> bytes) {
    for (const std::byte each : bytes) {
      sum_ = (sum_ ^ std::to_integer<std::uint64_t>(each)) * 0x100000001b3;
    }
    return *this;
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325;
};

}  // namespace heed
