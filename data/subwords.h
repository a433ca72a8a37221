// Coders of words (words.h) or of subwords: learned from lines, or read from a model's folder.
//
// Subwords are byte-pair encoding (Sennrich et al. 2016) as the sentencepiece library does it,
// without normalisation. A subword that begins a word begins with U+2581, which stands for the
// blank before it; in a text that character counts as a blank. Kept is the vocabulary alone, the
// marks first, then the subwords in the order in which merging found them, which is all that
// encoding needs.
//
// This is a library of its own, heed::subwords, so that programs without subwords do not need
// sentencepiece. Where it was not there to build with, words work, and subwords throw.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "coder.h"

namespace heed::data {

inline constexpr std::string_view kSubwords = "subwords";  ///< the coder's name

/// At most `count` subwords, the marks included. Throws ValueError where that is less than the
/// characters of the lines, and without sentencepiece.
std::unique_ptr<Coder> learn_subwords(const std::vector<const std::string*>& lines, Index count);
/// The first four entries are the marks. Throws ValueError for subwords that cannot be, and without
/// sentencepiece.
std::unique_ptr<Coder> make_subwords(Vocabulary vocabulary);

struct CoderOptions {
  Index subwords = 0;   ///< at most so many subwords (byte-pair encoding); 0: words
  Index min_count = 2;  ///< of a word; others are unknown
  Index max_words = 0;  ///< the most frequent; 0: no limit
};

/// Learns a coder from lines. Throws ValueError for options that make no sense, for lines without a
/// word, and for subwords where the program was built without sentencepiece.
std::unique_ptr<Coder> learn_coder(const std::vector<const std::string*>& lines,
                                   const CoderOptions& options);
/// What serialize() made. Throws FormatError with `path`.
std::unique_ptr<Coder> parse_coder(const std::string& content, const std::string& path);
/// Whether subwords are there.
bool has_subwords();

}  // namespace heed::data
