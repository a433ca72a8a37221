#include "pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <array>

#include "../../core/error.h"
#include "../../core/quoted.h"
#include "../utf8.h"

namespace heed::data::tokenizers {
namespace {

constexpr std::uint32_t kMostSteps = 1'000'000, kMostHeap = 1 << 16;  // of a match; kB

// What others take for letters of words (Unicode Technical Standard 18); PCRE2's \w lacks marks and
// has fractions.
constexpr const char* kWord = R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc})";

// The expression with \w, \W, \b and \B by that; \W among others in brackets stays PCRE2's.
std::string with_unicode_words(std::string_view text) {
  const std::string in = fmt::format("[{}]", kWord), not_in = fmt::format("[^{}]", kWord);
  std::string out;
  bool brackets = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      const char next = text[++i];
      if (next == 'w') {
        out += brackets ? kWord : in;
      } else if (next == 'W' && !brackets) {
        out += not_in;
      } else if ((next == 'b' || next == 'B') && !brackets) {
        const char *const begin = next == 'b' ? "!" : "=", *const end = next == 'b' ? "=" : "!";
        out += fmt::format("(?:(?<={0})(?{1}{0})|(?<!{0})(?{2}{0}))", in, begin, end);
      } else {
        out.append({c, next});
      }
      continue;
    }
    if (brackets && text.substr(i, 2) == "[:") {  // [[:alpha:]]
      const std::size_t end = std::min(text.find(":]", i + 2), text.size());
      out.append(text.substr(i, end + 2 - i));
      i = end + 1;
      continue;
    }
    out += c;
    if (brackets) {
      brackets = c != ']';
    } else if (c == '[') {
      brackets = true;
      if (text.substr(i + 1, 1) == "^") out += text[++i];
      if (text.substr(i + 1, 1) == "]") out += text[++i];
    }
  }
  return out;
}

}  // namespace

struct Pattern::Code {
  explicit Code(const std::string& text) {
    int error = 0;
    PCRE2_SIZE place = 0;
    const std::string own = with_unicode_words(text);
    code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(own.data()), own.size(),
                         PCRE2_UTF | PCRE2_UCP, &error, &place, nullptr);
    if (code == nullptr) {
      std::array<PCRE2_UCHAR, 256> said{};
      pcre2_get_error_message(error, said.data(), said.size());
      throw ValueError(fmt::format("tokenizer: the expression {}: {}", in_quotes(text),
                                   reinterpret_cast<const char*>(said.data())));
    }
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);  // where it cannot, the interpreter serves
  }
  ~Code() { pcre2_code_free(code); }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  pcre2_code* code;
};

Pattern Pattern::expression(const std::string& text) {
  Pattern out;
  out.code_ = std::make_shared<const Code>(text);
  return out;
}

Pattern Pattern::literal(const std::string& text) {
  Pattern out;
  for (const Char& each : characters(text)) out.literal_ += each.code;
  return out;
}

Pattern Pattern::read(const JsonView& json) {
  if (json.has("String")) return literal(json["String"].text());
  try {
    return expression(json["Regex"].text());
  } catch (const ValueError& error) {
    json.fail(error.what());
  }
}

std::vector<std::pair<std::size_t, std::size_t>> Pattern::matches(const Text& text) const {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  if (!code_) {
    const std::size_t length = literal_.size();
    for (std::size_t i = 0; length > 0 && i + length <= text.size();) {
      std::size_t same = 0;
      while (same < length && text[i + same].code == literal_[same]) ++same;
      if (same == length) out.emplace_back(i, i + length);
      i += same == length ? length : 1;
    }
    return out;
  }
  // Bytes, and the character at each.
  std::string bytes;
  std::vector<std::uint32_t> at;
  for (std::size_t i = 0; i < text.size(); ++i) {
    append_utf8(bytes, text[i].code);
    at.resize(bytes.size(), static_cast<std::uint32_t>(i));
  }
  at.push_back(static_cast<std::uint32_t>(text.size()));
  const std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)> found(
      pcre2_match_data_create_from_pattern(code_->code, nullptr), pcre2_match_data_free);
  const std::unique_ptr<pcre2_match_context, void (*)(pcre2_match_context*)> limits(
      pcre2_match_context_create(nullptr), pcre2_match_context_free);
  pcre2_set_match_limit(limits.get(), kMostSteps);
  pcre2_set_heap_limit(limits.get(), kMostHeap);
  std::uint32_t checked = 0;  // the text is UTF-8, which is looked at once
  for (std::size_t from = 0; from < bytes.size();) {
    const int count = pcre2_match(code_->code, reinterpret_cast<PCRE2_SPTR>(bytes.data()),
                                  bytes.size(), from, checked, found.get(), limits.get());
    checked = PCRE2_NO_UTF_CHECK;
    if (count == PCRE2_ERROR_NOMATCH) break;
    if (count < 0) throw ValueError("tokenizer: an expression takes too long on this text");
    const PCRE2_SIZE* const place = pcre2_get_ovector_pointer(found.get());
    const std::size_t begin = place[0], end = place[1];
    if (end > begin) out.emplace_back(at[begin], at[end]);
    from = end;
    if (end <= begin) {  // nothing matched: on by a character
      ++from;
      while (from < bytes.size() && (static_cast<unsigned char>(bytes[from]) & 0xC0) == 0x80)
        ++from;
    }
  }
  return out;
}

Cut read_cut(const JsonView& json) {
  const std::string& name = json.text();
  if (name == "Removed") return Cut::removed;
  if (name == "Isolated") return Cut::isolated;
  if (name == "MergedWithPrevious") return Cut::with_previous;
  if (name == "MergedWithNext") return Cut::with_next;
  if (name == "Contiguous") return Cut::contiguous;
  json.fail("is " + in_quotes(name) + ", which is not known");
}

std::vector<std::pair<std::size_t, std::size_t>> cut_at(
    std::size_t size, const std::vector<std::pair<std::size_t, std::size_t>>& matches, Cut cut,
    bool invert) {
  struct Part {
    std::size_t begin, end;
    bool delimiter;
  };
  std::vector<Part> parts;
  std::size_t at = 0;
  for (const auto& [begin, end] : matches) {
    if (begin > at) parts.push_back({at, begin, invert});
    parts.push_back({begin, end, !invert});
    at = end;
  }
  if (at < size) parts.push_back({at, size, invert});
  std::vector<std::pair<std::size_t, std::size_t>> out;
  bool open = false;  // the last piece may grow, by what `cut` says; contiguous: is a delimiter
  for (const Part& part : parts) {
    switch (cut) {
      case Cut::removed:
        if (!part.delimiter) out.emplace_back(part.begin, part.end);
        break;
      case Cut::isolated: out.emplace_back(part.begin, part.end); break;
      case Cut::contiguous:
        // Neighbours of one kind; before the first there is none.
        if (!out.empty() && open == part.delimiter) {
          out.back().second = part.end;
        } else {
          out.emplace_back(part.begin, part.end);
        }
        open = part.delimiter;
        break;
      case Cut::with_previous:
        if (part.delimiter && open) {
          out.back().second = part.end;
        } else {
          out.emplace_back(part.begin, part.end);
        }
        open = !part.delimiter;
        break;
      case Cut::with_next:
        if (!part.delimiter && open) {
          out.back().second = part.end;
        } else {
          out.emplace_back(part.begin, part.end);
        }
        open = part.delimiter;
        break;
    }
  }
  return out;
}

}  // namespace heed::data::tokenizers
