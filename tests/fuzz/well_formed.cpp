#include "well_formed.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "../../data/utf8.h"
#include "checks.h"

namespace heed::fuzz {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kVoid[] = {"meta", "input", "br", "hr", "img", "link", "col"};

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == ':';
}

// Whether eight bytes are characters of ASCII that can be seen, or blanks: most of a page is.
bool are_plain(const char* bytes) {
  constexpr std::uint64_t kEach = 0x0101010101010101, kTop = kEach * 0x80;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  // With no top bit set neither sum goes beyond its byte: one is at least 0x80 from 0x20 on, the
  // other from 0x7F on.
  return (word & kTop) == 0 && ((word + kEach * 0x60) & kTop) == kTop &&
         ((word + kEach) & kTop) == 0;
}

class Reader {
 public:
  Reader(std::string_view text, bool html) : rest_(text), html_(html) {}

  Markup read() {
    if (html_) take("<!DOCTYPE html>");
    while (!rest_.empty()) {
      const std::size_t tag = std::min(rest_.find('<'), rest_.size());
      const std::string_view text = rest_.substr(0, tag);
      if (open_.empty()) {
        require(text.find_first_not_of(kBlanks) == text.npos, "text stands within an element");
      }
      append_text(text);
      rest_.remove_prefix(tag);
      if (!rest_.empty()) read_tag();
    }
    require(open_.empty(), "every element ends");
    return std::move(out_);
  }

 private:
  void take(std::string_view expected) {
    require(rest_.starts_with(expected), "markup is as it must be");
    rest_.remove_prefix(expected.size());
  }
  bool took(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
  }
  std::string_view name() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_name);
    const std::string_view out(rest_.data(), static_cast<std::size_t>(end - rest_.begin()));
    require(!out.empty(), "a name stands where one must");
    rest_.remove_prefix(out.size());
    return out;
  }

  void append_text(std::string_view text) {
    for (;;) {
      const std::size_t plain = std::min(text.find_first_of("<>&"), text.size());
      out_.text.append(text.data(), plain);
      text.remove_prefix(plain);
      if (text.empty()) return;
      require(text[0] == '&', "brackets are escaped");
      constexpr std::string_view kEntities[][2] = {
          {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}};
      const auto entity = std::find_if(std::begin(kEntities), std::end(kEntities),
                                       [&](const auto& each) { return text.starts_with(each[0]); });
      require(entity != std::end(kEntities), "an ampersand begins an entity");
      out_.text += (*entity)[1];
      text.remove_prefix((*entity)[0].size());
    }
  }

  void read_tag() {
    take("<");
    if (took("/")) {
      const std::string_view ended = name();
      require(!open_.empty() && open_.back() == ended, "what ends is what began last");
      open_.pop_back();
      out_.tags.append("/").append(ended) += '\n';
      return take(">");
    }
    const std::string_view element = name();
    require(!open_.empty() || !any_, "there is one outermost element");
    any_ = true;
    out_.tags += element;
    attributes_.clear();
    bool ended = false;
    for (;;) {
      const bool blank = !rest_.empty() && kBlanks.find(rest_[0]) != kBlanks.npos;
      skip_blanks();
      if (took(">")) break;
      if (took("/>")) {
        ended = true;
        break;
      }
      require(blank, "a blank stands before an attribute");
      const std::string_view attribute = name();
      require(std::find(attributes_.begin(), attributes_.end(), attribute) == attributes_.end(),
              "an attribute stands once");
      attributes_.push_back(attribute);
      out_.tags.append(" ").append(attribute);
      out_.text += '\n';
      if (html_ && !rest_.starts_with("=")) continue;
      take("=\"");
      const std::size_t end = rest_.find('"');
      require(end != rest_.npos, "a quoted value ends");
      append_text(rest_.substr(0, end));
      rest_.remove_prefix(end + 1);
    }
    out_.text += '\n';
    out_.tags += '\n';
    const bool is_void =
        html_ && std::find(std::begin(kVoid), std::end(kVoid), element) != std::end(kVoid);
    if (ended || is_void) return;
    if (html_ && (element == "script" || element == "style")) {
      const std::size_t end = rest_.find("</");
      require(end != rest_.npos, "a script ends");
      require(rest_.substr(0, end).find("<!--") == rest_.npos, "a script opens no comment");
      if (element == "script") out_.scripts.emplace_back(rest_.substr(0, end));
      rest_.remove_prefix(end);
    }
    open_.push_back(element);
  }

  std::string_view rest_;
  bool html_, any_ = false;
  std::vector<std::string_view> open_, attributes_;
  Markup out_;
};

}  // namespace

void require_characters(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (at + 8 <= text.size() && are_plain(text.data() + at)) {
      at += 8;
      continue;
    }
    const data::Decoded read = data::decode_utf8(text, at);
    at += read.length;
    const char32_t c = read.code;
    require(read.valid, "markup is UTF-8");
    require(c >= 0x20 || c == '\n' || c == '\t', "no control character is left");
    require((c < 0x7F || c >= 0xA0) && c != 0xFFFE && c != 0xFFFF, "XML allows each character");
  }
}

Markup read_xml(std::string_view text) {
  require_characters(text);
  return Reader(text, false).read();
}

Markup read_html(std::string_view text) {
  require_characters(text);
  return Reader(text, true).read();
}

}  // namespace heed::fuzz
