// Cloze queries made from passages, for more to learn from: in a passage a word that stands there
// at least twice is blanked in one of its sentences, and the sentence, blank and all, is the query
// (Cui et al. 2016). It stays in the passage, blanked, too.
#pragma once

#include <set>

#include "../core/generator.h"
#include "cloze.h"

namespace heed::data {

struct MadeClozeOptions {
  Index queries = 4;                 ///< of a passage, at most
  Index shortest = 5, longest = 60;  ///< words of a sentence that may become a query
};

/// Of the passage of `row`, its blanks filled with its answer first; each query asks for another of
/// the words `askable`. Places are drawn, so that a word is asked for the likelier the more often
/// it comes. Throws ValueError for negative numbers.
std::vector<Cloze> make_cloze(const Cloze& row, const std::set<std::string>& askable,
                              const MadeClozeOptions& options, Generator& generator);

/// What may be asked for, nouns for the most part: answers of rows, and words of two or more
/// characters, that stand in less than the share `most` of the passages that have rows. Words
/// without a letter or an ideograph are none.
std::set<std::string> askable_words(const std::vector<std::vector<Cloze>>& passages,
                                    double most = 0.1);

/// Rows with the same passage, blanks filled with answers, together, in the order of their first.
std::vector<std::vector<Cloze>> by_passage(std::vector<Cloze> rows);

}  // namespace heed::data
