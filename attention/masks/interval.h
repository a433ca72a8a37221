// What a rule of places is called with: a place, or an interval of places, of which a comparison is
// true, false or either. Both divide as the blocks of a mask do: rounded down, with a remainder
// that is not negative.
#pragma once

#include <algorithm>
#include <concepts>
#include <limits>

#include "../../core/shape.h"

namespace heed::attention {

/// One place, or what follows from places by whole numbers.
struct Place {
  Index value = 0;

  constexpr Place(Index number) : value(number) {}
  /// Places are whole numbers: `2 * k <= q`, not `k <= 0.5 * q`.
  template <std::floating_point F>
  constexpr Place(F) = delete;
  explicit constexpr operator Index() const { return value; }

  friend constexpr Place operator+(Place a, Place b) { return a.value + b.value; }
  friend constexpr Place operator-(Place a, Place b) { return a.value - b.value; }
  friend constexpr Place operator*(Place a, Place b) { return a.value * b.value; }
  friend constexpr Place operator-(Place a) { return -a.value; }
  /// 0 by 0.
  friend constexpr Place operator/(Place a, Place b) {
    if (b.value == 0) return 0;
    const Index quotient = a.value / b.value;
    return quotient - (a.value % b.value != 0 && (a.value < 0) != (b.value < 0) ? 1 : 0);
  }
  friend constexpr Place operator%(Place a, Place b) { return a - a / b * b; }
  friend constexpr Place abs(Place a) { return a.value < 0 ? -a.value : a.value; }
  friend constexpr Place min(Place a, Place b) { return std::min(a.value, b.value); }
  friend constexpr Place max(Place a, Place b) { return std::max(a.value, b.value); }

  friend constexpr bool operator==(Place a, Place b) { return a.value == b.value; }
  friend constexpr bool operator!=(Place a, Place b) { return a.value != b.value; }
  friend constexpr bool operator<(Place a, Place b) { return a.value < b.value; }
  friend constexpr bool operator<=(Place a, Place b) { return a.value <= b.value; }
  friend constexpr bool operator>(Place a, Place b) { return a.value > b.value; }
  friend constexpr bool operator>=(Place a, Place b) { return a.value >= b.value; }
};

/// What a condition is of all places of a block: true of them, false, or either.
struct Truth {
  bool may_hold = true, may_fail = true;

  constexpr Truth(bool holds) : may_hold(holds), may_fail(!holds) {}
  constexpr Truth(bool hold, bool fail) : may_hold(hold), may_fail(fail) {}

  friend constexpr Truth operator!(Truth a) { return {a.may_fail, a.may_hold}; }
  friend constexpr Truth operator&&(Truth a, Truth b) {
    return {a.may_hold && b.may_hold, a.may_fail || b.may_fail};
  }
  friend constexpr Truth operator||(Truth a, Truth b) {
    return {a.may_hold || b.may_hold, a.may_fail && b.may_fail};
  }
  friend constexpr Truth operator&(Truth a, Truth b) { return a && b; }
  friend constexpr Truth operator|(Truth a, Truth b) { return a || b; }
  friend constexpr Truth operator==(Truth a, Truth b) {
    return {(a.may_hold && b.may_hold) || (a.may_fail && b.may_fail),
            (a.may_hold && b.may_fail) || (a.may_fail && b.may_hold)};
  }
  friend constexpr Truth operator!=(Truth a, Truth b) { return !(a == b); }
};

/// The numbers low .. high, both included. What is too large to be said is all numbers.
struct Interval {
  static constexpr Index kLeast = std::numeric_limits<Index>::min();
  static constexpr Index kMost = std::numeric_limits<Index>::max();

  Index low = kLeast, high = kMost;

  constexpr Interval(Index number) : low(number), high(number) {}
  template <std::floating_point F>
  constexpr Interval(F) = delete;
  constexpr Interval(Index least, Index most) : low(least), high(most) {}
  static constexpr Interval all() { return {kLeast, kMost}; }
  constexpr bool is_one() const { return low == high; }

  friend Interval operator+(const Interval& a, const Interval& b) {
    Interval out = all();
    const bool too_large = a.unknown() || b.unknown() ||
                           __builtin_add_overflow(a.low, b.low, &out.low) ||
                           __builtin_add_overflow(a.high, b.high, &out.high);
    return too_large ? all() : out;
  }
  friend Interval operator-(const Interval& a) {
    return a.low == kLeast ? all() : Interval(-a.high, -a.low);
  }
  friend Interval operator-(const Interval& a, const Interval& b) { return a + -b; }
  friend Interval operator*(const Interval& a, const Interval& b) {
    if (a.unknown() || b.unknown()) return all();
    Interval out(kMost, kLeast);
    for (const Index x : {a.low, a.high}) {
      for (const Index y : {b.low, b.high}) {
        Index product = 0;
        if (__builtin_mul_overflow(x, y, &product)) return all();
        out = {std::min(out.low, product), std::max(out.high, product)};
      }
    }
    return out;
  }
  friend Interval operator/(const Interval& a, const Interval& b) {
    if (a.unknown() || b.unknown() || (b.low <= 0 && b.high >= 0)) return all();
    Interval out(kMost, kLeast);
    for (const Index x : {a.low, a.high}) {
      for (const Index y : {b.low, b.high}) {
        const Index quotient = (Place(x) / Place(y)).value;
        out = {std::min(out.low, quotient), std::max(out.high, quotient)};
      }
    }
    return out;
  }
  friend Interval operator%(const Interval& a, const Interval& b) {
    if (!b.is_one() || b.low <= 0) return all();
    const Interval whole = a / b;
    if (whole.is_one()) return a - whole * b;
    return {0, b.low - 1};
  }
  friend Interval abs(const Interval& a) {
    if (a.low >= 0) return a;
    if (a.unknown()) return all();
    return a.high <= 0 ? -a : Interval(0, std::max(-a.low, a.high));
  }
  friend Interval min(const Interval& a, const Interval& b) {
    return {std::min(a.low, b.low), std::min(a.high, b.high)};
  }
  friend Interval max(const Interval& a, const Interval& b) {
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
  }

  friend Truth operator<(const Interval& a, const Interval& b) {
    return {a.low < b.high, a.high >= b.low};
  }
  friend Truth operator>(const Interval& a, const Interval& b) { return b < a; }
  friend Truth operator<=(const Interval& a, const Interval& b) { return !(b < a); }
  friend Truth operator>=(const Interval& a, const Interval& b) { return !(a < b); }
  friend Truth operator==(const Interval& a, const Interval& b) {
    return {a.low <= b.high && b.low <= a.high, !(a.is_one() && b.is_one() && a.low == b.low)};
  }
  friend Truth operator!=(const Interval& a, const Interval& b) { return !(a == b); }

 private:
  constexpr bool unknown() const { return low == kLeast || high == kMost; }
};

}  // namespace heed::attention
