// mark_of(): a number of what data holds, which is another one for other data but by chance
// (core/fnv.h): processes that share a training compare it, where sending the data would take long.
//
//   mark_of(tokens)                                     // numbers, texts, vectors of them
//   mark_of(pairs, &Example::source, &Example::target)  // of each item its parts
#pragma once

#include <cstdint>
#include <functional>
#include <ranges>
#include <span>
#include <type_traits>

#include "../core/fnv.h"

namespace heed::data {

namespace detail {

// What is in a range stands behind how much it is: {"ab", "c"} is not {"a", "bc"}.
template <class T>
void add_contents(Fnv& out, const T& x) {
  if constexpr (std::ranges::range<const T>) {
    add_contents(out, static_cast<std::int64_t>(std::ranges::distance(x)));
    if constexpr (std::ranges::contiguous_range<const T>) {
      if constexpr (std::is_arithmetic_v<std::ranges::range_value_t<const T>>) {
        out.add(std::as_bytes(std::span(std::ranges::data(x), std::ranges::size(x))));
        return;
      }
    }
    for (const auto& each : x) add_contents(out, each);
  } else {
    static_assert(std::is_arithmetic_v<T>, "mark_of: name the parts of what is no number or text");
    out.add(std::as_bytes(std::span(&x, 1)));
  }
}

}  // namespace detail

/// Of items: numbers, or ranges of them in ranges of any depth; others by their parts, members or
/// functions.
template <class Items, class... Parts>
std::uint64_t mark_of(const Items& items, const Parts&... parts) {
  Fnv out;
  if constexpr (sizeof...(Parts) == 0) {
    detail::add_contents(out, items);
  } else {
    for (const auto& each : items) (detail::add_contents(out, std::invoke(parts, each)), ...);
  }
  return out.sum();
}

}  // namespace heed::data
