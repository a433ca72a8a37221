// A walk over the bytes of a file of little-endian numbers, strict: what is not there is an error
// that names the place.
#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "../core/array.h"

namespace heed::io {

class ByteCursor {
 public:
  ByteCursor(std::string_view bytes, std::string path) : bytes_(bytes), path_(std::move(path)) {
    static_assert(std::endian::native == std::endian::little);
  }

  /// Throws FormatError, as all do, where the file ends before; `what` says within what.
  template <class T>
  T number(std::string_view what) {
    T out;
    std::memcpy(&out, take(sizeof(T), what).data(), sizeof(T));
    return out;
  }
  std::string_view take(std::size_t count, std::string_view what);
  /// f32 of this shape. Memory is taken once the bytes are known to be there.
  Array floats(const Shape& shape, std::string_view what);
  std::size_t left() const { return bytes_.size() - at_; }
  std::size_t at() const { return at_; }

  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::string_view bytes_;
  std::string path_;
  std::size_t at_ = 0;
};

}  // namespace heed::io
