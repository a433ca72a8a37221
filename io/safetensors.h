// safetensors: named arrays in one file, as PyTorch, JAX and others read and write them.
//
//   8 bytes   N, the header's length, little endian
//   N bytes   JSON: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ...,
//             "__metadata__": {"key": "text"}}, padded with spaces
//   the rest  the numbers, little endian, row-major; offsets count from here, without holes
//
// Format: https://github.com/huggingface/safetensors
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/array.h"
#include "elements.h"

namespace heed::io {

using NamedArrays = std::vector<std::pair<std::string, Array>>;
using NamedShapes = std::vector<std::pair<std::string, Shape>>;

struct Safetensors {
  NamedArrays arrays;  ///< in the order of the header
  std::map<std::string, std::string> metadata;
};

/// The bytes of such a file: F32, F64, BF16, I64, BOOL; the header keeps the order given, the
/// numbers are laid out by element size so that all are aligned. Throws ValueError for a name given
/// twice, the name "__metadata__", an undefined array, or text that is not UTF-8. `floats`, F16 or
/// BF16, halves what f32 takes, and rounds it.
std::string encode_safetensors(const NamedArrays& arrays,
                               const std::map<std::string, std::string>& metadata = {},
                               Element floats = Element::f32);
/// Strict: throws FormatError in `path`'s name for anything that breaks the format, for ranks above
/// kMaxRank and for dtypes we lack; F16 becomes f32, BF16 what `bf16` says, I8 to U64 i64. Memory
/// follows the size of `bytes`, whatever the header claims.
Safetensors decode_safetensors(std::string_view bytes, const std::string& path,
                               ReadBf16 bf16 = ReadBf16::as_f32);

/// What is in the file, by its header alone: the numbers take no memory. Throws FormatError as
/// decode_safetensors().
NamedShapes shapes_in_safetensors(std::string_view bytes, const std::string& path);

/// encode, then write_file_atomically. Throws also IoError.
void write_safetensors(const std::string& path, const NamedArrays& arrays,
                       const std::map<std::string, std::string>& metadata = {},
                       Element floats = Element::f32);
/// read_file, then decode. Throws also IoError.
Safetensors read_safetensors(const std::string& path, ReadBf16 bf16 = ReadBf16::as_f32);

}  // namespace heed::io
