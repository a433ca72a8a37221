#include "tokenizer.h"

#include <array>
#include <utility>

#include "markup.h"
#include "utf8.h"

namespace heed::data {
namespace {

constexpr char32_t kCurlyApostrophe = 0x2019;

// What an ASCII byte does; decides nearly all of an English text without decoding.
enum class Ascii : unsigned char { separates, word, token };
constexpr std::array<Ascii, 128> make_ascii() {
  std::array<Ascii, 128> table{};
  for (unsigned c = 'a'; c <= 'z'; ++c) table[c] = table[c - 32] = Ascii::word;
  for (unsigned c = '0'; c <= '9'; ++c) table[c] = Ascii::word;
  table['\''] = Ascii::word;
  for (const char c : std::string_view("!?.,;:()\"-")) {
    table[static_cast<unsigned char>(c)] = Ascii::token;
  }
  return table;
}
constexpr std::array<Ascii, 128> kAscii = make_ascii();

bool is_word_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return false;
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return kAscii[byte] == Ascii::word;
  return classify(decode_utf8(text, at).code) == CharClass::word;
}

// Reads the word that begins at `at` into `word`, lower-cased, and returns where it ends.
std::size_t read_word(std::string_view text, std::size_t at, std::string& word) {
  std::size_t characters = 0;
  bool letter = false;  // right before
  while (at < text.size()) {
    char32_t code = static_cast<unsigned char>(text[at]);
    std::size_t length = 1;
    if (code < 0x80) {
      if (kAscii[code] != Ascii::word) break;
    } else {
      const Decoded c = decode_utf8(text, at);
      length = c.length;
      if (c.code == kCurlyApostrophe && letter && is_word_at(text, at + length)) {
        code = '\'';  // don't written with the typographer's apostrophe
      } else if (classify(c.code) == CharClass::word) {
        code = c.code;
      } else {
        break;
      }
    }
    if (characters++ < kLongestWord) {
      if (code < 0x80) {
        word.push_back(static_cast<char>(to_lower(code)));
      } else {
        append_utf8(word, to_lower(code));
      }
    }
    at += length;
    letter = code != '\'';
  }
  return at;
}

// Calls emit(token, begin, end) for each token.
template <class Emit>
void scan(std::string_view text, const Emit& emit) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (is_word_at(text, at)) {
      std::string word;
      at = read_word(text, at, word);
      emit(std::move(word), begin, at);
      continue;
    }
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      const std::size_t tag = byte == '<' ? tag_at(text, at).length : 0;
      at += tag > 0 ? tag : 1;
      if (kAscii[byte] == Ascii::token) emit(std::string(1, text[begin]), begin, at);
      continue;
    }
    const Decoded c = decode_utf8(text, at);
    at += c.length;
    if (classify(c.code) == CharClass::space) continue;
    std::string sign;
    append_utf8(sign, c.code);
    emit(std::move(sign), begin, at);
  }
}

}  // namespace

std::vector<std::string> tokenize(std::string_view text) {
  std::vector<std::string> tokens;
  scan(text,
       [&](std::string token, std::size_t, std::size_t) { tokens.push_back(std::move(token)); });
  return tokens;
}

std::vector<Token> tokenize_with_places(std::string_view text) {
  std::vector<Token> tokens;
  scan(text, [&](std::string token, std::size_t begin, std::size_t end) {
    tokens.push_back({std::move(token), begin, end});
  });
  return tokens;
}

}  // namespace heed::data
