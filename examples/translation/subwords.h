// The coder of subwords: byte-pair encoding (Sennrich et al. 2016) as the sentencepiece library
// does it, without normalisation. A subword that begins a word begins with U+2581, which stands for
// the blank before it; in a text that character counts as a blank.
//
// Kept is the vocabulary alone, the marks first, then the subwords in the order in which merging
// found them, which is all that encoding needs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "coder.h"

namespace translation {

inline constexpr std::string_view kSubwords = "subwords";  ///< the coder's name

/// At most `count` subwords, the marks included. Throws ValueError where that is less than the
/// characters of the lines, and without sentencepiece.
std::unique_ptr<Coder> learn_subwords(const std::vector<const std::string*>& lines, Index count);
/// The first four entries are the marks. Throws ValueError for subwords that cannot be, and without
/// sentencepiece.
std::unique_ptr<Coder> make_subwords(heed::data::Vocabulary vocabulary);

}  // namespace translation
