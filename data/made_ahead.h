// What was made ahead and waits to be taken, in order. All of its places are there from the start:
// a thread that puts something in needs no memory, which may be what is missing.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace heed::data {

template <class T>
class MadeAhead {
 public:
  /// At most so many.
  explicit MadeAhead(std::size_t most) : places_(most) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Must not be called when it is full.
  void push(T made) { places_[(first_ + size_++) % places_.size()].emplace(std::move(made)); }
  /// The first. Must not be called when it is empty.
  T pop() {
    std::optional<T>& place = places_[first_];
    T out = *std::move(place);
    place.reset();
    first_ = (first_ + 1) % places_.size();
    --size_;
    return out;
  }

 private:
  std::vector<std::optional<T>> places_;
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace heed::data
