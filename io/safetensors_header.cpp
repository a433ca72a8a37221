#include "safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "../core/error.h"
#include "../core/json_events.h"
#include "../core/quoted.h"

namespace heed::io {
namespace {

// The header, event by event. Depth 1 holds tensor names, depth 2 a tensor's fields (or the
// metadata).
class HeaderReader : public JsonEvents {
 public:
  HeaderReader(const std::string& path, std::uint64_t offset) : JsonEvents(path, offset) {}

  SafetensorsHeader header;

  void on_object_begin() override {
    if (depth_ == 2 || in_array_) unexpected("an object");
    ++depth_;
    if (depth_ == 2 && !in_metadata_) {
      header.entries.emplace_back().name = name_;
      has_shape_ = false;
      offset_count_ = -1;
    }
  }

  void on_object_end() override {
    if (depth_ == 2 && !in_metadata_) {
      if (!entry().element) fail_here("has no dtype");
      if (!has_shape_) fail_here("has no shape");
      if (offset_count_ != 2) fail_here("has no data_offsets");
    }
    field_.clear();
    --depth_;
  }

  void on_key(const std::string& key) override {
    if (depth_ == 1) {
      name_ = key;
      if (!names_.insert(key).second) fail(fmt::format("the name {} stands twice", in_quotes(key)));
      in_metadata_ = key == kMetadataName;
      return;
    }
    field_ = key;
    if (in_metadata_) {
      if (header.metadata.contains(key))
        fail_here(fmt::format("has the key {} twice", in_quotes(key)));
      return;
    }
    const bool again = (key == "dtype" && entry().element) || (key == "shape" && has_shape_) ||
                       (key == "data_offsets" && offset_count_ >= 0);
    if (again) fail_here(fmt::format("has two fields {}", key));
    if (key != "dtype" && key != "shape" && key != "data_offsets") {
      fail_here(fmt::format("has an unknown field {}", in_quotes(key)));
    }
  }

  void on_string(const std::string& value) override {
    if (depth_ != 2 || in_array_) unexpected("a string");
    if (in_metadata_) {
      header.metadata[field_] = value;
      return;
    }
    if (field_ != "dtype") unexpected("a string");
    entry().element = element_named(value);
    if (!entry().element) {
      fail_here(fmt::format(
          "has dtype {}; BOOL, I8 to I64, U8 to U64, F16, BF16, F32 and F64 can be read",
          in_quotes(value)));
    }
  }

  void on_array_begin() override {
    const bool fits = depth_ == 2 && !in_metadata_ && !in_array_;
    if (!fits || (field_ != "shape" && field_ != "data_offsets")) unexpected("an array");
    in_array_ = true;
    if (field_ == "data_offsets") offset_count_ = 0;
  }

  void on_array_end() override {
    in_array_ = false;
    if (field_ == "shape") {
      has_shape_ = true;
    } else if (offset_count_ != 2) {
      fail_here("needs two data_offsets");
    }
  }

  void on_int(std::int64_t value) override {
    if (!in_array_) unexpected("an integer");
    if (value < 0) fail_here(fmt::format("has {} in its {}", value, field_));
    if (field_ == "shape") {
      if (entry().shape.rank() == kMaxRank) {
        fail_here(fmt::format("has a rank above the limit of {}", kMaxRank));
      }
      entry().shape.push_back(value);
    } else {
      if (offset_count_ == 2) fail_here("needs two data_offsets");
      entry().offsets[offset_count_++] = value;
    }
  }

 protected:
  void unexpected(const char* what) const override {
    if (depth_ == 0 || name_.empty()) JsonEvents::unexpected(what);
    fail_here(field_.empty() ? fmt::format("is {}, not an object", what)
                             : fmt::format("has {} in {}", what, in_quotes(field_)));
  }

 private:
  [[noreturn]] void fail_here(const std::string& what) const {
    fail(fmt::format("{} {} {}", in_metadata_ ? "the entry" : "tensor", in_quotes(name_), what));
  }

  SafetensorsEntry& entry() { return header.entries.back(); }

  int depth_ = 0;
  bool in_array_ = false;
  bool in_metadata_ = false;
  bool has_shape_ = false;  // of the entry being read
  int offset_count_ = -1;   // likewise; -1 before its data_offsets
  std::string name_;
  std::string field_;
  std::unordered_set<std::string> names_;
};

// Every byte of the data belongs to exactly one tensor, and each tensor has as many as its shape
// asks.
void check_layout(const HeaderReader& reader, std::uint64_t data_bytes) {
  std::vector<const SafetensorsEntry*> sorted;
  for (const SafetensorsEntry& entry : reader.header.entries) {
    const auto [begin, end] = entry.offsets;
    if (begin > end || static_cast<std::uint64_t>(end) > data_bytes) {
      reader.fail(fmt::format("tensor {} has data_offsets [{}, {}] in {} bytes of data",
                              in_quotes(entry.name), begin, end, data_bytes));
    }
    Index count = 0;
    try {
      count = entry.shape.numel();
    } catch (const ShapeError&) {
      reader.fail(fmt::format("tensor {} has shape {}, whose number of elements overflows",
                              in_quotes(entry.name), to_string(entry.shape)));
    }
    const auto size = static_cast<Index>(bytes_of(*entry.element));
    if ((end - begin) % size != 0 || (end - begin) / size != count) {
      reader.fail(fmt::format("tensor {} has {} bytes for {}{}", in_quotes(entry.name), end - begin,
                              name(*entry.element), to_string(entry.shape)));
    }
    sorted.push_back(&entry);
  }
  std::sort(sorted.begin(), sorted.end(), [](const SafetensorsEntry* a, const SafetensorsEntry* b) {
    return std::pair(a->offsets[0], a->offsets[1]) < std::pair(b->offsets[0], b->offsets[1]);
  });
  std::int64_t covered = 0;
  for (const SafetensorsEntry* entry : sorted) {
    if (entry->offsets[0] != covered) {
      reader.fail(
          fmt::format("tensor {} begins at byte {} of the data, after {} that are taken: {}",
                      in_quotes(entry->name), entry->offsets[0], covered,
                      entry->offsets[0] < covered ? "they overlap" : "a hole"));
    }
    covered = entry->offsets[1];
  }
  if (static_cast<std::uint64_t>(covered) != data_bytes) {
    reader.fail(fmt::format("the tensors take {} of {} bytes of data", covered, data_bytes));
  }
}

}  // namespace

SafetensorsHeader read_safetensors_header(std::string_view text, const std::string& path,
                                          std::uint64_t offset, std::uint64_t data_bytes) {
  HeaderReader reader(path, offset);
  read_json_object(text, reader);
  check_layout(reader, data_bytes);
  return std::move(reader.header);
}

SafetensorsLayout read_safetensors_layout(std::string_view bytes, const std::string& path) {
  std::uint64_t length = 0;
  if (bytes.size() < kSafetensorsLengthBytes) {
    throw FormatError(path, bytes.size(), "the file ends before the header's length");
  }
  std::memcpy(&length, bytes.data(), kSafetensorsLengthBytes);
  if (length > kMostSafetensorsHeader || length > bytes.size() - kSafetensorsLengthBytes) {
    throw FormatError(path, 0,
                      fmt::format("a header of {} bytes is claimed, in a file of {}; at most {}",
                                  length, bytes.size(), kMostSafetensorsHeader));
  }
  const std::string_view text = bytes.substr(kSafetensorsLengthBytes, length);
  if (!text.starts_with('{')) {
    throw FormatError(path, kSafetensorsLengthBytes, "the header must begin with '{'");
  }
  const std::uint64_t data_begin = kSafetensorsLengthBytes + length;
  return {read_safetensors_header(text, path, kSafetensorsLengthBytes, bytes.size() - data_begin),
          data_begin};
}

Array read_safetensors_entry(const SafetensorsEntry& entry, std::string_view bytes,
                             std::uint64_t data_begin, const std::string& path, ReadBf16 bf16) {
  const std::uint64_t begin = data_begin + static_cast<std::uint64_t>(entry.offsets[0]);
  const auto count = static_cast<std::size_t>(entry.offsets[1] - entry.offsets[0]);
  return decode_elements(*entry.element, entry.shape, bytes.substr(begin, count),
                         {path, begin, "tensor " + in_quotes(entry.name)}, false, bf16);
}

}  // namespace heed::io
