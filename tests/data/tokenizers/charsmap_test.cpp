#include "../../../data/tokenizers/charsmap.h"

#include <gtest/gtest.h>

#include <map>

#include "../../../core/error.h"
#include "../../../data/tokenizers/normalisers.h"
#include "../../support/throws.h"
#include "part.h"

namespace heed::data::tokenizers {
namespace {

// A table as sentencepiece writes one. Each node of the trie has 256 places for its children, at
// the first of which its own value stands.
class Table {
 public:
  void add(const std::string& text, const std::string& by) {
    std::uint32_t node = 256, place = 0;
    for (const char each : text) {
      place = node + static_cast<unsigned char>(each);
      std::uint32_t& next = next_[place];
      if (next == 0) next = 256 * ++nodes_;
      node = next;
    }
    values_[place] = static_cast<std::uint32_t>(texts_.size());
    texts_ += by + '\0';
  }

  std::string bytes() const {
    std::vector<std::uint32_t> units(256 * (nodes_ + 1));
    units[0] = 256u << 10;
    for (const auto& [place, next] : next_) units[place] = (place & 255) | (place ^ next) << 10;
    for (const auto& [place, value] : values_) {
      units[place] |= 1u << 8;
      units[next_.at(place)] = 1u << 31 | value;
    }
    return bytes_of(static_cast<std::uint32_t>(4 * units.size())) + joined(units) + texts_;
  }

 private:
  static std::string bytes_of(std::uint32_t number) {
    std::string out;
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift);
    return out;
  }
  static std::string joined(const std::vector<std::uint32_t>& units) {
    std::string out;
    for (const std::uint32_t unit : units) out += bytes_of(unit);
    return out;
  }
  std::map<std::uint32_t, std::uint32_t> next_, values_;
  std::uint32_t nodes_ = 1;
  std::string texts_;
};

Table letters() {
  Table table;
  table.add("A", "a");
  table.add("\u00E9", "e");
  table.add("\u00F6", "oe");
  table.add("\uFB01", "fi");
  table.add("e\u0301", "E!");
  table.add("\u0301", "");
  return table;
}

TEST(Charsmap, SaysWhatTheShortestBeginningIsWrittenAs) {
  const Charsmap table(letters().bytes());
  EXPECT_EQ(table("A"), "a");
  EXPECT_EQ(table("AB"), "a");
  EXPECT_EQ(table("\u00E9"), "e");
  EXPECT_EQ(table("\u00F6\u00E9"), "oe");
  EXPECT_EQ(table("\u0301"), "");
  EXPECT_EQ(table("e\u0301\u0302"), "E!");
  for (const char* const text : {"B", "e", "\xC3", "\u00E8", "", "\x01"})
    EXPECT_EQ(table(text), std::nullopt) << text;
  EXPECT_EQ(table(std::string_view("\0A", 2)), std::nullopt);
}

TEST(Charsmap, SaysWhatTheLongestBeginningIsWrittenAs) {
  Table more = letters();
  more.add("Ab", "1");
  more.add("Abcd", "2");
  const Charsmap table(more.bytes());
  const auto said = [&](std::string_view text) {
    const Charsmap::Rule rule = table.longest(text);
    return std::pair(rule.length, std::string(rule.by));
  };
  using Said = std::pair<std::size_t, std::string>;
  EXPECT_EQ(said("Abc"), Said(2, "1"));
  EXPECT_EQ(said("Abcde"), Said(4, "2"));
  EXPECT_EQ(said("Ac"), Said(1, "a"));
  EXPECT_EQ(said("\u0301x"), Said(2, ""));
  EXPECT_EQ(said("bA"), Said(0, ""));
  EXPECT_EQ(table("Abcd"), "a");
}

TEST(Charsmap, IsAskedForSoManyBytes) {
  Table table;
  table.add(std::string(1024, 'A'), "a");
  table.add(std::string(1025, 'B'), "b");
  const Charsmap read(table.bytes());
  EXPECT_EQ(read.longest(std::string(1031, 'A')).length, 1024U);
  EXPECT_EQ(read.longest(std::string(1031, 'B')).length, 0U);
}

// Those of a large trie, in steps of 256.
TEST(Charsmap, MayHaveChildrenFarAway) {
  std::string bytes = letters().bytes();
  EXPECT_EQ(Charsmap(bytes)("A"), "a");
  bytes.replace(4, 4, std::string("\0\x06\0\0", 4));  // the root's: 1 step
  EXPECT_EQ(Charsmap(bytes)("A"), "a");
  EXPECT_EQ(Charsmap(bytes)("\u00F6"), "oe");
}

// The library's rules, beside Hugging Face's of the same table above.
TEST(Charsmap, SentencepieceTakesTheLongestRuleAndKeepsWhatUsersDefined) {
  Table table = letters();
  table.add("\u3000", " ");
  table.add("A\u3000", "[x ");
  table.add("B", " y");
  const auto by = [&](std::string_view from, const std::string& more = "") {
    Text text = characters(from);
    part(
        R"({"type": "Sentencepiece", "user_defined": ["<A>", "<A> b"], "precompiled_charsmap": ")" +
            to_base64(table.bytes()) + "\"" + more + "}",
        read_normaliser)(text);
    return text;
  };
  const auto written = [&](std::string_view from, const std::string& more = "") {
    return utf8(by(from, more));
  };
  const std::string keeps = R"(, "remove_extra_whitespaces": false)",
                    bare = R"(, "add_dummy_prefix": false)";
  EXPECT_EQ(written("e\u0301\u0302\u0303", bare), "E!\u0302\u0303");  // of any length
  EXPECT_EQ(written("A<A>A<A> b", bare), "a<A>a<A>\u2581b");
  EXPECT_EQ(written(" \u3000A  b\u3000 "), "\u2581a\u2581b");
  EXPECT_EQ(written("\tb\t"), "\u2581\tb\t");  // white space that is not written as a blank
  EXPECT_EQ(written("A\u3000 b", bare), "[x\u2581b");
  EXPECT_EQ(written(" A  ", keeps), "\u2581\u2581a\u2581\u2581");
  EXPECT_EQ(written(" \u3000"), "");
  EXPECT_EQ(written(" Bb"), "\u2581yb");  // a blank and more
  EXPECT_EQ(written(""), "");
  EXPECT_EQ(written("", keeps), "");
  EXPECT_EQ(places(by("b A")),
            (std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(places(by(" \u0301b")),  // the second is written as nothing
            (std::vector<std::pair<std::size_t, std::size_t>>{{1, 3}, {3, 4}}));
  EXPECT_ERROR_WITH(
      FormatError, "precompiled_charsmap tokenizer: a table of characters that is cut off",
      part(R"({"type": "Sentencepiece", "precompiled_charsmap": "AAAA"})", read_normaliser));
}

// Bytes that are no UTF-8 are U+FFFD each, whatever the table says of that, beside which it counts.
TEST(Charsmap, SentencepieceLeavesBrokenBytesToThemselves) {
  Table table = letters();
  table.add("\uFFFD", " ");
  Text text = characters(
      "A\xF0\x9F\x98"
      "A\xFF\uFFFD"
      "A");
  part(R"({"type": "Sentencepiece", "add_dummy_prefix": false, "user_defined": ["\uFFFD\uFFFD"],
           "precompiled_charsmap": ")" +
           to_base64(table.bytes()) + "\"}",
       read_normaliser)(text);
  EXPECT_EQ(utf8(text),
            "a\uFFFD\uFFFD\uFFFDa\uFFFD\u2581"
            "a");
  EXPECT_EQ(places(text), (std::vector<std::pair<std::size_t, std::size_t>>{
                              {0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 9}, {9, 10}}));
}

TEST(Charsmap, IsReadStrictly) {
  const std::string whole = letters().bytes();
  for (const std::string& bytes :
       {std::string(), whole.substr(0, 3), std::string(4, '\0'), whole.substr(0, 4 + 255),
        std::string("\x03\0\0\0aaaa", 8), std::string("\x08\0\0\0aaaa", 8),
        std::string("\x08\0\0\0aaaaaaa", 11)})
    EXPECT_ERROR(ValueError, "tokenizer: a table of characters that is cut off", Charsmap{bytes});
  // A value behind the texts, and children behind the trie.
  const std::uint32_t trie =
      4 + static_cast<unsigned char>(whole[0]) + 256 * static_cast<unsigned char>(whole[1]);
  EXPECT_EQ(Charsmap(whole.substr(0, trie))("A"), std::nullopt);
  const std::string root("\x04\0\0\0\0\0\x04\0", 8);  // one unit, whose children begin at 256
  EXPECT_EQ(Charsmap(root)("A"), std::nullopt);
  // Nor is a text read as a part of the trie, where it would be an "A" of a value.
  const std::string beside("\x04\0\0\0\0\0\x01\0A\x01\0\0", 12);
  EXPECT_EQ(Charsmap(beside + std::string(997, 'x'))("A"), std::nullopt);
}

TEST(Charsmap, IsAskedOfShortGraphemesWholeAndElseOfEachCharacter) {
  const auto by = [](std::string_view from) {
    Text text = characters(from);
    part(R"({"type": "Precompiled", "precompiled_charsmap": ")" + to_base64(letters().bytes()) +
             "\"}",
         read_normaliser)(text);
    return text;
  };
  EXPECT_EQ(utf8(by("xA\u00F6\uFB01")), "xaoefi");
  EXPECT_EQ(utf8(by("e\u0301x")), "E!x");
  EXPECT_EQ(utf8(by("e\u0301\u0302")), "E!");            // five bytes
  EXPECT_EQ(utf8(by("\u00E9\u0301\u0302")), "e\u0302");  // six: not asked whole
  EXPECT_EQ(utf8(by("e\u0301\u0302\u0303")), "e\u0302\u0303");
  EXPECT_EQ(places(by("x\u00F6")),
            (std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {1, 3}, {1, 3}}));
  EXPECT_ERROR_WITH(
      FormatError, "precompiled_charsmap tokenizer: a table of characters that is cut off",
      part(R"({"type": "Precompiled", "precompiled_charsmap": "AAAA"})", read_normaliser));
}

// The examples of RFC 4648.
TEST(Charsmap, TravelsInBase64) {
  const std::string text = "foobar";
  const char* const written[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
  for (std::size_t i = 0; i <= text.size(); ++i) {
    EXPECT_EQ(to_base64(text.substr(0, i)), written[i]);
    EXPECT_EQ(from_base64(written[i]), text.substr(0, i));
  }
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(from_base64(to_base64(all)), all);
  EXPECT_EQ(to_base64("\xFB\xFF"), "+/8=");
  EXPECT_ERROR(ValueError, "tokenizer: base64 with other characters", from_base64("Zg-="));
}

}  // namespace
}  // namespace heed::data::tokenizers
