#include "model.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../core/error.h"
#include "../../core/quoted.h"

namespace heed::data::tokenizers {
namespace {

// A word is a token, or unknown.
class WordLevel final : public Model {
 public:
  explicit WordLevel(const JsonView& json) {
    read_vocabulary(json["vocab"]);
    unknown_ = named(json, "unk_token");
  }
  std::vector<Part> operator()(const Text& word) const override {
    const std::optional<Index> found = id(utf8(word));
    if (word.empty()) return {};
    if (!found && !unknown_) fail_unknown(utf8(word), "unk_token");
    return {{found ? *found : *unknown_, 0, word.size()}};
  }

 private:
  std::optional<Index> unknown_;
};

}  // namespace

std::optional<Index> Model::id(const std::string& token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

const std::string* Model::token(Index id) const {
  const auto found = tokens_.find(id);
  return found == tokens_.end() ? nullptr : found->second;
}

void Model::add(const JsonView& where, const std::string& token, std::int64_t id) {
  if (id < 0 || id > kLargestId) where.fail(fmt::format("has the number {}", id));
  const auto [place, fresh] = ids_.emplace(token, id);
  if (!fresh) where.fail(in_quotes(token) + " is there twice");
  if (!tokens_.emplace(id, &place->first).second)
    where.fail(fmt::format("has the number {} as another has", id));
  largest_ = std::max(largest_, id);
}

void Model::read_vocabulary(const JsonView& json) {
  if (!json.is_object()) json.fail("must be an object of tokens and their numbers");
  for (std::size_t i = 0; i < json.size(); ++i) add(json[i], json.key(i), json[i].integer());
}

std::optional<Index> Model::named(const JsonView& json, const char* key) const {
  return json.has(key) ? id(json[key].text()) : std::nullopt;
}

void Model::fail_unknown(const std::string& text, const char* key) {
  throw ValueError(
      fmt::format("tokenizer: {} is no token, and the model has no {}", in_quotes(text), key));
}

PieceKinds::PieceKinds(const JsonView& json) {
  const auto read = [&](const char* key, std::set<Index>& to) {
    for (std::size_t i = 0; json.has(key) && i < json[key].size(); ++i)
      to.insert(json[key][i].integer());
  };
  read("user_defined", defined);
  read("unused", unused);
  read("reserved", reserved);
}

std::string name_of_byte(unsigned char byte) { return fmt::format("<0x{:02X}>", byte); }

std::unique_ptr<Model> read_model(const JsonView& json) {
  // Older files do not say the type: merges are BPE's.
  const std::string type = json.text("type", json.has("merges") ? "BPE" : "");
  if (type == "BPE") return read_bpe(json);
  if (type == "WordPiece") return read_word_piece(json);
  if (type == "Unigram") return read_unigram(json);
  if (type == "WordLevel") return std::make_unique<WordLevel>(json);
  json["type"].fail("is " + in_quotes(type) + ", which is not known");
}

}  // namespace heed::data::tokenizers
