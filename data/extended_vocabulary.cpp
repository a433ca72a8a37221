#include "extended_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"

namespace heed::data {

ExtendedVocabulary::ExtendedVocabulary(const Vocabulary& vocabulary,
                                       const std::vector<std::string>& source)
    : known_(&vocabulary) {
  for (const std::string& word : source) {
    if (!known_->contains(word) && id(word) == Vocabulary::kUnknown) more_.push_back(word);
  }
}

Index ExtendedVocabulary::id(std::string_view word) const {
  if (known_->contains(word)) return known_->id(word);
  const auto found = std::find(more_.begin(), more_.end(), word);
  return found == more_.end() ? Vocabulary::kUnknown : known_->size() + (found - more_.begin());
}

std::vector<Index> ExtendedVocabulary::ids(const std::vector<std::string>& words) const {
  std::vector<Index> out;
  out.reserve(words.size());
  for (const std::string& word : words) out.push_back(id(word));
  return out;
}

const std::string& ExtendedVocabulary::word(Index id) const {
  if (id >= known_->size() && id < size()) {
    return more_[static_cast<std::size_t>(id - known_->size())];
  }
  if (id >= size()) {
    throw IndexError(fmt::format("vocabulary: number {} of {} words, {} of them of the source", id,
                                 size(), more_.size()));
  }
  return known_->word(id);
}

}  // namespace heed::data
