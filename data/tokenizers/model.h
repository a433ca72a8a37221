// What words become: tokenizer.json's "model".
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "../../core/json_tree.h"
#include "../../core/shape.h"
#include "text.h"

namespace heed::data::tokenizers {

/// A token, and the characters of its word that it stands for.
struct Part {
  Index id;
  std::size_t begin, end;
};

class Model {
 public:
  virtual ~Model() = default;
  /// The word's tokens, in order. Nothing for an empty word. Throws ValueError where a token would
  /// have to stand for what is unknown and there is none, as Hugging Face does.
  virtual std::vector<Part> operator()(const Text& word) const = 0;

  std::optional<Index> id(const std::string& token) const;
  /// Null for a number that is nobody's.
  const std::string* token(Index id) const;
  Index largest() const { return largest_; }  ///< number; -1: there are no tokens

 protected:
  const std::unordered_map<std::string, Index>& ids() const { return ids_; }
  /// Throws FormatError for an id that is negative, there twice, or above 2^30.
  void add(const JsonView& where, const std::string& token, std::int64_t id);
  void read_vocabulary(const JsonView& json);
  /// Of options that name a token which must be there; none where it is missing.
  std::optional<Index> named(const JsonView& json, const char* key) const;
  /// `key` is the option that would name a token for it.
  [[noreturn]] static void fail_unknown(const std::string& text, const char* key);

 private:
  std::unordered_map<std::string, Index> ids_;
  std::unordered_map<Index, const std::string*> tokens_;  // numbers may have gaps
  Index largest_ = -1;
};

/// BPE, WordPiece, Unigram, WordLevel. Throws FormatError.
std::unique_ptr<Model> read_model(const JsonView& json);
std::unique_ptr<Model> read_bpe(const JsonView& json);
std::unique_ptr<Model> read_word_piece(const JsonView& json);
std::unique_ptr<Model> read_unigram(const JsonView& json);

/// What sentencepiece has beside other files (ours; empty where the model does not say it).
struct PieceKinds {
  explicit PieceKinds(const JsonView& json);
  std::set<Index> defined;   ///< "user_defined": chosen wherever they stand
  std::set<Index> unused;    ///< "unused": never given, but BPE goes on through them
  std::set<Index> reserved;  ///< "reserved": no text is one of them, such as "<s>"
};

/// "<0x0A>": how a byte is named for which there is no token.
std::string name_of_byte(unsigned char byte);

}  // namespace heed::data::tokenizers
