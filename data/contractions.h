// Contractions taken apart as in the Penn Treebank, whose conventions many tagged texts follow:
// "didn't" is "did" and "n't", "it's" is "it" and "'s", "we'll" is "we" and "'ll"; the quotation
// mark behind a word falls away. For words of tokenize().
#pragma once

#include <string>
#include <vector>

namespace heed::data {

std::vector<std::string> split_contractions(const std::vector<std::string>& words);

}  // namespace heed::data
