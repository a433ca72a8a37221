#include "safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "../core/error.h"
#include "../core/quoted.h"
#include "file.h"
#include "json_events.h"
#include "safetensors_header.h"

namespace heed::io {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeader = 100'000'000;  // the reference implementation's limit

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
  if (header.size() > kMaxHeader) {
    throw ValueError(
        fmt::format("safetensors: a header of {} bytes is above the format's limit of {}",
                    header.size(), kMaxHeader));
  }

  const std::uint64_t length = header.size();
  std::string out(kLengthBytes + header.size() + data_bytes, '\0');
  std::memcpy(out.data(), &length, kLengthBytes);
  std::memcpy(out.data() + kLengthBytes, header.data(), header.size());
  char* data = out.data() + kLengthBytes + header.size();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Array& array = arrays[i].second;
    encode_elements(held(array, floats), array, data + begins[i]);
  }
  return out;
}

namespace {

struct Split {
  SafetensorsHeader header;
  std::uint64_t data_begin;
};

Split split(std::string_view bytes, const std::string& path) {
  std::uint64_t length = 0;
  if (bytes.size() < kLengthBytes) {
    throw FormatError(path, bytes.size(), "the file ends before the header's length");
  }
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMaxHeader || length > bytes.size() - kLengthBytes) {
    throw FormatError(path, 0,
                      fmt::format("a header of {} bytes is claimed, in a file of {}; at most {}",
                                  length, bytes.size(), kMaxHeader));
  }
  const std::string_view text = bytes.substr(kLengthBytes, length);
  if (!text.starts_with('{'))
    throw FormatError(path, kLengthBytes, "the header must begin with '{'");
  const std::uint64_t data_begin = kLengthBytes + length;
  return {read_safetensors_header(text, path, kLengthBytes, bytes.size() - data_begin), data_begin};
}

}  // namespace

NamedShapes shapes_in_safetensors(std::string_view bytes, const std::string& path) {
  NamedShapes out;
  for (const SafetensorsEntry& entry : split(bytes, path).header.entries) {
    out.emplace_back(entry.name, entry.shape);
  }
  return out;
}

Safetensors decode_safetensors(std::string_view bytes, const std::string& path) {
  auto [header, data_begin] = split(bytes, path);
  Safetensors out;
  out.metadata = std::move(header.metadata);
  for (const SafetensorsEntry& entry : header.entries) {
    const std::uint64_t begin = data_begin + static_cast<std::uint64_t>(entry.offsets[0]);
    const auto count = static_cast<std::size_t>(entry.offsets[1] - entry.offsets[0]);
    out.arrays.emplace_back(entry.name,
                            decode_elements(*entry.element, entry.shape, bytes.substr(begin, count),
                                            {path, begin, "tensor " + in_quotes(entry.name)}));
  }
  return out;
}

void write_safetensors(const std::string& path, const NamedArrays& arrays,
                       const std::map<std::string, std::string>& metadata, Element floats) {
  write_file_atomically(path, encode_safetensors(arrays, metadata, floats));
}

Safetensors read_safetensors(const std::string& path) {
  return decode_safetensors(read_file(path), path);
}

}  // namespace heed::io
