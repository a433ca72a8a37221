// The words a model knows, numbered: 0 is the padding `<pad>`, 1 the unknown word `<unk>`, then the
// words by falling count. As a text: UTF-8, one word a line, in the order of their numbers. The
// text is made and read here; the caller writes and reads the file.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../core/shape.h"

namespace heed::data {

using WordCounts = std::unordered_map<std::string, Index>;

struct VocabularyOptions {
  Index min_count = 1;  // a word seen less often is unknown
  Index max_words = 0;  // so many words besides the two special ones; 0 for no limit
};

class Vocabulary {
 public:
  static constexpr Index kPadding = 0;
  static constexpr Index kUnknown = 1;

  /// Only `<pad>` and `<unk>`.
  Vocabulary() : Vocabulary(std::vector<std::string>{}) {}
  /// The two special words, then `words`. Throws ValueError for a word twice, an empty one, one
  /// that is not UTF-8 or holds a line end.
  explicit Vocabulary(const std::vector<std::string>& words);
  /// The counted words, most frequent first, equal counts in the order of their bytes. Throws
  /// ValueError as above, and for options below zero.
  static Vocabulary from_counts(const WordCounts& counts, const VocabularyOptions& options = {});

  /// kUnknown for words that are not in it.
  Index id(std::string_view word) const;
  std::vector<Index> ids(const std::vector<std::string>& words) const;
  bool contains(std::string_view word) const { return ids_.find(word) != ids_.end(); }
  /// Throws IndexError outside [0, size).
  const std::string& word(Index id) const;
  /// All words, the two special ones included.
  Index size() const { return static_cast<Index>(words_.size()); }

  std::string serialize() const;
  /// Reads what serialize() made. Throws FormatError, naming `path` and the line, for anything
  /// else: no special words, a word twice, an empty line, bytes that are not UTF-8, a last line cut
  /// short.
  static Vocabulary parse(std::string_view content, const std::string& path);
  /// Throws also for a vocabulary of another size than a model has.
  static Vocabulary parse(std::string_view content, const std::string& path, Index size);

 private:
  // Lets the map be asked with a string_view.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const {
      return std::hash<std::string_view>{}(word);
    }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const { return a == b; }
  };

  // Takes the next number; returns what is wrong with the word, empty when nothing.
  std::string add(std::string_view word);

  std::vector<std::string> words_;
  std::unordered_map<std::string, Index, Hash, Equal> ids_;
};

}  // namespace heed::data
