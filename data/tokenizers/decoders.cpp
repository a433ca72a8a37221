#include "decoders.h"

#include <algorithm>

#include "../../core/number_in.h"
#include "../../core/quoted.h"
#include "../utf8.h"
#include "normalisers.h"
#include "pattern.h"

namespace heed::data::tokenizers {
namespace {

using Tokens = std::vector<std::string>;

std::string joined(const Tokens& tokens) {
  std::string out;
  for (const std::string& token : tokens) out += token;
  return out;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  if (from.empty()) return;
  std::string out;
  std::size_t begin = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, begin)) {
    out.append(text, begin, at - begin).append(to);
    begin = at + from.size();
  }
  if (begin > 0) text = out.append(text, begin);
}

// Shown bytes become bytes; a token with another character stays as it is.
void byte_level(Tokens& tokens) {
  std::string out;
  for (const std::string& token : tokens) {
    std::string bytes;
    bool shown = true;
    for (const Char& each : characters(token)) {
      const int byte = byte_shown_as(each.code);
      shown = shown && byte >= 0;
      bytes += static_cast<char>(byte);
    }
    out += shown ? bytes : token;
  }
  tokens = {repair_utf8(out)};
}

// "<0xE2>", side by side, are bytes; those that are no UTF-8 are U+FFFD each.
void byte_fallback(Tokens& tokens) {
  const auto byte_of = [](const std::string& token) {
    constexpr std::size_t kSize = 6;
    if (token.size() != kSize || !token.starts_with("<0x") || token.back() != '>') return -1;
    int out = 0;
    const char* const begin = token.data() + 3;
    const auto read = std::from_chars(begin, begin + 2, out, 16);
    return read.ptr == begin + 2 ? out : -1;
  };
  Tokens out;
  std::string bytes;
  const auto end_bytes = [&] {
    if (bytes.empty()) return;
    if (is_valid_utf8(bytes)) {
      out.push_back(bytes);
    } else {
      out.insert(out.end(), bytes.size(), "\xEF\xBF\xBD");
    }
    bytes.clear();
  };
  for (const std::string& token : tokens) {
    const int byte = byte_of(token);
    if (byte >= 0) {
      bytes += static_cast<char>(byte);
      continue;
    }
    end_bytes();
    out.push_back(token);
  }
  end_bytes();
  tokens = std::move(out);
}

Decoder word_piece(const JsonView& json) {
  const std::string prefix = json.text("prefix", "##");
  const bool cleans = json.truth("cleanup", true);
  return [=](Tokens& tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (i > 0) {
        tokens[i] =
            tokens[i].starts_with(prefix) ? tokens[i].substr(prefix.size()) : " " + tokens[i];
      }
      if (!cleans) continue;
      for (const char* const each : {" .", " ?", " !", " ,"})
        replace_all(tokens[i], each, each + 1);
      for (const char* const each : {" ' ", " n't", " 'm", " do not", " 's", " 've", " 're"}) {
        const std::string from = each;
        replace_all(tokens[i], from,
                    from == " ' "       ? "'"
                    : from == " do not" ? " don't"
                                        : from.substr(1));
      }
    }
  };
}

Decoder metaspace(const JsonView& json) {
  const std::string mark = json.text("replacement", "\xE2\x96\x81");
  if (characters(mark).size() != 1) json["replacement"].fail("must be one character");
  const std::string scheme =
      json.text("prepend_scheme", json.truth("add_prefix_space", true) ? "always" : "never");
  return [=](Tokens& tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      // One was put before the text; the library drops all of the first token's.
      replace_all(tokens[i], mark, i == 0 && scheme != "never" ? "" : " ");
    }
  };
}

}  // namespace

Decoder read_decoder(const JsonView& json) {
  if (json.is_null()) {
    return [](Tokens& tokens) {
      for (std::size_t i = 1; i < tokens.size(); ++i) tokens[i] = std::string(1, ' ') + tokens[i];
    };
  }
  const std::string type = json["type"].text();
  if (type == "ByteLevel") return byte_level;
  if (type == "ByteFallback") return byte_fallback;
  if (type == "WordPiece") return word_piece(json);
  if (type == "Metaspace") return metaspace(json);
  if (type == "Fuse") return [](Tokens& tokens) { tokens = {joined(tokens)}; };
  if (type == "BPEDecoder") {
    const std::string suffix = json.text("suffix", "</w>");
    if (suffix.empty()) json["suffix"].fail("is empty");
    return [suffix](Tokens& tokens) {
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        replace_all(tokens[i], suffix, i + 1 == tokens.size() ? "" : " ");
      }
    };
  }
  if (type == "Strip") {
    const Text given = characters(json["content"].text());
    if (given.size() != 1) json["content"].fail("must be one character");
    const std::int64_t start = json.integer("start", 0), stop = json.integer("stop", 0);
    return [=, sign = given[0].code](Tokens& tokens) {
      for (std::string& token : tokens) {
        const Text text = characters(token);
        std::size_t begin = 0, end = text.size();
        for (std::int64_t i = 0; i < start && begin < end && text[begin].code == sign; ++i) ++begin;
        for (std::int64_t i = 0; i < stop && begin < end && text[end - 1].code == sign; ++i) --end;
        token = utf8(text, begin, end);
      }
    };
  }
  if (type == "Replace") {
    const Pattern pattern = Pattern::read(json["pattern"]);
    return [pattern, by = json["content"].text()](Tokens& tokens) {
      for (std::string& token : tokens) {
        const Text text = characters(token);
        std::string out;
        std::size_t at = 0;
        for (const auto& [begin, end] : pattern.matches(text)) {
          out += utf8(text, at, begin) + by;
          at = end;
        }
        token = out + utf8(text, at, text.size());
      }
    };
  }
  if (type == "Sequence") {
    std::vector<Decoder> all;
    const JsonView list = json["decoders"];
    for (std::size_t i = 0; i < list.size(); ++i) all.push_back(read_decoder(list[i]));
    return [all](Tokens& tokens) {
      for (const Decoder& each : all) each(tokens);
    };
  }
  json["type"].fail("is " + in_quotes(type) + ", which is not known");
}

}  // namespace heed::data::tokenizers
