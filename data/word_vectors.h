// Words with a vector each, learned from texts (skip_gram.h) or read from a file as word2vec and
// GloVe write them: UTF-8, plain or gzip, a line a word with its numbers, separated by blanks, with
// or without a first line "WORDS WIDTH".
#pragma once

#include <string>
#include <vector>

#include "skip_gram.h"
#include "vocabulary.h"

namespace heed::data {

struct WordVectors {
  Vocabulary vocabulary;
  /// f32 [vocabulary, width]; that of `<pad>` is 0, and so is `<unk>`'s where a file lacks it.
  Array rows;
};

/// From texts of words; words seen less than `min_count` times are `<unk>`. Throws what skip_gram()
/// and Vocabulary throw.
WordVectors learn_word_vectors(const std::vector<std::vector<std::string>>& texts, Index min_count,
                               const SkipGramOptions& options, Generator& generator);

/// The file's text, without `<pad>`; read back it gives the same bits. The caller writes it. Throws
/// ValueError for a word with a blank or a control character.
std::string to_text(const WordVectors& vectors);

/// Throws IoError; FormatError, with path and line, for a line with another number of numbers, what
/// is no finite number, a word twice or `<pad>`, what is not UTF-8, another number of lines than
/// the first one says, and for a file without a word.
WordVectors read_word_vectors(const std::string& path);

/// Rows of `table`, f32 [vocabulary, width], of words that have a vector become that vector.
/// Returns how many do, `<unk>` apart. Throws ShapeError for a table of another shape, DTypeError.
Index copy_known(const WordVectors& vectors, const Vocabulary& vocabulary, Array& table);

}  // namespace heed::data
