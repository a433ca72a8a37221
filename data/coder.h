// Text as numbers, and back: words between blanks, or subwords. Four numbers are the same in every
// coder; a word of a text that is spelt like one of these marks is unknown.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vocabulary.h"

namespace heed::data {

inline constexpr Index kPadding = 0, kUnknown = 1, kBegin = 2, kEnd = 3;
/// How the marks are written for people, in the order of their numbers.
inline constexpr std::string_view kMarks[] = {"<pad>", "<unk>", "<s>", "</s>"};

class Coder {
 public:
  virtual ~Coder() = default;
  /// Numbers in [0, size).
  Index size() const { return vocabulary_.size(); }
  /// Without marks. Bytes that are not UTF-8 are replaced first.
  virtual std::vector<Index> encode(std::string_view line) const = 0;
  /// The parts of the line that encode() numbers, one a number, as they stand in it.
  virtual std::vector<std::string> parts(std::string_view line) const = 0;
  /// How the parts are written for people: "<unk>" for the unknown. Throws IndexError.
  std::string part(Index id) const { return vocabulary_.word(id); }
  /// Joins parts into a line, as decoding does: join(parts(line)) is the line, its words with one
  /// blank between them.
  virtual std::string join(const std::vector<std::string>& parts) const = 0;
  /// The line again; padding and marks are left out. Throws IndexError outside [0, size).
  std::string decode(const std::vector<Index>& ids) const;
  /// For the file of a model, read again by parse_coder() of subwords.h: the vocabulary's text,
  /// whose first line says which coder it is in place of the padding.
  std::string serialize() const;

 protected:
  /// The vocabulary's first four entries are the marks; `name` lives as long as the program.
  Coder(std::string_view name, Vocabulary vocabulary)
      : name_(name), vocabulary_(std::move(vocabulary)) {}
  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  std::string_view name_;
  Vocabulary vocabulary_;
};

}  // namespace heed::data
