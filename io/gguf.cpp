#include "gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "../core/error.h"
#include "../core/quoted.h"
#include "byte_cursor.h"
#include "file.h"

namespace heed::io {
namespace {

constexpr Index kBlock = 32;  // numbers that share a scale

// A type of tensors; quantised ones have no element.
struct Type {
  std::uint32_t code;
  const char* name;
  std::optional<Element> element;
  Index block_bytes = 0;
};
const Type kTypes[] = {{0, "F32", Element::f32},  {1, "F16", Element::f16},
                       {2, "Q4_0", {}, 18},       {8, "Q8_0", {}, 34},
                       {24, "I8", Element::i8},   {25, "I16", Element::i16},
                       {26, "I32", Element::i32}, {27, "I64", Element::i64},
                       {28, "F64", Element::f64}, {30, "BF16", Element::bf16}};
// What others are called, for errors.
const std::map<std::uint32_t, const char*> kOthers = {
    {3, "Q4_1"},     {6, "Q5_0"},   {7, "Q5_1"},    {9, "Q8_1"},   {10, "Q2_K"},    {11, "Q3_K"},
    {12, "Q4_K"},    {13, "Q5_K"},  {14, "Q6_K"},   {15, "Q8_K"},  {16, "IQ2_XXS"}, {17, "IQ2_XS"},
    {18, "IQ3_XXS"}, {19, "IQ1_S"}, {20, "IQ4_NL"}, {21, "IQ3_S"}, {22, "IQ2_S"},   {23, "IQ4_XS"},
    {29, "IQ1_M"},   {34, "TQ1_0"}, {35, "TQ2_0"}};

float half(const char* bytes) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes, 2);
  return half_to_float(bits);
}

// A scale, and 32 numbers of 4 bits less 8: the lower ones first, then the upper ones.
void unpack_q4(const char* from, float* to) {
  const float scale = half(from);
  for (Index i = 0; i < kBlock / 2; ++i) {
    const auto both = static_cast<unsigned char>(from[2 + i]);
    to[i] = static_cast<float>((both & 0xF) - 8) * scale;
    to[i + kBlock / 2] = static_cast<float>((both >> 4) - 8) * scale;
  }
}
// A scale, and 32 numbers of 8 bits.
void unpack_q8(const char* from, float* to) {
  const float scale = half(from);
  for (Index i = 0; i < kBlock; ++i)
    to[i] = static_cast<float>(static_cast<signed char>(from[2 + i])) * scale;
}

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& path)
      : bytes_(bytes), path_(path), file_(bytes, path) {}

  GgufFile read() {
    if (file_.take(4, "its head") != "GGUF")
      throw FormatError(path_, 0, "gguf: does not begin as GGUF does");
    const auto version = file_.number<std::uint32_t>("its head");
    if (version != 2 && version != 3) {
      throw FormatError(path_, 4,
                        fmt::format("gguf: version {} is not known; 2 and 3 are", version));
    }
    const auto tensors = count("tensors", 24), keys = count("settings", 13);
    for (std::uint64_t i = 0; i < keys; ++i) {
      const std::string key = text();
      if (!out_.metadata.emplace(key, value(file_.number<std::uint32_t>("a setting"))).second) {
        file_.fail("gguf: " + in_quotes(key) + " is there twice");
      }
    }
    for (std::uint64_t i = 0; i < tensors; ++i) read_entry();
    read_tensors();
    return std::move(out_);
  }

 private:
  struct Entry {
    std::string name;
    Shape shape;
    const Type* type = nullptr;
    std::uint64_t begin = 0, bytes = 0;
  };

  // Of things that take so many bytes at least: no count is believed.
  std::uint64_t count(const char* what, std::uint64_t bytes) {
    const auto out = file_.number<std::uint64_t>(what);
    if (out > file_.left() / bytes) {
      file_.fail(fmt::format("gguf: {} {} in {} bytes", out, what, file_.left()));
    }
    return out;
  }
  std::string text() { return std::string(file_.take(count("bytes of a text", 1), "a text")); }

  GgufFile::Value value(std::uint32_t type) {
    constexpr const char* kWhat = "a setting";
    switch (type) {
      case 0: return std::int64_t{file_.number<std::uint8_t>(kWhat)};
      case 1: return std::int64_t{file_.number<std::int8_t>(kWhat)};
      case 2: return std::int64_t{file_.number<std::uint16_t>(kWhat)};
      case 3: return std::int64_t{file_.number<std::int16_t>(kWhat)};
      case 4: return std::int64_t{file_.number<std::uint32_t>(kWhat)};
      case 5: return std::int64_t{file_.number<std::int32_t>(kWhat)};
      case 6: return static_cast<double>(file_.number<float>(kWhat));
      case 7: {
        const auto truth = file_.number<std::uint8_t>(kWhat);
        if (truth > 1) file_.fail("gguf: a truth that is neither 0 nor 1");
        return truth == 1;
      }
      case 8: return text();
      case 9: return list();
      case 10: {
        const auto out = file_.number<std::uint64_t>(kWhat);
        if (out > static_cast<std::uint64_t>(INT64_MAX))
          file_.fail("gguf: a setting above 2^63 - 1");
        return static_cast<std::int64_t>(out);
      }
      case 11: return file_.number<std::int64_t>(kWhat);
      case 12: return file_.number<double>(kWhat);
      default: file_.fail(fmt::format("gguf: a setting of type {}", type));
    }
  }

  template <class T>
  GgufFile::Value list_of(std::uint32_t type, std::uint64_t size) {
    std::vector<T> out;
    for (std::uint64_t i = 0; i < size; ++i) out.push_back(std::get<T>(value(type)));
    return out;
  }
  GgufFile::Value list() {
    const auto type = file_.number<std::uint32_t>("a list");
    if (type == 9) file_.fail("gguf: a list of lists");
    if (type > 12) file_.fail(fmt::format("gguf: a list of type {}", type));
    const std::uint64_t size = count("items of a list", type == 8 ? 8 : 1);
    if (type == 6 || type == 12) return list_of<double>(type, size);
    if (type == 7) return list_of<bool>(type, size);
    return type == 8 ? list_of<std::string>(type, size) : list_of<std::int64_t>(type, size);
  }

  void read_entry() {
    Entry entry;
    entry.name = text();
    const std::string quoted = in_quotes(entry.name);
    const auto axes = file_.number<std::uint32_t>("a tensor's shape");
    if (axes > kMaxRank)
      file_.fail(fmt::format("gguf: {} has {} axes, more than {}", quoted, axes, kMaxRank));
    std::vector<Index> sizes;
    for (std::uint32_t axis = 0; axis < axes; ++axis) {
      const auto size = file_.number<std::uint64_t>("a tensor's shape");
      if (size > static_cast<std::uint64_t>(INT64_MAX))
        file_.fail("gguf: " + quoted + " has a size above 2^63 - 1");
      sizes.push_back(static_cast<Index>(size));
    }
    for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) entry.shape.push_back(*size);
    const auto code = file_.number<std::uint32_t>("a tensor's type");
    entry.begin = file_.number<std::uint64_t>("a tensor's place");
    const auto found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                    [&](const Type& type) { return type.code == code; });
    if (found == std::end(kTypes)) {
      const auto other = kOthers.find(code);
      file_.fail(fmt::format("gguf: {} is of type {}, which cannot be read", quoted,
                             other == kOthers.end() ? fmt::format("{}", code) : other->second));
    }
    entry.type = found;
    Index numbers = 0, bytes = 0;
    try {
      numbers = entry.shape.numel();
    } catch (const ShapeError&) {
      file_.fail("gguf: " + quoted + " has a number of elements that overflows");
    }
    const bool whole = found->element || (!sizes.empty() && sizes[0] % kBlock == 0);
    const Index units = found->element ? numbers : numbers / kBlock;
    const Index each =
        found->element ? static_cast<Index>(bytes_of(*found->element)) : found->block_bytes;
    if (!whole)
      file_.fail(fmt::format("gguf: {} has rows that are no multiple of {}", quoted, kBlock));
    if (__builtin_mul_overflow(units, each, &bytes)) {
      file_.fail("gguf: " + quoted + " has a number of bytes that overflows");
    }
    entry.bytes = static_cast<std::uint64_t>(bytes);
    if (!names_.insert(entry.name).second) file_.fail("gguf: " + quoted + " is there twice");
    entries_.push_back(std::move(entry));
  }

  std::uint64_t alignment() const {
    const auto found = out_.metadata.find("general.alignment");
    if (found == out_.metadata.end()) return 32;
    const auto* const given = std::get_if<std::int64_t>(&found->second);
    if (given == nullptr || *given < 1 || *given > (std::int64_t{1} << 30) ||
        !std::has_single_bit(static_cast<std::uint64_t>(*given))) {
      file_.fail("gguf: general.alignment must be a power of two");
    }
    return static_cast<std::uint64_t>(*given);
  }

  void read_tensors() {
    const std::uint64_t aligned = alignment();
    const std::uint64_t data = (file_.at() + aligned - 1) / aligned * aligned;
    std::vector<const Entry*> in_order;
    for (const Entry& entry : entries_) {
      const std::uint64_t room = bytes_.size() - std::min<std::uint64_t>(bytes_.size(), data);
      if (entry.begin % aligned != 0 || entry.begin > room || entry.bytes > room - entry.begin) {
        file_.fail(fmt::format("gguf: {} lies outside of the file, or not at a multiple of {}",
                               in_quotes(entry.name), aligned));
      }
      if (entry.bytes > 0) in_order.push_back(&entry);
    }
    std::sort(in_order.begin(), in_order.end(),
              [](const Entry* a, const Entry* b) { return a->begin < b->begin; });
    for (std::size_t i = 1; i < in_order.size(); ++i) {
      if (in_order[i]->begin - in_order[i - 1]->begin < in_order[i - 1]->bytes) {
        file_.fail(fmt::format("gguf: {} and {} overlap", in_quotes(in_order[i - 1]->name),
                               in_quotes(in_order[i]->name)));
      }
    }
    for (const Entry& entry : entries_) out_.arrays.emplace_back(entry.name, tensor(entry, data));
  }

  Array tensor(const Entry& entry, std::uint64_t data) const {
    const std::string_view bytes =
        entry.bytes > 0 ? bytes_.substr(data + entry.begin, entry.bytes) : std::string_view();
    if (entry.type->element) {
      return decode_elements(*entry.type->element, entry.shape, bytes,
                             {path_, data + entry.begin, "tensor " + in_quotes(entry.name)});
    }
    Array out = Array::empty(entry.shape, DType::f32);
    float* const to = out.mutable_data<float>();
    const auto unpack = entry.type->block_bytes == 18 ? unpack_q4 : unpack_q8;
    for (Index block = 0; block < out.numel() / kBlock; ++block) {
      unpack(bytes.data() + block * entry.type->block_bytes, to + block * kBlock);
    }
    return out;
  }

  std::string_view bytes_;
  const std::string& path_;
  ByteCursor file_;
  std::vector<Entry> entries_;
  std::set<std::string> names_;
  GgufFile out_;
};

}  // namespace

GgufFile decode_gguf(std::string_view bytes, const std::string& path) {
  return Reader(bytes, path).read();
}
GgufFile read_gguf(const std::string& path) { return decode_gguf(read_file(path), path); }

}  // namespace heed::io
