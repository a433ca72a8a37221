// Numbers by numbers, where looking up is what the time goes into: open addressing, at most half
// full.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace heed::data::tokenizers {

class NumberMap {
 public:
  /// False where the key is there. The value must be below 2^32 - 1.
  bool insert(std::uint64_t key, std::uint32_t value) {
    if (2 * (size_ + 1) > places_.size()) {
      std::vector<Place> old = std::exchange(places_, std::vector<Place>(2 * places_.size()));
      for (const Place& each : old) {
        if (each.value != kFree) places_[at(each.key)] = each;
      }
    }
    Place& place = places_[at(key)];
    if (place.value != kFree) return false;
    place = {key, value};
    ++size_;
    return true;
  }

  /// Null: not there.
  const std::uint32_t* find(std::uint64_t key) const {
    const Place& place = places_[at(key)];
    return place.value == kFree ? nullptr : &place.value;
  }

 private:
  static constexpr std::uint32_t kFree = UINT32_MAX;
  struct Place {
    std::uint64_t key = 0;
    std::uint32_t value = kFree;
  };
  std::size_t at(std::uint64_t key) const {
    const std::uint64_t mixed = key * 0x9E3779B97F4A7C15u;
    std::size_t out = (mixed ^ mixed >> 32) & (places_.size() - 1);
    while (places_[out].value != kFree && places_[out].key != key)
      out = (out + 1) & (places_.size() - 1);
    return out;
  }

  std::vector<Place> places_ = std::vector<Place>(16);
  std::size_t size_ = 0;
};

}  // namespace heed::data::tokenizers
