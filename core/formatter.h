// For programs that print with {fmt}: arrays and shapes as their operator<< prints them. Include
// <fmt/format.h> first; the library's headers leave it to those who use it.
//
//   #include <fmt/format.h>
//   #include <heed/autograd/formatter.h>   // which includes this one
//   fmt::print("{}\n", x);
#pragma once

#ifndef FMT_VERSION
#error "include <fmt/format.h> before this header"
#endif

#include "array.h"

namespace heed::detail {

/// Of a T that has a to_string(): fills and widths are those of the text.
template <class T>
struct TextFormatter : fmt::formatter<std::string> {
  template <class Context>
  auto format(const T& value, Context& context) const {
    return fmt::formatter<std::string>::format(to_string(value), context);
  }
};

}  // namespace heed::detail

template <>
struct fmt::formatter<heed::Array> : heed::detail::TextFormatter<heed::Array> {};
template <>
struct fmt::formatter<heed::Dims> : heed::detail::TextFormatter<heed::Dims> {};
