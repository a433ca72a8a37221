#include <algorithm>

#include "model.h"
#include "trie.h"

namespace heed::data::tokenizers {
namespace {

// The longest token first (Wu et al. 2016); what goes on within a word begins with "##".
class WordPiece final : public Model {
 public:
  explicit WordPiece(const JsonView& json) : most_(json.integer("max_input_chars_per_word", 100)) {
    read_vocabulary(json["vocab"]);
    const std::string unknown = json.text("unk_token", "[UNK]");
    const std::optional<Index> found = id(unknown);
    if (!found) json["unk_token"].fail("is no token");
    unknown_ = *found;
    const std::string prefix = json.text("continuing_subword_prefix", "##");
    for (const auto& [token, number] : ids()) {
      begin_.add(characters(token), number);
      if (token.starts_with(prefix)) go_on_.add(characters(token.substr(prefix.size())), number);
    }
  }

  std::vector<Part> operator()(const Text& word) const override {
    if (word.empty()) return {};
    std::vector<Part> all_unknown{{unknown_, 0, word.size()}};
    if (std::ssize(word) > most_) return all_unknown;
    std::vector<Part> out;
    for (std::size_t begin = 0; begin < word.size();) {
      Part longest{-1, begin, begin};
      (begin > 0 ? go_on_ : begin_).at(word, begin, [&](std::size_t end, Index token) {
        longest = {token, begin, end};
      });
      if (longest.id < 0) return all_unknown;
      out.push_back(longest);
      begin = longest.end;
    }
    return out;
  }

 private:
  Index most_, unknown_ = 0;
  Trie begin_, go_on_;  // tokens that begin words, and others, without their prefix
};

}  // namespace

std::unique_ptr<Model> read_word_piece(const JsonView& json) {
  return std::make_unique<WordPiece>(json);
}

}  // namespace heed::data::tokenizers
