#include "stem.h"

#include <algorithm>
#include <vector>

namespace heed::data {
namespace {

// Of each letter whether it is a vowel: a "y" behind a consonant counts as one.
std::vector<bool> vowels(std::string_view word) {
  std::vector<bool> out(word.size());
  for (std::size_t i = 0; i < word.size(); ++i) {
    out[i] = word[i] == 'y' ? i > 0 && !out[i - 1]
                            : std::string_view("aeiou").find(word[i]) != std::string_view::npos;
  }
  return out;
}

bool has_vowel(std::string_view word) {
  const std::vector<bool> is = vowels(word);
  return std::find(is.begin(), is.end(), true) != is.end();
}

// How often consonants follow vowels: Porter's m.
std::size_t measure(std::string_view word) {
  const std::vector<bool> is = vowels(word);
  std::size_t out = 0;
  for (std::size_t i = 1; i < word.size(); ++i) out += is[i - 1] && !is[i];
  return out;
}

// hop, but not how, box, boy.
bool ends_like_hop(std::string_view word) {
  const std::vector<bool> is = vowels(word);
  const std::size_t n = word.size();
  return n >= 3 && !is[n - 3] && is[n - 2] && !is[n - 1] &&
         std::string_view("wxy").find(word.back()) == std::string_view::npos;
}

std::string without_plural(std::string_view word) {
  if (word.ends_with("sses") || word.ends_with("ies")) word.remove_suffix(2);
  if (word.ends_with("s") && !word.ends_with("ss")) word.remove_suffix(1);
  return std::string(word);
}

// What a verb had before "ed" or "ing" came.
std::string mended(std::string word) {
  if (word.ends_with("at") || word.ends_with("bl") || word.ends_with("iz")) return word + "e";
  const std::size_t n = word.size();
  if (n >= 2 && word[n - 1] == word[n - 2] && !vowels(word).back()) {
    if (std::string_view("lsz").find(word.back()) == std::string_view::npos) word.pop_back();
    return word;
  }
  return measure(word) == 1 && ends_like_hop(word) ? word + "e" : word;
}

std::string without_tense(std::string word) {
  const auto before = [&](std::size_t ending) { return word.substr(0, word.size() - ending); };
  if (word.ends_with("eed")) return measure(before(3)) > 0 ? before(1) : word;
  if (word.ends_with("ed") && has_vowel(before(2))) return mended(before(2));
  if (word.ends_with("ing") && has_vowel(before(3))) return mended(before(3));
  return word;
}

}  // namespace

std::string stem(std::string_view word) {
  const bool plain =
      std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (word.size() < 3 || !plain) return std::string(word);
  std::string out = without_tense(without_plural(word));
  const std::string_view head = std::string_view(out).substr(0, out.size() - 1);
  if (out.ends_with("y") && has_vowel(head)) out.back() = 'i';
  return out;
}

}  // namespace heed::data
