// Tokens that are found in a text before it is cut: tokenizer.json's "added_tokens".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "../../core/json_tree.h"
#include "../../core/shape.h"
#include "normalisers.h"

namespace heed::data::tokenizers {

struct AddedToken {
  Index id = 0;
  std::string content;
  bool single_word = false, takes_left = false, takes_right = false, normalised = false,
       special = false;
};

/// A part of a text: an added token, or what stands between them.
struct Found {
  Text text;
  const AddedToken* token = nullptr;
};

class AddedTokens {
 public:
  /// "in_texts": false, ours: a token that is put there and never found. Throws FormatError for a
  /// number or a content that is there twice.
  AddedTokens(const JsonView& json, const Normaliser& normaliser);

  /// The text cut at those of them that are (not) looked for in what is normalised: of several at a
  /// place the longest.
  std::vector<Found> cut(const Text& text, bool normalised) const;

  const AddedToken* of(Index id) const;
  const AddedToken* of(const std::string& content) const;
  Index largest() const { return by_id_.empty() ? -1 : by_id_.rbegin()->first; }

 private:
  struct Pattern {
    std::u32string text;
    const AddedToken* token;
  };
  std::map<Index, AddedToken> by_id_;
  std::map<std::string, const AddedToken*> by_content_;
  std::map<char32_t, std::vector<Pattern>> raw_,
      normalised_;  // by their first characters, the longest first
};

}  // namespace heed::data::tokenizers
