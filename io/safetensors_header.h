// The header of a safetensors file, read and checked without touching the data. Internal to io.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../core/shape.h"
#include "elements.h"

namespace heed::io {

inline constexpr const char* kMetadataName = "__metadata__";

struct SafetensorsEntry {
  std::string name;
  std::optional<Element> element = {};
  Shape shape;
  std::int64_t offsets[2] = {0, 0};  ///< begin and end, from the start of the data
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;
  std::map<std::string, std::string> metadata;
};

inline constexpr std::uint64_t kSafetensorsLengthBytes = 8;
inline constexpr std::uint64_t kMostSafetensorsHeader = 100'000'000;  // the reference's limit

struct SafetensorsLayout {
  SafetensorsHeader header;
  std::uint64_t data_begin;
};
/// Of a whole file. Throws FormatError.
SafetensorsLayout read_safetensors_layout(std::string_view bytes, const std::string& path);
/// An entry's numbers. Throws FormatError.
Array read_safetensors_entry(const SafetensorsEntry& entry, std::string_view bytes,
                             std::uint64_t data_begin, const std::string& path,
                             ReadBf16 bf16 = ReadBf16::as_f32);

/// Reads the JSON `text`, which stands at `offset` of `path`, and checks that the entries cover the
/// `data_bytes` bytes of data exactly, each with as many as its shape asks. Throws FormatError.
SafetensorsHeader read_safetensors_header(std::string_view text, const std::string& path,
                                          std::uint64_t offset, std::uint64_t data_bytes);

}  // namespace heed::io
