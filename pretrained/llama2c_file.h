// The files of llama2.c (github.com/karpathy/llama2.c), the first version of its format:
//
//   int32 width, hidden, layers, heads, heads of keys and values, vocabulary, context; then f32:
//   token embedding, attention's norms, wq, wk, wv, wo, the feed-forward parts' norms, w1, w2, w3
//   (each of all layers), the last norm, two tables of rotary positions that nobody needs; the head's
//   matrix where the vocabulary's size is negative
//
// Numbers are little-endian. What a file claims is believed only as far as its bytes go.
#pragma once

#include <string>

#include "../core/array.h"

namespace heed::pretrained {

struct Llama2cFile {
  Index width, hidden, layers, heads, kv_heads, vocabulary, context;
  Array embedding, norm1, wq, wk, wv, wo, norm2, w1, w2, w3, norm;
  Array head;  ///< undefined where it is the embedding
};

/// Throws IoError, FormatError with `path`.
Llama2cFile read_llama2c_file(const std::string& path);
/// Whole or not at all. Throws IoError.
void write_llama2c_file(const std::string& path, const Llama2cFile& file);

}  // namespace heed::pretrained
