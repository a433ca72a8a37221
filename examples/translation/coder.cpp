#include "coder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "../../core/error.h"
#include "subwords.h"
#include "words.h"

namespace translation {

using heed::FormatError;
using heed::ValueError;
using heed::data::Vocabulary;

std::string Coder::decode(const std::vector<Index>& ids) const {
  std::vector<std::string> parts;
  for (const Index id : ids) {
    std::string text = part(id);
    if (id == kUnknown || id > kEnd) parts.push_back(std::move(text));
  }
  return join(parts);
}

std::string Coder::serialize() const {
  return std::string(name_) + vocabulary_.serialize().substr(kMarks[kPadding].size());
}

std::unique_ptr<Coder> learn_coder(const std::vector<const std::string*>& lines,
                                   const CoderOptions& options) {
  constexpr Index kMost = 1 << 24;  // floats count the merges
  if (options.subwords < 0 || options.subwords > kMost) {
    throw ValueError(
        fmt::format("learn_coder: {} subwords: must be in [0, {}]", options.subwords, kMost));
  }
  if (options.min_count < 0 || options.max_words < 0) {
    throw ValueError(fmt::format("learn_coder: min_count {} and max_words {} must not be negative",
                                 options.min_count, options.max_words));
  }
  const auto blank = [](const std::string* line) { return words_of(*line).empty(); };
  if (std::all_of(lines.begin(), lines.end(), blank)) {
    throw ValueError("learn_coder: the text has no words");
  }
  if (options.subwords > 0) return learn_subwords(lines, options.subwords);
  return std::make_unique<Words>(learn_words(lines, options));
}

std::unique_ptr<Coder> parse_coder(const std::string& content, const std::string& path) {
  const std::size_t end = std::min(content.find('\n'), content.size());
  const std::string_view kind = std::string_view(content).substr(0, end);
  if (kind != Words::kName && kind != kSubwords) {
    throw FormatError::at_line(path, 1,
                               fmt::format("must be \"{}\" or \"{}\"", Words::kName, kSubwords));
  }
  auto vocabulary = Vocabulary::parse(std::string(kMarks[kPadding]) + content.substr(end), path);
  for (Index id = kBegin; id <= kEnd; ++id) {
    const std::string_view mark = kMarks[id];
    if (id >= vocabulary.size() || vocabulary.word(id) != mark) {
      throw FormatError::at_line(path, static_cast<std::uint64_t>(id) + 1,
                                 fmt::format("must be {}", mark));
    }
  }
  for (Index id = kEnd + 1; id < vocabulary.size(); ++id) {
    if (words_of(vocabulary.word(id)) != std::vector<std::string>{vocabulary.word(id)}) {
      throw FormatError::at_line(path, static_cast<std::uint64_t>(id) + 1,
                                 "a word with a blank in it");
    }
  }
  try {
    if (kind == kSubwords) return make_subwords(std::move(vocabulary));
  } catch (const ValueError& error) {
    throw FormatError(path, 0, error.what());
  }
  return std::make_unique<Words>(std::move(vocabulary));
}

}  // namespace translation
