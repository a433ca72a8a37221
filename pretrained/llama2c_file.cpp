#include "llama2c_file.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "../io/byte_cursor.h"
#include "../io/file.h"

namespace heed::pretrained {
namespace {

// Sizes that are read, and whether the head's matrix is the embedding's.
bool read_sizes(io::ByteCursor& file, Llama2cFile& out) {
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
  io::ByteCursor file(content, path);
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

void write_llama2c_file(const std::string& path, const Llama2cFile& file) {
  std::string out;
  const auto put = [&](const auto& number) {
    out.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  const Index words = file.head.defined() ? -file.vocabulary : file.vocabulary;
  for (const Index size :
       {file.width, file.hidden, file.layers, file.heads, file.kv_heads, words, file.context}) {
    put(static_cast<std::int32_t>(size));
  }
  const auto put_all = [&](const Array& block) {
    if (!block.defined()) return;
    const Array dense = block.to(DType::f32).contiguous();
    out.append(reinterpret_cast<const char*>(dense.data<float>()),
               static_cast<std::size_t>(dense.numel()) * sizeof(float));
  };
  for (const Array* block : {&file.embedding, &file.norm1, &file.wq, &file.wk, &file.wv, &file.wo,
                             &file.norm2, &file.w1, &file.w2, &file.w3, &file.norm}) {
    put_all(*block);
  }
  const Index head = file.width / file.heads;
  for (double (*function)(double) :
       {+[](double x) { return std::cos(x); }, +[](double x) { return std::sin(x); }}) {
    for (Index place = 0; place < file.context; ++place) {
      for (Index i = 0; i < head; i += 2) {
        const double rate = std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(head));
        put(static_cast<float>(function(static_cast<double>(place) * rate)));
      }
    }
  }
  put_all(file.head);
  io::write_file_atomically(path, out);
}

}  // namespace heed::pretrained
