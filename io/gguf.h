// GGUF, versions 2 and 3: the models of llama.cpp, as sizes, settings and tensors in one file.
// Format: ggml's docs/gguf.md.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "safetensors.h"

namespace heed::io {

struct GgufFile {
  using Value =
      std::variant<bool, std::int64_t, double, std::string, std::vector<bool>,
                   std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>>;
  std::map<std::string, Value> metadata;  ///< "general.architecture", "llama.block_count", ..
  /// Shapes as here, the last axis running fastest: what the file lists the other way round.
  NamedArrays arrays;
};

/// F32, F16, BF16, F64, integers; of quantised ones Q4_0 and Q8_0, which become f32 (32 numbers
/// share a scale). Strict: throws FormatError in `path`'s name for anything that breaks the format,
/// for other types of tensors by name, for tensors that overlap or lie outside, lists of lists, and
/// a key or a tensor that is there twice. Memory follows the size of `bytes`.
GgufFile decode_gguf(std::string_view bytes, const std::string& path);
/// Throws also IoError.
GgufFile read_gguf(const std::string& path);

}  // namespace heed::io
