// The bAbI tasks (Weston et al. 2015): stories of short sentences with questions among them, plain
// or gzip, one line each:
//
//   3 Mary got the football there.
//   4 Where is the football?<TAB>garden<TAB>3 1        question, answer, lines that it rests on
//
// Lines of a story count from 1; a line 1 begins the next. Words are in lower case, without the
// full stop or question mark; an answer of several ("milk,football") is one word, as in the papers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heed::data {

struct BabiQuestion {
  std::vector<std::string> words;
  std::string answer;
  std::size_t known = 0;              ///< it may use the first so many sentences of its story
  std::vector<std::size_t> supports;  ///< sentences that it rests on, each below `known`
  std::uint64_t line = 0;             ///< where it stands in the file, from 1
};

struct BabiStory {
  std::vector<std::vector<std::string>> sentences;
  std::vector<BabiQuestion> questions;
};

/// Throws IoError when the file cannot be read; FormatError, with path and line, for a line that
/// breaks the format (numbers out of order, a sentence without words or full stop, a question
/// without answer, a support that is no sentence before it, what is not UTF-8), for a story without
/// a question and for a file without a story.
std::vector<BabiStory> read_babi(const std::string& path);

}  // namespace heed::data
