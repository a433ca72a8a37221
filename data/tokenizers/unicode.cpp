#include "unicode.h"

#include <utf8proc.h>

#include <algorithm>

namespace heed::data::tokenizers {
namespace {

utf8proc_category_t category(char32_t code) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

// Whether it may become one with a character before it.
bool joins(char32_t code) {
  if (code < 0x300) return false;
  const utf8proc_property_t* const own = utf8proc_get_property(static_cast<utf8proc_int32_t>(code));
  const bool second = own->comb_index != UINT16_MAX && (own->comb_index & 0x8000) != 0;
  const bool jamo = code >= 0x1161 && code <= 0x11C2;
  return own->combining_class != 0 || second || jamo;
}

// Letters in circles and squares, which are signs and yet Alphabetic.
bool is_letter_sign(char32_t code) {
  return (code >= 0x24B6 && code <= 0x24E9) || (code >= 0x1F130 && code <= 0x1F149) ||
         (code >= 0x1F150 && code <= 0x1F169) || (code >= 0x1F170 && code <= 0x1F189);
}

// Marks behind one character, by their classes.
void sort_marks(Text& text) {
  const auto rank = [](const Char& each) {
    return utf8proc_get_property(static_cast<utf8proc_int32_t>(each.code))->combining_class;
  };
  for (auto begin = text.begin(); begin != text.end();) {
    if (rank(*begin) == 0) {
      ++begin;
      continue;
    }
    const auto end = std::find_if(begin, text.end(), [&](const Char& c) { return rank(c) == 0; });
    std::stable_sort(begin, end, [&](const Char& a, const Char& b) { return rank(a) < rank(b); });
    begin = end;
  }
}

}  // namespace

bool is_white(char32_t code) {
  return (code >= 9 && code <= 13) || code == ' ' || code == 0x85 || code == 0xA0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}
bool is_punctuation(char32_t code) {
  const utf8proc_category_t own = category(code);
  return own >= UTF8PROC_CATEGORY_PC && own <= UTF8PROC_CATEGORY_PO;
}
bool is_mark(char32_t code) {
  const utf8proc_category_t own = category(code);
  return own >= UTF8PROC_CATEGORY_MN && own <= UTF8PROC_CATEGORY_ME;
}
bool is_spacing_free(char32_t code) { return category(code) == UTF8PROC_CATEGORY_MN; }
bool is_other(char32_t code) {
  const utf8proc_category_t own = category(code);
  return own >= UTF8PROC_CATEGORY_CC;
}
bool is_numeric(char32_t code) {
  const utf8proc_category_t own = category(code);
  return own >= UTF8PROC_CATEGORY_ND && own <= UTF8PROC_CATEGORY_NO;
}
bool is_word(char32_t code) {
  const utf8proc_category_t own = category(code);
  return (own >= UTF8PROC_CATEGORY_LU && own <= UTF8PROC_CATEGORY_ME) ||
         own == UTF8PROC_CATEGORY_ND || own == UTF8PROC_CATEGORY_NL ||
         own == UTF8PROC_CATEGORY_PC || code == 0x200C || code == 0x200D || is_letter_sign(code);
}
bool is_ideograph(char32_t code) {
  constexpr char32_t kBlocks[][2] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF},
                                     {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF},
                                     {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
  return std::any_of(std::begin(kBlocks), std::end(kBlocks),
                     [&](const auto& block) { return code >= block[0] && code <= block[1]; });
}

std::size_t grapheme_end(const Text& text, std::size_t begin) {
  utf8proc_int32_t state = 0;
  std::size_t end = begin + 1;
  while (end < text.size() &&
         !utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(text[end - 1].code),
                                           static_cast<utf8proc_int32_t>(text[end].code), &state)) {
    ++end;
  }
  return end;
}

void normalise(Text& text, NormalForm form) {
  const bool compat = form == NormalForm::nfkc || form == NormalForm::nfkd;
  const bool composes = form == NormalForm::nfc || form == NormalForm::nfkc;
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | (compat ? UTF8PROC_COMPAT : 0) |
                                     (composes ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE));
  Text out, parts, next;
  out.reserve(text.size());
  std::vector<utf8proc_int32_t> codes;
  std::uint32_t begin = 0, end = 0;  // of `parts`
  const auto put = [&] {
    if (parts.size() == 1 && parts[0].code < 0xA0) {
      out.push_back(parts[0]);
      return;
    }
    sort_marks(parts);
    if (!composes) {
      out.insert(out.end(), parts.begin(), parts.end());
      return;
    }
    // What may have become one stands for all of the bytes.
    codes.clear();
    for (const Char& each : parts) codes.push_back(static_cast<utf8proc_int32_t>(each.code));
    const auto count = utf8proc_normalize_utf32(
        codes.data(), static_cast<utf8proc_ssize_t>(codes.size()), options);
    for (utf8proc_ssize_t i = 0; i < count; ++i)
      out.push_back({static_cast<char32_t>(codes[static_cast<std::size_t>(i)]), begin, end});
  };
  for (const Char& each : text) {
    next.clear();
    if (each.code < 0xA0) {
      next.push_back(each);
    } else {
      utf8proc_int32_t own[32];
      const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(each.code), own, 32,
                                                 options, nullptr);
      for (utf8proc_ssize_t k = 0; k < std::clamp<utf8proc_ssize_t>(count, 0, 32); ++k)
        next.push_back({static_cast<char32_t>(own[k]), each.begin, each.end});
    }
    // Whether it joins is said of what it is written as: a half-width sound mark is no mark itself.
    if (next.empty()) continue;
    if (parts.empty() || !joins(next[0].code)) {
      put();
      parts.clear();
      begin = each.begin;
    }
    parts.insert(parts.end(), next.begin(), next.end());
    end = each.end;
  }
  put();
  text = std::move(out);
}

void lower(Text& text) {
  Text out;
  out.reserve(text.size());
  for (const Char& each : text) {
    if (each.code == 0x130) {  // the one letter whose small form is two
      out.push_back({'i', each.begin, each.end});
      out.push_back({0x307, each.begin, each.end});
      continue;
    }
    const auto small = utf8proc_tolower(static_cast<utf8proc_int32_t>(each.code));
    out.push_back({static_cast<char32_t>(small), each.begin, each.end});
  }
  text = std::move(out);
}

}  // namespace heed::data::tokenizers
