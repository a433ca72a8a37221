// Stems: the first step of Porter's algorithm (Porter 1980, "An algorithm for suffix stripping"),
// which takes the endings of number and tense off an English word: dogs -> dog, playing -> plai,
// stopped -> stop, hoping -> hope, flies -> fli. What is left need not be a word.
#pragma once

#include <string>
#include <string_view>

namespace heed::data {

/// Of a word in lower case; words of less than three letters, and what has other bytes than a to z,
/// come back as they are.
std::string stem(std::string_view word);

}  // namespace heed::data
