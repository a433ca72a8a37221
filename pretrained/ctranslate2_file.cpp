#include "ctranslate2_file.h"

#include <fmt/format.h>

#include <cstdint>

#include "../core/quoted.h"
#include "../io/byte_cursor.h"
#include "../io/file.h"

namespace heed::pretrained {
namespace {

std::string read_string(io::ByteCursor& file) {
  const auto length = file.number<std::uint16_t>("a string's length");
  std::string out(file.take(length, "a string"));
  if (out.empty() || out.back() != '\0') file.fail("a string without its final zero");
  out.pop_back();
  return out;
}

}  // namespace

CTranslate2Variables read_ctranslate2_file(const std::string& path) {
  const std::string content = io::read_file(path);
  io::ByteCursor file(content, path);
  if (const auto version = file.number<std::uint32_t>("the version"); version != 2) {
    file.fail(fmt::format("ctranslate2: version {}, not 2", version));
  }
  const std::string kind = read_string(file);
  if (kind != "TransformerBase" && kind != "TransformerBig") {
    file.fail("ctranslate2: a " + in_quotes(kind) + ", not a TransformerBase");
  }
  file.number<std::uint32_t>("the revision");
  CTranslate2Variables out;
  const auto count = file.number<std::uint32_t>("the number of variables");
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string name = read_string(file), quoted = in_quotes(name);
    const auto rank = file.number<std::uint8_t>("a rank");
    if (rank > 2) file.fail(fmt::format("{}: {} axes", quoted, rank));
    Shape shape;
    for (int axis = 0; axis < rank; ++axis) {
      shape.push_back(file.number<std::uint32_t>("a shape"));
    }
    const auto bytes = file.number<std::uint8_t>("an element's size");
    const auto elements = file.number<std::uint32_t>("the number of elements");
    if (bytes != sizeof(float)) {
      file.fail(fmt::format("{}: elements of {} bytes, not f32", quoted, bytes));
    }
    const Index rows = rank > 0 ? shape[0] : 1, columns = rank > 1 ? shape[1] : 1;
    if (columns > 0 ? rows != elements / columns || elements % columns != 0 : elements != 0) {
      file.fail(fmt::format("{}: {} elements for {}", quoted, elements, to_string(shape)));
    }
    if (!out.emplace(name, file.floats(shape, quoted)).second)
      file.fail(quoted + " is there twice");
  }
  if (file.left() != 0) file.fail(fmt::format("ctranslate2: {} bytes too many", file.left()));
  return out;
}

}  // namespace heed::pretrained
