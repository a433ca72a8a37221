#include "pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "../core/error.h"
#include "../core/quoted.h"

namespace heed::io {
namespace {

using Kind = PickleValue::Kind;
using Id = PickleValue::Id;

struct Storage {
  std::string_view name;
  Element element;
};
constexpr Storage kStorages[] = {
    {"torch.FloatStorage", Element::f32}, {"torch.DoubleStorage", Element::f64},
    {"torch.HalfStorage", Element::f16},  {"torch.BFloat16Storage", Element::bf16},
    {"torch.LongStorage", Element::i64},  {"torch.IntStorage", Element::i32},
    {"torch.ShortStorage", Element::i16}, {"torch.CharStorage", Element::i8},
    {"torch.ByteStorage", Element::u8},   {"torch.BoolStorage", Element::boolean}};
constexpr std::string_view kTensor = "torch._utils._rebuild_tensor_v2",
                           kParameter = "torch._utils._rebuild_parameter",
                           kOrdered = "collections.OrderedDict", kSize = "torch.Size";

constexpr std::size_t kLongestKey = 64;
constexpr int kSmall = 256;  // integers that are there once

std::optional<Element> element_of_storage(std::string_view name) {
  for (const Storage& storage : kStorages) {
    if (storage.name == name) return storage.element;
  }
  return {};
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& path, std::uint64_t offset)
      : text_(text), path_(path), offset_(offset) {}

  Pickle read() {
    if (byte() != 0x80) fail("does not begin as a pickle does");
    if (const int protocol = byte(); protocol < 2 || protocol > 5) {
      fail(fmt::format("protocol {} is not known; 2 to 5 are", protocol));
    }
    while (!step()) {
    }
    if (at_ != text_.size()) fail("something stands behind the pickle's end");
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(path_, offset_ + at_, "pickle: " + what);
  }

  std::string_view take(std::uint64_t count) {
    if (count > text_.size() - at_) fail("ends in the middle");
    const std::string_view out = text_.substr(at_, count);
    at_ += count;
    return out;
  }
  int byte() { return static_cast<unsigned char>(take(1)[0]); }
  template <class T>
  T number() {
    T out;
    std::memcpy(&out, take(sizeof out).data(), sizeof out);
    return out;
  }
  std::string copy(std::uint64_t count) { return std::string(take(count)); }
  std::string line() {
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) fail("ends in the middle");
    std::string out(text_.substr(at_, end - at_));
    at_ = end + 1;
    return out;
  }

  // The stack.
  void push(PickleValue value) {
    out_.values.push_back(std::move(value));
    stack_.push_back(static_cast<Id>(out_.values.size() - 1));
  }
  // What is often there and never changes is one value for all its places.
  void push_known(std::size_t place, Kind kind, std::int64_t integer = 0) {
    if (known_[place]) {
      stack_.push_back(*known_[place]);
    } else {
      push({.kind = kind, .integer = integer});
      known_[place] = stack_.back();
    }
  }
  void push_none() { push_known(0, Kind::none); }
  void push_empty_tuple() { push_known(1, Kind::tuple); }
  void push_truth(bool truth) { push_known(truth ? 2 : 3, Kind::truth, truth ? 1 : 0); }
  void push_integer(std::int64_t number) {
    if (number >= 0 && number < kSmall) {
      push_known(4 + static_cast<std::size_t>(number), Kind::integer, number);
    } else {
      push({.kind = Kind::integer, .integer = number});
    }
  }
  void push_text(std::string text, Kind kind = Kind::text) {
    push({.kind = kind,
          .rare = std::make_unique<PickleValue::Rare>(PickleValue::Rare{.text = std::move(text)})});
  }
  Id pop() {
    if (stack_.empty() || (!marks_.empty() && stack_.size() == marks_.back()))
      fail("takes what is not there");
    const Id out = stack_.back();
    stack_.pop_back();
    return out;
  }
  std::vector<Id> pop_to_mark() {
    if (marks_.empty()) fail("has no mark here");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Id> out(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return out;
  }
  std::vector<Id> pop(int count) {
    std::vector<Id> out;
    out.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) out.push_back(pop());
    std::reverse(out.begin(), out.end());
    return out;
  }
  PickleValue& top(Kind kind, const char* what) {
    if (stack_.empty() || (!marks_.empty() && stack_.size() == marks_.back()) ||
        out_.values[stack_.back()].kind != kind) {
      fail(what);
    }
    return out_.values[stack_.back()];
  }
  const PickleValue& value(Id id) const { return out_.values[id]; }

  void remember(std::uint32_t place) {
    if (stack_.empty()) fail("remembers what is not there");
    memo_[place] = stack_.back();
  }
  void recall(std::uint32_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) fail("recalls what it has not remembered");
    stack_.push_back(found->second);
  }

  void append(std::vector<Id> items) {
    std::vector<Id>& to = top(Kind::list, "appends to what is no list").items;
    to.insert(to.end(), items.begin(), items.end());
  }
  void set(std::vector<Id> items) {
    if (items.size() % 2 != 0) fail("sets a key without a value");
    std::vector<Id>& to = top(Kind::dict, "sets an item of what is no dict").items;
    to.insert(to.end(), items.begin(), items.end());
  }

  void push_global(const std::string& module, const std::string& name) {
    const std::string full = module + "." + name;
    const bool known = full == kTensor || full == kParameter || full == kOrdered || full == kSize ||
                       element_of_storage(full);
    if (!known) fail("asks for " + in_quotes(full) + ", which is not built from a file");
    push_text(full, Kind::global);
  }

  std::vector<std::int64_t> integers(Id id) const {
    if (value(id).kind != Kind::tuple || value(id).items.size() > kMaxRank) {
      fail(fmt::format("a tensor's sizes are no tuple of at most {}", kMaxRank));
    }
    std::vector<std::int64_t> out;
    for (const Id item : value(id).items) {
      if (value(item).kind != Kind::integer) fail("a tensor's size is no integer");
      out.push_back(value(item).integer);
    }
    return out;
  }

  void push_storage() {
    const Id id = pop();
    const PickleValue& given = value(id);
    const auto item = [&](std::size_t i) -> const PickleValue& { return value(given.items[i]); };
    const bool fits = given.kind == Kind::tuple && given.items.size() == 5 &&
                      item(0).text() == "storage" && item(1).kind == Kind::global &&
                      item(2).kind == Kind::text && item(2).text().size() <= kLongestKey &&
                      item(4).kind == Kind::integer;
    const auto element = fits ? element_of_storage(item(1).text()) : std::nullopt;
    if (!element || item(4).integer < 0) fail("refers to what is no storage");
    push({.kind = Kind::storage,
          .element = *element,
          .integer = item(4).integer,
          .rare = std::make_unique<PickleValue::Rare>(PickleValue::Rare{.text = item(2).text()})});
  }

  void reduce() {
    const Id arguments = pop(), function = pop();
    if (value(function).kind != Kind::global || value(arguments).kind != Kind::tuple) {
      fail("calls what is no function");
    }
    const std::string& name = value(function).text();
    const std::vector<Id>& given = value(arguments).items;  // until something is pushed
    if (name == kOrdered) {
      if (!given.empty()) fail("an OrderedDict of something");
      push({.kind = Kind::dict});
    } else if (name == kSize) {
      if (given.size() != 1 || value(given[0]).kind != Kind::tuple) fail("a size of no tuple");
      stack_.push_back(given[0]);
    } else if (name == kParameter) {
      if (given.empty() || value(given[0]).kind != Kind::tensor) fail("a parameter of no tensor");
      stack_.push_back(given[0]);
    } else if (name == kTensor) {
      if (given.size() < 4 || value(given[0]).kind != Kind::storage ||
          value(given[1]).kind != Kind::integer) {
        fail("a tensor of no storage");
      }
      push({.kind = Kind::tensor,
            .integer = value(given[1]).integer,
            .items = {given[0]},
            .rare = std::make_unique<PickleValue::Rare>(
                PickleValue::Rare{.sizes = integers(given[2]), .steps = integers(given[3])})});
    } else {
      fail("calls " + name);
    }
  }

  // Up to eight bytes of a number, lowest first, the last of which has the sign.
  std::int64_t wide_integer(std::size_t count) {
    if (count > 8) fail("an integer of more than 64 bits");
    const std::string_view bytes = take(count);
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < count; ++i) {
      out |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    const bool negative = count > 0 && (static_cast<unsigned char>(bytes[count - 1]) & 0x80) != 0;
    if (negative && count < 8) out |= ~std::uint64_t{0} << (8 * count);
    return static_cast<std::int64_t>(out);
  }
  double real() {
    std::array<char, 8> bytes;
    std::memcpy(bytes.data(), take(8).data(), 8);
    std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<double>(bytes);
  }

  // One instruction; true at the end.
  bool step() {
    const int code = byte();
    switch (code) {
      case '.':
        out_.root = pop();
        if (!stack_.empty() || !marks_.empty()) fail("ends with something left");
        return true;
      case 'N': push_none(); break;
      case 0x88: push_truth(true); break;
      case 0x89: push_truth(false); break;
      case 'J': push_integer(number<std::int32_t>()); break;
      case 'K': push_integer(number<std::uint8_t>()); break;
      case 'M': push_integer(number<std::uint16_t>()); break;
      case 0x8A: push_integer(wide_integer(number<std::uint8_t>())); break;
      case 'G': push({.kind = Kind::real, .integer = std::bit_cast<std::int64_t>(real())}); break;
      case 'X': push_text(copy(number<std::uint32_t>())); break;
      case 0x8C: push_text(copy(number<std::uint8_t>())); break;
      case 0x8D: push_text(copy(number<std::uint64_t>())); break;
      case ')': push_empty_tuple(); break;
      case 0x85:
      case 0x86:
      case 0x87: {
        std::vector<Id> items = pop(code - 0x84);
        push({.kind = Kind::tuple, .items = std::move(items)});
        break;
      }
      case 't': {
        std::vector<Id> items = pop_to_mark();
        push({.kind = Kind::tuple, .items = std::move(items)});
        break;
      }
      case ']': push({.kind = Kind::list}); break;
      case '}': push({.kind = Kind::dict}); break;
      case '(': marks_.push_back(stack_.size()); break;
      case 'a': append({pop()}); break;
      case 'e': append(pop_to_mark()); break;
      case 's': set(pop(2)); break;
      case 'u': set(pop_to_mark()); break;
      case 'q': remember(number<std::uint8_t>()); break;
      case 'r': remember(number<std::uint32_t>()); break;
      case 0x94: remember(static_cast<std::uint32_t>(memo_.size())); break;
      case 'h': recall(number<std::uint8_t>()); break;
      case 'j': recall(number<std::uint32_t>()); break;
      case 'c': {
        const std::string module = line();
        push_global(module, line());
        break;
      }
      case 0x93: {
        const std::vector<Id> names = pop(2);
        if (value(names[0]).kind != Kind::text || value(names[1]).kind != Kind::text) {
          fail("asks for what has no name");
        }
        push_global(value(names[0]).text(), value(names[1]).text());
        break;
      }
      case 'Q': push_storage(); break;
      case 'R': reduce(); break;
      case 'b':  // what an OrderedDict has beside its items: versions of modules
        pop();
        top(Kind::dict, "changes what is no dict");
        break;
      case 0x95: number<std::uint64_t>(); break;  // a frame, which says nothing
      default: --at_; fail(fmt::format("does 0x{:02x}, which is not done for a file", code));
    }
    return false;
  }

  std::string_view text_;
  const std::string& path_;
  std::uint64_t offset_;
  std::size_t at_ = 0;
  Pickle out_;
  std::vector<Id> stack_;
  std::vector<std::size_t> marks_;
  std::array<std::optional<Id>, 4 + kSmall> known_;
  std::unordered_map<std::uint32_t, Id> memo_;
};

}  // namespace

Pickle read_pickle(std::string_view text, const std::string& path, std::uint64_t offset) {
  return Reader(text, path, offset).read();
}

}  // namespace heed::io
