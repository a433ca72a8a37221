#include "added_tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../core/quoted.h"
#include "unicode.h"

namespace heed::data::tokenizers {

AddedTokens::AddedTokens(const JsonView& json, const Normaliser& normaliser) {
  if (json.is_null()) return;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const JsonView each = json[i];
    AddedToken token{.id = each["id"].integer(),
                     .content = each["content"].text(),
                     .single_word = each.truth("single_word", false),
                     .takes_left = each.truth("lstrip", false),
                     .takes_right = each.truth("rstrip", false),
                     .normalised = each.truth("normalized", false),
                     .special = each.truth("special", false)};
    if (token.id < 0) each["id"].fail("is negative");
    if (token.id > kLargestId) each["id"].fail(fmt::format("is {}", token.id));
    if (token.content.empty()) each["content"].fail("is empty");
    const auto [place, fresh] = by_id_.emplace(token.id, std::move(token));
    if (!fresh) each["id"].fail(fmt::format("{} is there twice", place->first));
    const AddedToken& own = place->second;
    if (!by_content_.emplace(own.content, &own).second) {
      each["content"].fail(in_quotes(own.content) + " is there twice");
    }
    if (!each.truth("in_texts", true)) continue;
    Text text = characters(own.content);
    if (own.normalised) normaliser(text);
    if (text.empty()) continue;
    std::u32string codes;
    for (const Char& letter : text) codes += letter.code;
    (own.normalised ? normalised_ : raw_)[codes[0]].push_back({codes, &own});
  }
  for (auto* const all : {&raw_, &normalised_}) {
    for (auto& [first, patterns] : *all) {
      std::stable_sort(patterns.begin(), patterns.end(), [](const Pattern& a, const Pattern& b) {
        return a.text.size() > b.text.size();
      });
    }
  }
}

std::vector<Found> AddedTokens::cut(const Text& text, bool normalised) const {
  const auto& patterns = normalised ? normalised_ : raw_;
  if (patterns.empty() && !text.empty()) return {{text}};
  std::vector<Found> out;
  std::size_t begin = 0;  // of what has not been cut yet
  const auto piece = [&](std::size_t first, std::size_t last) {
    return Text(text.begin() + static_cast<std::ptrdiff_t>(first),
                text.begin() + static_cast<std::ptrdiff_t>(last));
  };
  const auto in_word = [&](std::size_t i) { return i < text.size() && is_word(text[i].code); };
  for (std::size_t i = 0; i < text.size();) {
    const auto here = patterns.find(text[i].code);
    const Pattern* found = nullptr;
    for (std::size_t p = 0; here != patterns.end() && p < here->second.size() && found == nullptr;
         ++p) {
      const Pattern& each = here->second[p];
      if (each.text.size() > text.size() - i) continue;
      const bool same = std::equal(
          each.text.begin(), each.text.end(), text.begin() + static_cast<std::ptrdiff_t>(i),
          [](char32_t code, const Char& letter) { return code == letter.code; });
      if (same) found = &each;
    }
    if (found == nullptr) {
      ++i;
      continue;
    }
    std::size_t first = i, last = i + found->text.size();
    const AddedToken& token = *found->token;
    if (token.single_word && ((first > 0 && in_word(first - 1)) || in_word(last))) {
      i = last;
      continue;
    }
    while (token.takes_left && first > begin && is_white(text[first - 1].code)) --first;
    while (token.takes_right && last < text.size() && is_white(text[last].code)) ++last;
    if (first > begin) out.push_back({piece(begin, first)});
    out.push_back({piece(first, last), &token});
    begin = i = last;
  }
  if (begin < text.size()) out.push_back({piece(begin, text.size())});
  return out;
}

const AddedToken* AddedTokens::of(Index id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &found->second;
}
const AddedToken* AddedTokens::of(const std::string& content) const {
  const auto found = by_content_.find(content);
  return found == by_content_.end() ? nullptr : found->second;
}

}  // namespace heed::data::tokenizers
