#include "safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "../core/error.h"
#include "../core/json_events.h"
#include "../core/quoted.h"
#include "file.h"
#include "safetensors_header.h"

namespace heed::io {
namespace {

void check_writable(const NamedArrays& arrays) {
  std::unordered_set<std::string_view> names;
  for (const auto& [name, array] : arrays) {
    if (!names.insert(name).second) {
      throw ValueError(fmt::format("safetensors: the name {} is given twice", in_quotes(name)));
    }
    if (name == kMetadataName) {
      throw ValueError(
          fmt::format("safetensors: the name {} is the format's own", in_quotes(name)));
    }
    if (!array.defined()) {
      throw ValueError(fmt::format("safetensors: the array {} is undefined", in_quotes(name)));
    }
  }
}

// How an array is held, where f32 is held as `floats`.
Element held(const Array& array, Element floats) {
  return array.dtype() == DType::f32 ? floats : element_of(array.dtype());
}
std::size_t byte_count(const Array& array, Element floats) {
  return static_cast<std::size_t>(array.numel()) * bytes_of(held(array, floats));
}

}  // namespace

std::string encode_safetensors(const NamedArrays& arrays,
                               const std::map<std::string, std::string>& metadata, Element floats) {
  check_writable(arrays);
  if (dtype_of(floats) != DType::f32) {
    throw ValueError(fmt::format("safetensors: f32 is not held as {}", name(floats)));
  }
  // Wide elements first: then every tensor starts at a multiple of its element's size.
  std::vector<std::size_t> begins(arrays.size());
  std::size_t data_bytes = 0;
  for (const std::size_t width : {8U, 4U, 2U, 1U}) {
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (bytes_of(held(arrays[i].second, floats)) != width) continue;
      begins[i] = data_bytes;
      data_bytes += byte_count(arrays[i].second, floats);
    }
  }

  std::string header = "{";
  const auto add = [&header](const std::string& name, const std::string& value) {
    if (header.size() > 1) header += ',';
    header += json_quote(name) + ':' + value;
  };
  if (!metadata.empty()) {
    std::string texts;
    for (const auto& [key, value] : metadata) {
      if (!texts.empty()) texts += ',';
      texts += json_quote(key) + ':' + json_quote(value);
    }
    add(kMetadataName, '{' + texts + '}');
  }
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto& [name, array] = arrays[i];
    std::string shape;
    for (const Index size : array.shape())
      shape += fmt::format("{}{}", shape.empty() ? "" : ",", size);
    add(name, fmt::format(R"({{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                          io::name(held(array, floats)), shape, begins[i],
                          begins[i] + byte_count(array, floats)));
  }
  header += '}';
  header.resize((header.size() + 7) / 8 * 8, ' ');
  if (header.size() > kMostSafetensorsHeader) {
    throw ValueError(
        fmt::format("safetensors: a header of {} bytes is above the format's limit of {}",
                    header.size(), kMostSafetensorsHeader));
  }

  const std::uint64_t length = header.size();
  std::string out(kSafetensorsLengthBytes + header.size() + data_bytes, '\0');
  std::memcpy(out.data(), &length, kSafetensorsLengthBytes);
  std::memcpy(out.data() + kSafetensorsLengthBytes, header.data(), header.size());
  char* data = out.data() + kSafetensorsLengthBytes + header.size();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Array& array = arrays[i].second;
    encode_elements(held(array, floats), array, data + begins[i]);
  }
  return out;
}

NamedShapes shapes_in_safetensors(std::string_view bytes, const std::string& path) {
  NamedShapes out;
  for (const SafetensorsEntry& entry : read_safetensors_layout(bytes, path).header.entries) {
    out.emplace_back(entry.name, entry.shape);
  }
  return out;
}

Safetensors decode_safetensors(std::string_view bytes, const std::string& path, ReadBf16 bf16) {
  auto [header, data_begin] = read_safetensors_layout(bytes, path);
  Safetensors out;
  out.metadata = std::move(header.metadata);
  for (const SafetensorsEntry& entry : header.entries) {
    out.arrays.emplace_back(entry.name,
                            read_safetensors_entry(entry, bytes, data_begin, path, bf16));
  }
  return out;
}

void write_safetensors(const std::string& path, const NamedArrays& arrays,
                       const std::map<std::string, std::string>& metadata, Element floats) {
  write_file_atomically(path, encode_safetensors(arrays, metadata, floats));
}

Safetensors read_safetensors(const std::string& path, ReadBf16 bf16) {
  return decode_safetensors(read_file(path), path, bf16);
}

}  // namespace heed::io
