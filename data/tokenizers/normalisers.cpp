#include "normalisers.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "../../core/error.h"
#include "../../core/quoted.h"
#include "../utf8.h"
#include "charsmap.h"
#include "pattern.h"
#include "sentencepiece_normaliser.h"
#include "unicode.h"

namespace heed::data::tokenizers {
namespace {

// GPT-2's table: bytes that can be shown stand for themselves, the others for U+0100 and on.
struct Shown {
  std::array<char32_t, 256> of;
  std::map<char32_t, int> back;
  Shown() {
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      const bool plain = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
      of[static_cast<std::size_t>(byte)] = plain ? static_cast<char32_t>(byte) : next++;
      back.emplace(of[static_cast<std::size_t>(byte)], byte);
    }
  }
};
const Shown& shown() {
  static const Shown table;
  return table;
}

void keep(Text& text, bool (*wanted)(char32_t)) {
  std::erase_if(text, [&](const Char& each) { return !wanted(each.code); });
}

Normaliser bert(const JsonView& json) {
  const bool cleans = json.truth("clean_text", true),
             spaces = json.truth("handle_chinese_chars", true),
             lowers = json.truth("lowercase", true), strips = json.truth("strip_accents", lowers);
  return [=](Text& text) {
    if (cleans) {
      std::erase_if(text, [](const Char& each) {
        const bool blank = each.code == '\t' || each.code == '\n' || each.code == '\r';
        return each.code == kReplacement || (!blank && is_other(each.code));
      });
      for (Char& each : text) {
        if (is_white(each.code)) each.code = ' ';
      }
    }
    if (spaces) {
      Text out;
      for (const Char& each : text) {
        const bool alone = is_ideograph(each.code);
        if (alone) out.push_back({' ', each.begin, each.end});
        out.push_back(each);
        if (alone) out.push_back({' ', each.begin, each.end});
      }
      text = std::move(out);
    }
    if (strips) {
      normalise(text, NormalForm::nfd);
      keep(text, [](char32_t code) { return !is_spacing_free(code); });
    }
    if (lowers) lower(text);
  };
}

Normaliser replace(const JsonView& json) {
  const Pattern pattern = Pattern::read(json["pattern"]);
  const Text by = characters(json["content"].text());
  return [=](Text& text) {
    Text out;
    std::size_t at = 0;
    for (const auto& [begin, end] : pattern.matches(text)) {
      out.insert(out.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                 text.begin() + static_cast<std::ptrdiff_t>(begin));
      for (const Char& each : by) out.push_back({each.code, text[begin].begin, text[end - 1].end});
      at = end;
    }
    out.insert(out.end(), text.begin() + static_cast<std::ptrdiff_t>(at), text.end());
    text = std::move(out);
  };
}

// Of each grapheme what the table says of it, or else of each of its characters.
Normaliser precompiled(const JsonView& json) {
  std::shared_ptr<const Charsmap> table;
  try {
    table = std::make_shared<const Charsmap>(from_base64(json["precompiled_charsmap"].text()));
  } catch (const ValueError& error) {
    json["precompiled_charsmap"].fail(error.what());
  }
  return [table](Text& text) {
    constexpr std::size_t kShort = 6;  // bytes: longer ones are not asked for whole
    Text out;
    out.reserve(text.size());
    const auto put = [&](std::string_view by, std::size_t begin, std::size_t end) {
      for (const Char& each : characters(by))
        out.push_back({each.code, text[begin].begin, text[end - 1].end});
    };
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = grapheme_end(text, begin);
      const std::string whole = utf8(text, begin, end);
      if (const auto by = whole.size() < kShort ? (*table)(whole) : std::nullopt) {
        put(*by, begin, end);
        begin = end;
      }
      for (; begin < end; ++begin) {
        if (const auto by = (*table)(utf8(text, begin, begin + 1))) {
          put(*by, begin, begin + 1);
        } else {
          out.push_back(text[begin]);
        }
      }
    }
    text = std::move(out);
  };
}

}  // namespace

char32_t shown_byte(unsigned char byte) { return shown().of[byte]; }

int byte_shown_as(char32_t code) {
  const auto found = shown().back.find(code);
  return found == shown().back.end() ? -1 : found->second;
}

void show_bytes(Text& text) {
  Text out;
  out.reserve(text.size());
  std::string bytes;
  for (const Char& each : text) {
    bytes.clear();
    append_utf8(bytes, each.code);
    for (const char byte : bytes) {
      out.push_back({shown_byte(static_cast<unsigned char>(byte)), each.begin, each.end});
    }
  }
  text = std::move(out);
}

Normaliser read_normaliser(const JsonView& json) {
  if (json.is_null()) return [](Text&) {};
  const std::string type = json["type"].text();
  const std::map<std::string, NormalForm> forms = {{"NFC", NormalForm::nfc},
                                                   {"NFD", NormalForm::nfd},
                                                   {"NFKC", NormalForm::nfkc},
                                                   {"NFKD", NormalForm::nfkd}};
  if (const auto form = forms.find(type); form != forms.end()) {
    return [own = form->second](Text& text) { normalise(text, own); };
  }
  if (type == "Lowercase") return lower;
  if (type == "StripAccents") {
    return [](Text& text) { keep(text, [](char32_t code) { return !is_mark(code); }); };
  }
  if (type == "Strip") {
    const bool left = json.truth("strip_left", true), right = json.truth("strip_right", true);
    return [=](Text& text) {
      const auto stays = [](const Char& each) { return !is_white(each.code); };
      if (right) text.erase(std::find_if(text.rbegin(), text.rend(), stays).base(), text.end());
      if (left) text.erase(text.begin(), std::find_if(text.begin(), text.end(), stays));
    };
  }
  if (type == "Prepend") {
    return [by = characters(json["prepend"].text())](Text& text) {
      if (text.empty()) return;
      Text all;
      for (const Char& each : by) all.push_back({each.code, text[0].begin, text[0].end});
      text.insert(text.begin(), all.begin(), all.end());
    };
  }
  if (type == "Replace") return replace(json);
  if (type == "BertNormalizer") return bert(json);
  if (type == "Precompiled") return precompiled(json);
  if (type == "Sentencepiece") return read_sentencepiece_normaliser(json);
  if (type == "ByteLevel") return show_bytes;
  if (type == "Sequence") {
    std::vector<Normaliser> all;
    const JsonView list = json["normalizers"];
    for (std::size_t i = 0; i < list.size(); ++i) all.push_back(read_normaliser(list[i]));
    return [all](Text& text) {
      for (const Normaliser& each : all) each(text);
    };
  }
  json["type"].fail("is " + in_quotes(type) + ", which is not known");
}

}  // namespace heed::data::tokenizers
