#include "llama2c_file.h"

#include <fmt/format.h>

#include <cstdint>

#include "../io/file.h"
#include "byte_cursor.h"

namespace heed::pretrained {
namespace {

// Sizes that are read, and whether the head's matrix is the embedding's.
bool read_sizes(ByteCursor& file, Llama2cFile& out) {
  const auto size = [&](const char* name, Index most) {
    const Index read = file.number<std::int32_t>("its sizes");
    if (read < 1 || read > most) {
      file.fail(fmt::format("llama2.c: {} {}, not 1 to {}", name, read, most));
    }
    return read;
  };
  constexpr Index kMost = 1 << 20;
  out.width = size("width", kMost);
  out.hidden = size("hidden width", kMost);
  out.layers = size("layers", 1 << 12);
  out.heads = size("heads", out.width);
  out.kv_heads = size("heads of keys and values", out.heads);
  const Index vocabulary = file.number<std::int32_t>("its sizes");
  out.vocabulary = vocabulary < 0 ? -vocabulary : vocabulary;
  if (out.vocabulary == 0 || out.vocabulary > kMost) {
    file.fail(fmt::format("llama2.c: a vocabulary of {}", vocabulary));
  }
  out.context = size("context", kMost);
  if (out.width % out.heads != 0 || out.width / out.heads % 2 != 0 ||
      out.heads % out.kv_heads != 0) {
    file.fail(
        fmt::format("llama2.c: {} and {} heads of width {}", out.heads, out.kv_heads, out.width));
  }
  return vocabulary > 0;
}

}  // namespace

Llama2cFile read_llama2c_file(const std::string& path) {
  const std::string content = io::read_file(path);
  ByteCursor file(content, path);
  Llama2cFile out{};
  const bool tied = read_sizes(file, out);
  const Index width = out.width, layers = out.layers, hidden = out.hidden, head = width / out.heads,
              keys = head * out.kv_heads;
  out.embedding = file.floats({out.vocabulary, width}, "the embedding");
  out.norm1 = file.floats({layers, width}, "attention's norms");
  out.wq = file.floats({layers, width, width}, "wq");
  out.wk = file.floats({layers, keys, width}, "wk");
  out.wv = file.floats({layers, keys, width}, "wv");
  out.wo = file.floats({layers, width, width}, "wo");
  out.norm2 = file.floats({layers, width}, "the norms of the feed-forward parts");
  out.w1 = file.floats({layers, hidden, width}, "w1");
  out.w2 = file.floats({layers, width, hidden}, "w2");
  out.w3 = file.floats({layers, hidden, width}, "w3");
  out.norm = file.floats({width}, "the last norm");
  file.floats({2, out.context, head / 2}, "its tables of positions");
  if (!tied) out.head = file.floats({out.vocabulary, width}, "the head");
  if (file.left() != 0) file.fail(fmt::format("llama2.c: {} bytes too many", file.left()));
  return out;
}

}  // namespace heed::pretrained
