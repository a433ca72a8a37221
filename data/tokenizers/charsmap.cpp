#include "charsmap.h"

#include <algorithm>

#include "../../core/error.h"

namespace heed::data::tokenizers {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Of a rule's characters, in bytes: a trie that leads back into itself has no end.
constexpr std::size_t kLongest = 1024;

// A unit of Darts: 8 bits of label, whether a value hangs here, and how far its children are.
bool has_value(std::uint32_t unit) { return (unit >> 8 & 1) != 0; }
std::uint32_t value(std::uint32_t unit) { return unit & 0x7FFFFFFFu; }
std::uint32_t label(std::uint32_t unit) { return unit & 0x800000FFu; }
std::uint32_t offset(std::uint32_t unit) { return unit >> 10 << ((unit & 0x200u) >> 6); }

std::uint32_t read_unit(std::string_view bytes, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < 4; ++i)
    out |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return out;
}

}  // namespace

Charsmap::Charsmap(std::string_view bytes) {
  const std::size_t size = bytes.size() < 4 ? 0 : read_unit(bytes, 0);
  if (size == 0 || size % 4 != 0 || size > bytes.size() - 4) {
    throw ValueError("tokenizer: a table of characters that is cut off");
  }
  units_.reserve(size / 4);
  for (std::size_t at = 4; at < 4 + size; at += 4) units_.push_back(read_unit(bytes, at));
  texts_ = bytes.substr(4 + size);
}

template <class Found>
void Charsmap::walk(std::string_view text, Found&& found) const {
  std::size_t place = offset(units_[0]), length = 0;
  for (const char each : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(each);
    place ^= byte;
    if (byte == 0 || place >= units_.size() || label(units_[place]) != byte) return;
    const std::uint32_t unit = units_[place];
    place ^= offset(unit);
    ++length;
    if (!has_value(unit)) continue;
    if (place >= units_.size() || value(units_[place]) >= texts_.size()) return;
    const std::size_t begin = value(units_[place]);
    const std::string_view by =
        std::string_view(texts_).substr(begin, texts_.find('\0', begin) - begin);
    if (!found(length, by)) return;
  }
}

std::optional<std::string_view> Charsmap::operator()(std::string_view text) const {
  std::optional<std::string_view> out;
  walk(text, [&](std::size_t, std::string_view by) {
    out = by;
    return false;
  });
  return out;
}

Charsmap::Rule Charsmap::longest(std::string_view text) const {
  Rule out;
  walk(text, [&](std::size_t length, std::string_view by) {
    out = {length, by};
    return true;
  });
  return out;
}

std::string from_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t held = 0;
  int bits = 0;
  for (const char each : text) {
    const std::size_t digit = kDigits.find(each);
    if (digit == std::string_view::npos)
      throw ValueError("tokenizer: base64 with other characters");
    held = held << 6 | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits >= 8) out.push_back(static_cast<char>(held >> (bits -= 8)));
  }
  return out;
}

std::string to_base64(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t held = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      held =
          held << 8 | (i < count ? std::uint32_t{static_cast<unsigned char>(bytes[at + i])} : 0u);
    }
    for (std::size_t i = 0; i < 4; ++i)
      out.push_back(i <= count ? kDigits[held >> (18 - 6 * i) & 63] : '=');
  }
  return out;
}

}  // namespace heed::data::tokenizers
