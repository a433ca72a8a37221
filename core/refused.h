// Words of other libraries that have another name here: declared, so that the compiler's message is
// one line that says ours, and deleted.
//
//   Tensor fft(const Tensor& x, Say<"there is no Fourier transform"> = {}) = delete;
//   using MultiheadAttention = Refused<"nn::MultiheadAttention is attention::MultiHead">;
#pragma once

#include <cstddef>

namespace heed {

namespace detail {
/// Text as a template argument, which compilers print.
template <std::size_t n>
struct Text {
  char letters[n];
  constexpr Text(const char (&text)[n]) {
    for (std::size_t i = 0; i < n; ++i) letters[i] = text[i];
  }
};
}  // namespace detail

/// The last parameter of a deleted function.
template <detail::Text text>
struct Say {};

/// A class that cannot be made.
template <detail::Text text>
class Refused {
 public:
  template <class... Args>
  explicit Refused(const Args&... args) = delete;
};

}  // namespace heed
