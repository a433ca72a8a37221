#include "pre_tokenisers.h"

#include <algorithm>

#include "../../core/quoted.h"
#include "normalisers.h"
#include "pattern.h"
#include "unicode.h"

namespace heed::data::tokenizers {
namespace {

using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;

// GPT-2's words: contractions, letters, numbers and others with a space before them, spaces.
constexpr const char* kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// Each piece cut into these of its parts.
template <class Parts>
PreTokeniser each_piece(Parts parts) {
  return [parts](std::vector<Text>& pieces) {
    std::vector<Text> out;
    for (const Text& piece : pieces) {
      for (const auto& [begin, end] : parts(piece)) {
        out.emplace_back(piece.begin() + static_cast<std::ptrdiff_t>(begin),
                         piece.begin() + static_cast<std::ptrdiff_t>(end));
      }
    }
    pieces = std::move(out);
  };
}

// Runs of characters of one kind are matches; alone: each by itself.
template <class Kind>
Ranges runs(const Text& text, const Kind& wanted, bool alone) {
  Ranges out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!wanted(text[i].code)) continue;
    if (!alone && !out.empty() && out.back().second == i) {
      out.back().second = i + 1;
    } else {
      out.emplace_back(i, i + 1);
    }
  }
  return out;
}

PreTokeniser byte_level(const JsonView& json) {
  const bool prefix = json.truth("add_prefix_space", true), words = json.truth("use_regex", true);
  const Pattern pattern = Pattern::expression(kGpt2);
  return [=](std::vector<Text>& pieces) {
    std::vector<Text> out;
    for (Text& piece : pieces) {
      if (prefix && !piece.empty() && piece[0].code != ' ') {
        piece.insert(piece.begin(), {' ', piece[0].begin, piece[0].end});
      }
      const Ranges parts = words ? cut_at(piece.size(), pattern.matches(piece), Cut::isolated)
                                 : Ranges{{0, piece.size()}};
      for (const auto& [begin, end] : parts) {
        out.emplace_back(piece.begin() + static_cast<std::ptrdiff_t>(begin),
                         piece.begin() + static_cast<std::ptrdiff_t>(end));
        show_bytes(out.back());
      }
    }
    pieces = std::move(out);
  };
}

PreTokeniser metaspace(const JsonView& json) {
  const Text mark = characters(json.text("replacement", "\xE2\x96\x81"));
  if (mark.size() != 1) json["replacement"].fail("must be one character");
  const char32_t sign = mark[0].code;
  const bool cuts = json.truth("split", true);
  // Older files say add_prefix_space.
  const std::string scheme =
      json.text("prepend_scheme", json.truth("add_prefix_space", true) ? "always" : "never");
  if (scheme != "always" && scheme != "never" && scheme != "first") {
    json["prepend_scheme"].fail("is " + in_quotes(scheme) + ", which is not known");
  }
  return [=](std::vector<Text>& pieces) {
    std::vector<Text> out;
    for (Text& piece : pieces) {
      for (Char& each : piece) {
        if (each.code == ' ') each.code = sign;
      }
      const bool wanted =
          scheme == "always" || (scheme == "first" && !piece.empty() && piece[0].begin == 0);
      if (wanted && !piece.empty() && piece[0].code != sign) {
        piece.insert(piece.begin(), {sign, piece[0].begin, piece[0].end});
      }
      if (!cuts) {
        out.push_back(std::move(piece));
        continue;
      }
      const Ranges marks = runs(
          piece, [&](char32_t code) { return code == sign; }, true);
      for (const auto& [begin, end] : cut_at(piece.size(), marks, Cut::with_next)) {
        out.emplace_back(piece.begin() + static_cast<std::ptrdiff_t>(begin),
                         piece.begin() + static_cast<std::ptrdiff_t>(end));
      }
    }
    pieces = std::move(out);
  };
}

}  // namespace

PreTokeniser read_pre_tokeniser(const JsonView& json) {
  if (json.is_null()) return [](std::vector<Text>&) {};
  const std::string type = json["type"].text();
  if (type == "ByteLevel") return byte_level(json);
  if (type == "Metaspace") return metaspace(json);
  if (type == "Whitespace") {
    // \w+|[^\w\s]+, by Unicode's words: marks belong to them, fractions do not.
    return each_piece([](const Text& text) {
      Ranges out;
      int before = 0;  // 0: white space
      for (std::size_t i = 0; i < text.size(); ++i) {
        const int kind = is_white(text[i].code) ? 0 : is_word(text[i].code) ? 1 : 2;
        if (kind != 0 && kind == before) {
          out.back().second = i + 1;
        } else if (kind != 0) {
          out.emplace_back(i, i + 1);
        }
        before = kind;
      }
      return out;
    });
  }
  if (type == "WhitespaceSplit") {
    return each_piece([](const Text& text) {
      return cut_at(text.size(), runs(text, is_white, true), Cut::removed);
    });
  }
  const auto is_mark_of_bert = [](char32_t code) {
    return (code > ' ' && code < 0x7F && !is_word(code)) || code == '_' || is_punctuation(code);
  };
  if (type == "BertPreTokenizer") {
    return each_piece([=](const Text& text) {
      Ranges out;
      for (const auto& [begin, end] :
           cut_at(text.size(), runs(text, is_white, true), Cut::removed)) {
        const Text word(text.begin() + static_cast<std::ptrdiff_t>(begin),
                        text.begin() + static_cast<std::ptrdiff_t>(end));
        for (const auto& [first, last] :
             cut_at(word.size(), runs(word, is_mark_of_bert, true), Cut::isolated)) {
          out.emplace_back(begin + first, begin + last);
        }
      }
      return out;
    });
  }
  if (type == "Punctuation") {
    const Cut cut = json.has("behavior") ? read_cut(json["behavior"]) : Cut::isolated;
    return each_piece([=](const Text& text) {
      return cut_at(text.size(), runs(text, is_mark_of_bert, true), cut);
    });
  }
  if (type == "Digits") {
    const bool alone = json.truth("individual_digits", false);
    return each_piece([=](const Text& text) {
      return cut_at(text.size(), runs(text, is_numeric, alone), Cut::isolated);
    });
  }
  if (type == "Split") {
    const bool invert = json.truth("invert", false);
    return each_piece([pattern = Pattern::read(json["pattern"]), cut = read_cut(json["behavior"]),
                       invert](const Text& text) {
      return cut_at(text.size(), pattern.matches(text), cut, invert);
    });
  }
  if (type == "CharDelimiterSplit") {
    const Text given = characters(json["delimiter"].text());
    if (given.size() != 1) json["delimiter"].fail("must be one character");
    return each_piece([sign = given[0].code](const Text& text) {
      return cut_at(text.size(),
                    runs(
                        text, [&](char32_t code) { return code == sign; }, true),
                    Cut::removed);
    });
  }
  if (type == "Sequence") {
    std::vector<PreTokeniser> all;
    const JsonView list = json["pretokenizers"];
    for (std::size_t i = 0; i < list.size(); ++i) all.push_back(read_pre_tokeniser(list[i]));
    return [all](std::vector<Text>& pieces) {
      for (const PreTokeniser& each : all) each(pieces);
    };
  }
  json["type"].fail("is " + in_quotes(type) + ", which is not known");
}

}  // namespace heed::data::tokenizers
