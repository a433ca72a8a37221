// Sizes worked out from a user's options: sums and products that throw ShapeError, in the name of
// what asked, where they leave 64 bits or a factor is negative.
//
//   zeros({Checked("MultiHead", width) + 2 * Checked("MultiHead", heads) * D})
#pragma once

#include <concepts>

#include "shape.h"

namespace heed {

class Checked {
 public:
  Checked(const char* op, Index value) : op_(op), value_(value) {}
  operator Index() const { return value_; }

  // Templates, so that no conversion makes the plain operators fit as well.
  template <std::integral I>
  friend Checked operator*(const Checked& a, I b) {
    return a.times(b);
  }
  template <std::integral I>
  friend Checked operator*(I a, const Checked& b) {
    return b.times(a);
  }
  friend Checked operator*(const Checked& a, const Checked& b) { return a.times(b.value_); }
  template <std::integral I>
  friend Checked operator+(const Checked& a, I b) {
    return a.plus(b);
  }
  template <std::integral I>
  friend Checked operator+(I a, const Checked& b) {
    return b.plus(a);
  }
  friend Checked operator+(const Checked& a, const Checked& b) { return a.plus(b.value_); }

 private:
  Checked times(Index factor) const;
  Checked plus(Index term) const;

  const char* op_;
  Index value_;
};

}  // namespace heed
