#include "sentences.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "markup.h"
#include "utf8.h"

namespace heed::data {
namespace {

// Never the end of a sentence.
constexpr std::string_view kBeforeName[] = {"mr",  "mrs", "ms",  "messrs", "dr",  "prof", "st",
                                            "mt",  "gen", "col", "lt",     "sgt", "capt", "rev",
                                            "hon", "gov", "sen", "rep",    "vs",  "cf",   "eg",
                                            "ie",  "e.g", "i.e", "fig",    "vol", "ca",   "approx"};
// The end of a sentence when a capital follows.
constexpr std::string_view kBeforeAnything[] = {"etc", "jr",   "sr", "inc", "ltd",
                                                "co",  "corp", "al", "a.m", "p.m"};
constexpr std::size_t kLongestAbbreviation = 16;

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_capital(c) || (c >= 'a' && c <= 'z'); }

template <std::size_t count>
bool contains(const std::string_view (&list)[count], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool ends_sentence(char32_t c) { return c == '.' || c == '!' || c == '?' || c == 0x2026; }
bool ends_sentence_without_space(char32_t c) {
  return c == 0x3002 || c == 0xFF01 || c == 0xFF1F || c == 0xFF61;
}
bool closes(char32_t c) {
  switch (c) {
    case '"':
    case '\'':
    case ')':
    case ']':
    case 0xBB:    // right angle quote
    case 0x2019:  // right single and double quotes
    case 0x201D:
    case 0x300B:  // corner and other CJK brackets
    case 0x300D:
    case 0x300F:
    case 0x3011:
    case 0xFF09: return true;
    default: return false;
  }
}

// A, J.R.R, U.S; not the pronoun I.
bool is_initials(std::string_view word) {
  if (word == "I") return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (i % 2 == 0 ? !is_capital(word[i]) : word[i] != '.') return false;
  }
  return word.size() % 2 == 1;
}

// The letters and dots right before text[stop], empty when they are only the tail of something.
std::string_view word_before(std::string_view text, std::size_t start, std::size_t stop) {
  std::size_t begin = stop;
  while (begin > start && (is_letter(text[begin - 1]) || text[begin - 1] == '.')) {
    if (stop - --begin > kLongestAbbreviation) return {};
  }
  if (begin > start) {
    std::size_t before = begin - 1;
    while (before > start && (static_cast<unsigned char>(text[before]) & 0xC0) == 0x80) --before;
    if (classify(decode_utf8(text, before).code) == CharClass::word) return {};
  }
  return text.substr(begin, stop - begin);
}

// Whether the dot at text[dot] only shortens a word. `start` is where the sentence began.
bool is_abbreviation(std::string_view text, std::size_t start, std::size_t dot) {
  const std::string_view word = word_before(text, start, dot);
  if (word.empty()) return false;
  if (is_initials(word)) return true;
  std::string lower(word);
  for (char& c : lower) c = static_cast<char>(to_lower(static_cast<unsigned char>(c)));
  if (contains(kBeforeName, lower)) return true;
  if (!contains(kBeforeAnything, lower)) return false;
  const std::size_t next = text.find_first_not_of(' ', dot + 1);
  return next != std::string_view::npos && !is_capital(text[next]) && text[next] != '"' &&
         text[next] != '\n' && text[next] != '\r' && text[next] != '<';
}

// Whether the next word begins with a small letter.
bool goes_on(std::string_view text, std::size_t at) {
  const std::size_t next = text.find_first_not_of(' ', at);
  return next != std::string_view::npos && text[next] >= 'a' && text[next] <= 'z';
}

bool separates(std::string_view text, std::size_t at) {
  if (at >= text.size()) return true;
  if (text[at] == '<') return tag_at(text, at).length > 0;
  return classify(decode_utf8(text, at).code) == CharClass::space;
}

std::string_view trim(std::string_view text) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const Decoded c = decode_utf8(text, begin);
    if (classify(c.code) != CharClass::space) break;
    begin += c.length;
  }
  std::size_t end = begin;  // after the last character that is no space
  for (std::size_t at = begin; at < text.size();) {
    const Decoded c = decode_utf8(text, at);
    at += c.length;
    if (classify(c.code) != CharClass::space) end = at;
  }
  return text.substr(begin, end - begin);
}

}  // namespace

std::vector<std::string_view> split_sentences(std::string_view text) {
  std::vector<std::string_view> sentences;
  std::size_t start = 0;
  const auto cut = [&](std::size_t stop, std::size_t next) {
    const std::string_view sentence = trim(text.substr(start, stop - start));
    if (!sentence.empty()) sentences.push_back(sentence);
    start = next;
  };
  for (std::size_t at = 0; at < text.size();) {
    const Decoded c = decode_utf8(text, at);
    if (c.code == '\n' || c.code == '\r') {
      cut(at, at + 1);
      ++at;
      continue;
    }
    if (c.code == '<') {
      const Tag tag = tag_at(text, at);
      const std::size_t next = at + (tag.length > 0 ? tag.length : 1);
      if (tag.ends_line) cut(at, next);
      at = next;
      continue;
    }
    const std::size_t mark = at;
    at += c.length;
    const bool wide = ends_sentence_without_space(c.code);
    if (!wide && !ends_sentence(c.code)) continue;
    // All the marks of "?!" or "...", then what they close.
    const auto skip = [&](auto belongs) {
      while (at < text.size()) {
        const Decoded next = decode_utf8(text, at);
        if (!belongs(next.code)) break;
        at += next.length;
      }
    };
    skip([](char32_t n) { return ends_sentence(n) || ends_sentence_without_space(n); });
    const std::size_t marks_end = at;
    skip(closes);
    if (!wide && !separates(text, at)) continue;
    if (!wide && at > marks_end && goes_on(text, at)) continue;
    if (c.code == '.' && at == mark + 1 && is_abbreviation(text, start, mark)) continue;
    cut(at, at);
  }
  cut(text.size(), text.size());
  return sentences;
}

}  // namespace heed::data
