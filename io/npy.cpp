#include "npy.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <vector>

#include "../core/error.h"
#include "../core/number_in.h"
#include "../core/quoted.h"
#include "elements.h"
#include "file.h"

namespace heed::io {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

struct Head {
  Element element = Element::f32;
  bool big_endian = false, columns_first = false;
  Shape shape;
};

// A literal of Python: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class HeadReader {
 public:
  HeadReader(std::string_view text, std::uint64_t offset, const std::string& path)
      : text_(text), offset_(offset), path_(path) {}

  Head read() {
    expect('{');
    while (!accept('}')) {
      const std::string key(quoted());
      expect(':');
      if (key == "descr" && !has_descr_) {
        read_descr();
      } else if (key == "fortran_order" && !has_order_) {
        out_.columns_first = truth();
        has_order_ = true;
      } else if (key == "shape" && !has_shape_) {
        read_shape();
      } else {
        fail(in_quotes(key) + " does not belong into the head, or is there twice");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    blanks();
    if (at_ != text_.size()) fail("something stands behind the head's }");
    if (!has_descr_ || !has_order_ || !has_shape_)
      fail("the head lacks descr, fortran_order or shape");
    return out_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(path_, offset_ + at_, what);
  }
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept(char c) {
    blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("the head has no '{}' here", c));
  }
  std::string_view quoted() {
    const char mark = accept('"') ? '"' : '\'';
    if (mark == '\'') expect('\'');
    const std::size_t end = text_.find(mark, at_);
    if (end == std::string_view::npos) fail("a text of the head has no end");
    const std::string_view out = text_.substr(at_, end - at_);
    if (out.find('\\') != std::string_view::npos) fail("a text of the head has a backslash");
    at_ = end + 1;
    return out;
  }
  bool truth() {
    blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return word == "True";
      }
    }
    fail("neither True nor False");
  }
  void read_descr() {
    has_descr_ = true;
    if (accept('[')) fail("an array of records cannot be read");
    const std::string_view text = quoted();
    const std::string_view kind = text.substr(text.empty() ? 0 : 1);
    const char order = text.empty() ? '?' : text[0];
    struct Name {
      std::string_view npy;
      Element element;
    };
    constexpr Name kNames[] = {
        {"b1", Element::boolean}, {"i1", Element::i8},  {"i2", Element::i16}, {"i4", Element::i32},
        {"i8", Element::i64},     {"u1", Element::u8},  {"u2", Element::u16}, {"u4", Element::u32},
        {"u8", Element::u64},     {"f2", Element::f16}, {"f4", Element::f32}, {"f8", Element::f64}};
    std::optional<Element> found;
    for (const Name& each : kNames) {
      if (each.npy == kind) found = each.element;
    }
    // '=' is the writer's own order, which nobody else knows.
    const bool ordered =
        order == '<' || order == '>' || (found && order == '|' && bytes_of(*found) == 1);
    if (!found || !ordered) {
      fail(fmt::format("dtype {} cannot be read; bool, i1 to i8, u1 to u8 and f2 to f8 can be",
                       in_quotes(text)));
    }
    out_.element = *found;
    out_.big_endian = order == '>';
  }
  void read_shape() {
    has_shape_ = true;
    expect('(');
    while (!accept(')')) {
      blanks();
      const std::size_t begin = at_;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
      const auto size = number_in<std::int64_t>(std::string(text_.substr(begin, at_ - begin)));
      if (!size) fail("a size of the shape is no number of 63 bits");
      if (out_.shape.rank() == kMaxRank) fail(fmt::format("more than {} axes", kMaxRank));
      out_.shape.push_back(*size);
      if (!accept(',')) {
        // One size alone is a number in brackets, not a tuple.
        if (out_.shape.rank() == 1) fail("the shape is no tuple");
        expect(')');
        break;
      }
    }
  }

  std::string_view text_;
  std::uint64_t offset_;
  const std::string& path_;
  std::size_t at_ = 0;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
  Head out_;
};

}  // namespace

Array decode_npy(std::string_view bytes, const std::string& path) {
  const auto fail = [&](std::uint64_t at, const std::string& what) -> void {
    throw FormatError(path, at, what);
  };
  if (!bytes.starts_with(kMagic)) fail(0, "does not begin as .npy does");
  if (bytes.size() < 8) fail(bytes.size(), "the file ends before its version");
  const auto major = static_cast<unsigned char>(bytes[6]),
             minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) {
    fail(6, fmt::format("version {}.{} is not known; 1.0, 2.0 and 3.0 are", major, minor));
  }
  const std::size_t wide = major == 1 ? 2 : 4, begin = 8 + wide;
  if (bytes.size() < begin) fail(bytes.size(), "the file ends before the head's length");
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 8, wide);
  if (length > bytes.size() - begin) {
    fail(8, fmt::format("a head of {} bytes is claimed, in a file of {}", length, bytes.size()));
  }
  Head head = HeadReader(bytes.substr(begin, length), begin, path).read();
  const std::uint64_t data = begin + length;
  Index count = 0;
  try {
    count = head.shape.numel();
  } catch (const ShapeError&) {
    fail(begin, "the number of elements overflows");
  }
  const std::size_t left = bytes.size() - data, width = bytes_of(head.element);
  if (left % width != 0 || left / width != static_cast<std::size_t>(count)) {
    fail(data,
         fmt::format("{} bytes for {} of {}", left, to_string(head.shape), name(head.element)));
  }
  if (!head.columns_first) {
    return decode_elements(head.element, head.shape, bytes.substr(data), {path, data, "the array"},
                           head.big_endian);
  }
  // The first axis runs fastest: the array of the axes turned round.
  Shape turned;
  std::vector<Index> back;
  for (Index axis = head.shape.rank() - 1; axis >= 0; --axis) {
    turned.push_back(head.shape[axis]);
    back.push_back(axis);
  }
  return decode_elements(head.element, turned, bytes.substr(data), {path, data, "the array"},
                         head.big_endian)
      .permute(back)
      .contiguous();
}

std::string encode_npy(const Array& array) {
  if (!array.defined()) throw ValueError("npy: an undefined array");
  const Element element = element_of(widened(array.dtype()));  // NumPy has no bf16
  const char* const descr = element == Element::f32   ? "<f4"
                            : element == Element::f64 ? "<f8"
                            : element == Element::i64 ? "<i8"
                                                      : "|b1";
  std::string shape;
  for (const Index size : array.shape()) shape += fmt::format("{}, ", size);
  if (array.rank() > 1) shape.resize(shape.size() - 2);
  if (array.rank() == 1) shape.pop_back();
  std::string head =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  // The numbers begin at a multiple of 64.
  constexpr std::size_t kBefore = 10, kAligned = 64;
  head.resize((kBefore + head.size() + 1 + kAligned - 1) / kAligned * kAligned - kBefore - 1, ' ');
  head += '\n';
  std::string out(kMagic);
  out += {'\1', '\0', static_cast<char>(head.size() & 0xFF), static_cast<char>(head.size() >> 8)};
  out += head;
  const std::size_t begin = out.size();
  out.resize(begin + static_cast<std::size_t>(array.numel()) * bytes_of(element));
  encode_elements(element, array, out.data() + begin);
  return out;
}

Array read_npy(const std::string& path) { return decode_npy(read_file(path), path); }
void write_npy(const std::string& path, const Array& array) {
  write_file_atomically(path, encode_npy(array));
}

}  // namespace heed::io
