#include "text_level.h"

#include <algorithm>

#include "../core/error.h"
#include "utf8.h"

namespace heed::data {
namespace {

constexpr const char* kLineEnd = "<eos>";
constexpr const char* kUnknown = "<unk>";  // which texts may hold themselves

std::string_view name_of(std::string_view token) { return token == "\n" ? kLineEnd : token; }

}  // namespace

TextLevel text_level(const std::string& name) {
  if (name == "char") return TextLevel::characters;
  if (name == "word") return TextLevel::words;
  throw ValueError("level: '" + name + "' is none of char, word");
}

const char* name(TextLevel level) { return level == TextLevel::characters ? "char" : "word"; }

std::vector<std::string_view> tokens_of(std::string_view text, TextLevel level) {
  std::vector<std::string_view> out;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t length = 1;
    if (level == TextLevel::characters) {
      length = decode_utf8(text, at).length;
    } else if (text[at] == ' ' || text[at] == '\t') {
      ++at;
      continue;
    } else if (text[at] != '\n') {
      length = std::min(text.find_first_of(" \t\n", at), text.size()) - at;
    }
    out.push_back(text.substr(at, length));
    at += length;
  }
  return out;
}

Vocabulary vocabulary_of(std::string_view text, TextLevel level, Index max_words) {
  WordCounts counts;
  for (const std::string_view token : tokens_of(text, level)) {
    ++counts[std::string(name_of(token))];
  }
  counts.erase(kUnknown);
  counts.erase("<pad>");
  return Vocabulary::from_counts(counts, {.max_words = max_words});
}

std::vector<Index> encode(std::string_view text, TextLevel level, const Vocabulary& vocabulary) {
  std::vector<Index> out;
  for (const std::string_view token : tokens_of(text, level)) {
    out.push_back(vocabulary.id(name_of(token)));
  }
  return out;
}

std::string decode(const std::vector<Index>& ids, TextLevel level, const Vocabulary& vocabulary) {
  std::string out;
  for (const Index id : ids) {
    const std::string& token = vocabulary.word(id);
    if (token == kLineEnd) {
      out += '\n';
      continue;
    }
    if (level == TextLevel::words && !out.empty() && out.back() != '\n') out += ' ';
    out += token;
  }
  return out;
}

}  // namespace heed::data
