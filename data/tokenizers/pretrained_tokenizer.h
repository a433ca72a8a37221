// Hugging Face's tokenizer.json: a tokenizer as somebody trained it, with all that stands around
// its model.
//
//   const auto tokenizer = data::PretrainedTokenizer::read(folder + "/tokenizer.json");
//   const data::TokenizedText text = tokenizer.encode("Hello, world");
//   tokenizer.decode(text.ids);
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/shape.h"

namespace heed::data {

struct TokenizedText {
  std::vector<Index> ids;
  std::vector<std::string> tokens;
  /// Of each token the bytes of the text it stands for (of the text that it is of; 0, 0 of special
  /// ones).
  std::vector<std::pair<std::size_t, std::size_t>> offsets;
  std::vector<Index> types;   ///< as the file's post-processor says; else 1 of the second text
  std::vector<bool> special;  ///< put there, not of a text
};

/// The file's "truncation" and "padding" are not applied: texts have all of their tokens.
class PretrainedTokenizer {
 public:
  /// Strict: throws IoError, FormatError for broken JSON, for parts that are not known, by name and
  /// place, for numbers that are negative, there twice or above 2^30, and for merges of tokens that
  /// are not there. Memory follows the file's size.
  static PretrainedTokenizer read(const std::string& path);
  /// sentencepiece's .model, of Unigram or BPE (tokenizers/sentencepiece_model.h). Throws IoError,
  /// FormatError.
  static PretrainedTokenizer read_sentencepiece(const std::string& path);
  static PretrainedTokenizer parse(std::string_view json, const std::string& path);

  /// What is no UTF-8 is U+FFFD, of sentencepiece's models one for each byte. `special`: with the
  /// tokens around a text. Throws ValueError for a text of 4 GB or more, for one on which a regular
  /// expression of the file takes too long, and for what is unknown to a model that has no token
  /// for that (of Unigram and WordLevel, and of BPE where the token that is named is not there).
  TokenizedText encode(std::string_view text, bool special = true) const;
  /// Two texts, as for a question and its passage. Throws as encode().
  TokenizedText encode_pair(std::string_view first, std::string_view second,
                            bool special = true) const;
  /// Each of them, by all threads.
  std::vector<TokenizedText> encode(const std::vector<std::string>& texts,
                                    bool special = true) const;

  /// Throws ValueError for a number that is nobody's. `special`: special tokens are written, too.
  std::string decode(const std::vector<Index>& ids, bool special = false) const;

  /// One more than the largest number.
  Index size() const;
  /// -1: no such token.
  Index id(const std::string& token) const;
  /// Throws ValueError for a number that is nobody's.
  const std::string& token(Index id) const;

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

}  // namespace heed::data
