// The header of a safetensors file, read and checked without touching the data. Internal to io.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "../core/dtype.h"
#include "../core/shape.h"

namespace heed::io {

inline constexpr const char* kMetadataName = "__metadata__";

/// A type that a file may hold, and what it becomes in memory.
struct SafetensorsType {
  const char* name;
  std::size_t bytes;
  DType dtype;
};
inline constexpr SafetensorsType kSafetensorsTypes[] = {
    {"F32", 4, DType::f32},      {"F64", 8, DType::f64}, {"I64", 8, DType::i64},
    {"BOOL", 1, DType::boolean}, {"F16", 2, DType::f32}, {"BF16", 2, DType::f32},
    {"I32", 4, DType::i64},
};

struct SafetensorsEntry {
  std::string name;
  const SafetensorsType* type = nullptr;
  Shape shape;
  std::int64_t offsets[2] = {0, 0};  ///< begin and end, from the start of the data
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;
  std::map<std::string, std::string> metadata;
};

/// Reads the JSON `text`, which stands at `offset` of `path`, and checks that the entries cover the
/// `data_bytes` bytes of data exactly, each with as many as its shape asks. Throws FormatError.
SafetensorsHeader read_safetensors_header(std::string_view text, const std::string& path,
                                          std::uint64_t offset, std::uint64_t data_bytes);

}  // namespace heed::io
