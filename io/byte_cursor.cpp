#include "byte_cursor.h"

#include <fmt/format.h>

#include "../core/error.h"

namespace heed::io {

std::string_view ByteCursor::take(std::size_t count, std::string_view what) {
  if (left() < count) fail(fmt::format("the file ends within {}", what));
  at_ += count;
  return bytes_.substr(at_ - count, count);
}

Array ByteCursor::floats(const Shape& shape, std::string_view what) {
  const auto count = static_cast<std::size_t>(shape.numel());
  if (count > left() / sizeof(float)) fail(fmt::format("the file ends within {}", what));
  const std::string_view from = take(count * sizeof(float), what);
  Array out = Array::empty(shape, DType::f32);
  std::memcpy(out.mutable_data<float>(), from.data(), from.size());
  return out;
}

void ByteCursor::fail(const std::string& what) const { throw FormatError(path_, at_, what); }

}  // namespace heed::io
