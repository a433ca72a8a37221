#include "safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_set>

#include "../core/error.h"
#include "../core/quoted.h"
#include "file.h"
#include "json_events.h"
#include "safetensors_header.h"

namespace heed::io {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little endian");

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeader = 100'000'000;  // the reference implementation's limit
const char* file_name(DType dtype) {
  for (const SafetensorsType& type : kSafetensorsTypes) {
    if (type.dtype == dtype) return type.name;
  }
  return "?";
}

float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1FU;
  const std::uint32_t mantissa = bits & 0x3FFU;
  if (exponent == 0) {  // zero and subnormals: mantissa * 2^-24, exact in f32
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + (127 - 15);
  return std::bit_cast<float>(sign | (wide << 23) | (mantissa << 13));
}

float bfloat_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// `bytes` are the tensor's own, of the right count; `offset` is their place in the file.
Array read_values(const SafetensorsEntry& entry, std::string_view bytes, const std::string& path,
                  std::uint64_t offset) {
  Array out = Array::empty(entry.shape, entry.type->dtype);
  if (bytes.empty()) return out;
  if (entry.type->bytes == 2) {
    const bool half = std::string_view(entry.type->name) == "F16";
    float* to = out.mutable_data<float>();
    for (std::size_t i = 0; i < bytes.size() / 2; ++i) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, bytes.data() + 2 * i, 2);
      to[i] = half ? half_to_float(bits) : bfloat_to_float(bits);
    }
    return out;
  }
  if (entry.type->bytes != size_of(entry.type->dtype)) {  // I32
    std::int64_t* const to = out.mutable_data<std::int64_t>();
    for (std::size_t i = 0; i < bytes.size() / 4; ++i) {
      std::int32_t value = 0;
      std::memcpy(&value, bytes.data() + 4 * i, 4);
      to[i] = value;
    }
    return out;
  }
  if (entry.type->dtype == DType::boolean) {
    const auto bad =
        std::find_if(bytes.begin(), bytes.end(), [](char c) { return c != 0 && c != 1; });
    if (bad != bytes.end()) {
      throw FormatError(path, offset + static_cast<std::uint64_t>(bad - bytes.begin()),
                        fmt::format("tensor {} is BOOL and has a byte other than 0 and 1",
                                    in_quotes(entry.name)));
    }
  }
  std::memcpy(out.mutable_raw(), bytes.data(), bytes.size());
  return out;
}

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

std::size_t byte_count(const Array& array) {
  return static_cast<std::size_t>(array.numel()) * size_of(array.dtype());
}

}  // namespace

std::string encode_safetensors(const NamedArrays& arrays,
                               const std::map<std::string, std::string>& metadata) {
  check_writable(arrays);
  // Wide elements first: then every tensor starts at a multiple of its element's size.
  std::vector<std::size_t> begins(arrays.size());
  std::size_t data_bytes = 0;
  for (const std::size_t width : {std::size_t{8}, std::size_t{4}, std::size_t{1}}) {
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (size_of(arrays[i].second.dtype()) != width) continue;
      begins[i] = data_bytes;
      data_bytes += byte_count(arrays[i].second);
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
    add(name,
        fmt::format(R"({{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                    file_name(array.dtype()), shape, begins[i], begins[i] + byte_count(array)));
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
    const Array dense = arrays[i].second.contiguous();
    if (dense.numel() > 0) std::memcpy(data + begins[i], dense.raw(), byte_count(dense));
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
                            read_values(entry, bytes.substr(begin, count), path, begin));
  }
  return out;
}

void write_safetensors(const std::string& path, const NamedArrays& arrays,
                       const std::map<std::string, std::string>& metadata) {
  write_file_atomically(path, encode_safetensors(arrays, metadata));
}

Safetensors read_safetensors(const std::string& path) {
  return decode_safetensors(read_file(path), path);
}

}  // namespace heed::io
