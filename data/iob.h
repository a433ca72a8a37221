// Tagged sentences as columns, plain or gzip: a line a word with its tags, separated by tabs, an
// empty line between sentences:
//
//   ice<TAB>B<TAB>O
//   cream<TAB>I<TAB>O
//   superb<TAB>O<TAB>B
//
// A tag is B (a span begins), I (it goes on) or O (outside of any), for spans of several types with
// the type behind it: B-LOC, I-LOC (IOB2, Tjong Kim Sang and Veenstra 1999).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../core/shape.h"

namespace heed::data {

struct TaggedSentence {
  std::vector<std::string> words;
  std::vector<std::vector<std::string>> tags;  ///< of each column, one a word
  std::uint64_t line = 0;                      ///< of the first word in the file, from 1
};

/// A longer sentence is an error: more likely a file without empty lines.
inline constexpr Index kLongestTagged = 1000;

/// `columns` of tags behind the word. Throws ValueError unless columns > 0, IoError when the file
/// cannot be read; FormatError, with path and line, for a line with another number of columns, an
/// empty word, a tag that is none, an I that goes on with no span of its type, what is not UTF-8, a
/// control character, a sentence of more than kLongestTagged words, and for a file without any.
std::vector<TaggedSentence> read_iob(const std::string& path, Index columns);

/// Whether B or I, with or without a type, or O.
bool is_iob_tag(const std::string& tag);
/// Labels of tags, whatever their types: 0 for B, 1 for I, 2 for O. Throws ValueError for others.
inline constexpr Index kIobLabels = 3;
std::vector<Index> iob_labels(const std::vector<std::string>& tags);
/// The tags of labels. Throws ValueError for others.
std::vector<std::string> iob_tags(const std::vector<Index>& labels);

}  // namespace heed::data
