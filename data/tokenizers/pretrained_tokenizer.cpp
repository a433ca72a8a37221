#include "pretrained_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../core/error.h"
#include "../../core/parallel.h"
#include "../../core/quoted.h"
#include "../unpacked_file.h"
#include "added_tokens.h"
#include "decoders.h"
#include "model.h"
#include "normalisers.h"
#include "post_processors.h"
#include "pre_tokenisers.h"
#include "sentencepiece_model.h"
#include "unicode.h"

namespace heed::data {

using namespace tokenizers;

struct PretrainedTokenizer::Parts {
  explicit Parts(const JsonView& json)
      : normaliser(read_normaliser(json["normalizer"])),
        added(json["added_tokens"], normaliser),
        pre_tokeniser(read_pre_tokeniser(json["pre_tokenizer"])),
        model(read_model(json["model"])),
        around(read_template(json["post_processor"])),
        decoder(read_decoder(json["decoder"])) {
    for (const auto* const slots : {&around.single, &around.pair}) {
      for (const Slot& slot : *slots) {
        if (slot.text < 0 && name(slot.id) == nullptr) {
          json["post_processor"].fail(
              fmt::format("puts {} there, which is nobody's number", slot.id));
        }
      }
    }
  }

  const std::string* name(Index id) const {
    const AddedToken* const token = added.of(id);
    return token != nullptr ? &token->content : model->token(id);
  }

  void put(TokenizedText& to, Index id, std::size_t begin, std::size_t end) const {
    to.ids.push_back(id);
    to.tokens.push_back(*name(id));
    to.offsets.emplace_back(begin, end);
    to.types.push_back(0);
    to.special.push_back(false);
  }

  void put_words(TokenizedText& to, const Text& text) const {
    std::vector<Text> words{text};
    pre_tokeniser(words);
    for (const Text& word : words) {
      for (const Part& part : (*model)(word)) {
        std::size_t begin = word[part.begin].begin, end = word[part.end - 1].end;
        put(to, part.id, begin, end);
      }
    }
  }

  TokenizedText of(std::string_view text) const {
    TokenizedText out;
    for (const Found& raw : added.cut(characters(text), false)) {
      if (raw.token != nullptr) {
        put(out, raw.token->id, raw.text.front().begin, raw.text.back().end);
        continue;
      }
      Text own = raw.text;
      normaliser(own);
      for (const Found& each : added.cut(own, true)) {
        if (each.token != nullptr) {
          put(out, each.token->id, each.text.front().begin, each.text.back().end);
        } else {
          put_words(out, each.text);
        }
      }
    }
    if (around.trims) trim(out);
    return out;
  }

  // Blanks at a token's ends are not its own: spaces, shown as bytes or not, and white space as it
  // is. A line's end that is shown as a byte stays.
  void trim(TokenizedText& out) const {
    const auto blanks = [](auto from, auto to) {  // how many, and their bytes
      std::pair<std::size_t, std::size_t> found{0, 0};
      for (; from != to; ++from, ++found.first) {
        const bool shown = from->code == shown_byte(' ');
        if (!shown && !is_white(from->code)) break;
        found.second += shown ? 1 : from->end - from->begin;
      }
      return found;
    };
    const auto is_letter = [](char byte) { return byte > ' ' && byte < 0x7f; };  // no blank, alone
    for (std::size_t i = 0; i < out.tokens.size(); ++i) {
      auto& [begin, end] = out.offsets[i];
      const std::string& text = out.tokens[i];
      if (text.empty() || (is_letter(text.front()) && is_letter(text.back()))) continue;
      const Text token = characters(text);
      const auto before = blanks(token.begin(), token.end()),
                 behind = blanks(token.rbegin(), token.rend());
      const bool first = i == 0 || begin == 0;
      if (!(around.keeps_prefix && first && before.first == 1))
        begin = std::min(begin + before.second, end);
      end = std::max(end - std::min(end, behind.second), begin);
    }
  }

  // Without `special` the texts alone, of the same types and in the same order.
  TokenizedText put_around(std::vector<Slot> slots, bool special,
                           std::vector<TokenizedText> texts) const {
    if (!special) std::erase_if(slots, [](const Slot& each) { return each.text < 0; });
    if (slots.size() == 1 && slots[0].text == 0 && slots[0].type == 0) return std::move(texts[0]);
    TokenizedText out;
    for (const Slot& slot : slots) {
      if (slot.text < 0) {
        put(out, slot.id, 0, 0);
        out.special.back() = true;
        out.types.back() = slot.type;
        continue;
      }
      const TokenizedText& own = texts[static_cast<std::size_t>(slot.text)];
      for (std::size_t i = 0; i < own.ids.size(); ++i) {
        put(out, own.ids[i], own.offsets[i].first, own.offsets[i].second);
        out.types.back() = slot.type;
      }
    }
    return out;
  }

  Normaliser normaliser;
  AddedTokens added;
  PreTokeniser pre_tokeniser;
  std::unique_ptr<Model> model;
  Template around;
  Decoder decoder;
};

namespace {

std::string content(const std::string& path) {
  constexpr std::size_t kMost = std::size_t{512} << 20, kStep = 1 << 16;
  UnpackedFile file(path);
  std::string out;
  for (std::size_t size = 0;;) {
    out.resize(size + kStep);
    const std::size_t count = file.read(out.data() + size, kStep);
    out.resize(size += count);
    if (count < kStep) return out;
    if (size > kMost) throw FormatError(path, size, "a tokenizer of more than 512 MB");
  }
}

}  // namespace

PretrainedTokenizer PretrainedTokenizer::parse(std::string_view json, const std::string& path) {
  const JsonTree tree = JsonTree::parse(json, path);
  PretrainedTokenizer out;
  out.parts_ = std::make_shared<const Parts>(JsonView(tree, path));
  return out;
}

PretrainedTokenizer PretrainedTokenizer::read(const std::string& path) {
  return parse(content(path), path);
}

PretrainedTokenizer PretrainedTokenizer::read_sentencepiece(const std::string& path) {
  return parse(from_sentencepiece(content(path), path), path);
}

TokenizedText PretrainedTokenizer::encode(std::string_view text, bool special) const {
  std::vector<TokenizedText> own;
  own.push_back(parts_->of(text));
  return parts_->put_around(parts_->around.single, special, std::move(own));
}

TokenizedText PretrainedTokenizer::encode_pair(std::string_view first, std::string_view second,
                                               bool special) const {
  return parts_->put_around(parts_->around.pair, special, {parts_->of(first), parts_->of(second)});
}

std::vector<TokenizedText> PretrainedTokenizer::encode(const std::vector<std::string>& texts,
                                                       bool special) const {
  std::vector<TokenizedText> out(texts.size());
  parallel_for(std::ssize(texts), 16, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      out[at] = encode(texts[at], special);
    }
  });
  return out;
}

std::string PretrainedTokenizer::decode(const std::vector<Index>& ids, bool special) const {
  std::vector<std::string> tokens;
  for (const Index id : ids) {
    const AddedToken* const added = parts_->added.of(id);
    if (added == nullptr || special || !added->special) tokens.push_back(token(id));
  }
  parts_->decoder(tokens);
  std::string out;
  for (const std::string& each : tokens) out += each;
  return out;
}

Index PretrainedTokenizer::size() const {
  return std::max(parts_->added.largest(), parts_->model->largest()) + 1;
}

Index PretrainedTokenizer::id(const std::string& token) const {
  if (const AddedToken* const found = parts_->added.of(token)) return found->id;
  return parts_->model->id(token).value_or(-1);
}

const std::string& PretrainedTokenizer::token(Index id) const {
  const std::string* const found = parts_->name(id);
  if (found == nullptr) throw ValueError(fmt::format("tokenizer: no token has the number {}", id));
  return *found;
}

}  // namespace heed::data
