#include "sentencepiece_normaliser.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "../../core/error.h"
#include "../utf8.h"
#include "charsmap.h"
#include "trie.h"

namespace heed::data::tokenizers {
namespace {

constexpr char32_t kMark = 0x2581;
constexpr char kNoUtf8 = '\xFF';  // in no table

class Sentencepiece {
 public:
  explicit Sentencepiece(const JsonView& json)
      : prefix_(json.truth("add_dummy_prefix", true)),
        removes_(json.truth("remove_extra_whitespaces", true)) {
    if (json.has("precompiled_charsmap")) {
      const JsonView table = json["precompiled_charsmap"];
      try {
        table_.emplace(from_base64(table.text()));
      } catch (const ValueError& error) {
        table.fail(error.what());
      }
    }
    const JsonView defined = json["user_defined"];
    for (std::size_t i = 0; !defined.is_null() && i < defined.size(); ++i)
      defined_.add(characters(defined[i].text()), static_cast<Index>(i));
  }

  void operator()(Text& text) const {
    const Places places(text);
    Text next, out;
    out.reserve(text.size() + 1);
    std::size_t at = 0;
    while (removes_ && at < text.size()) {
      const std::size_t end = written(text, places, at, next);
      if (next.size() != 1 || next[0].code != ' ') break;
      at = end;
    }
    if (at < text.size() && prefix_) out.push_back({kMark, text[at].begin, text[at].end});
    bool after_blank = removes_;
    while (at < text.size()) {
      at = written(text, places, at, next);
      auto from = next.begin();
      while (after_blank && from != next.end() && from->code == ' ') ++from;
      if (from != next.end()) after_blank = removes_ && next.back().code == ' ';
      for (; from != next.end(); ++from)
        out.push_back({from->code == ' ' ? kMark : from->code, from->begin, from->end});
    }
    while (removes_ && !out.empty() && out.back().code == kMark) out.pop_back();
    text = std::move(out);
  }

 private:
  // The text's bytes, and where each character begins among them.
  struct Places {
    explicit Places(const Text& text) {
      for (const Char& each : text) {
        begins.push_back(bytes.size());
        if (each.broken) {
          bytes += kNoUtf8;
        } else {
          append_utf8(bytes, each.code);
        }
      }
      begins.push_back(bytes.size());
    }
    std::string bytes;
    std::vector<std::size_t> begins;
  };

  // What the characters at `begin` are written as, and where they end.
  std::size_t written(const Text& text, const Places& places, std::size_t begin, Text& out) const {
    out.clear();
    if (text[begin].broken) {  // each byte by itself, and not by the table, which may know U+FFFD
      for (std::uint32_t at = text[begin].begin; at < text[begin].end; ++at)
        out.push_back({kReplacement, at, at + 1});
      return begin + 1;
    }
    std::size_t end = begin;
    defined_.at(text, begin, [&](std::size_t found, Index) { end = found; });
    if (end > begin) {
      const auto first = text.begin() + static_cast<std::ptrdiff_t>(begin);
      out.assign(first, first + static_cast<std::ptrdiff_t>(end - begin));
      return end;
    }
    if (table_) {
      const std::size_t place = places.begins[begin];
      const Charsmap::Rule rule = table_->longest(std::string_view(places.bytes).substr(place));
      const auto behind =
          std::lower_bound(places.begins.begin(), places.begins.end(), place + rule.length);
      if (rule.length > 0 && *behind == place + rule.length) {  // whole characters
        end = static_cast<std::size_t>(behind - places.begins.begin());
        for (const Char& each : characters(rule.by))
          out.push_back({each.code, text[begin].begin, text[end - 1].end});
        return end;
      }
    }
    out.push_back(text[begin]);
    return begin + 1;
  }

  bool prefix_, removes_;
  std::optional<Charsmap> table_;
  Trie defined_;
};

}  // namespace

Normaliser read_sentencepiece_normaliser(const JsonView& json) {
  const auto own = std::make_shared<const Sentencepiece>(json);
  return [own](Text& text) { (*own)(text); };
}

}  // namespace heed::data::tokenizers
