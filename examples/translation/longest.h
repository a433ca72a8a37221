// The limit of models that learn something for each place of a sentence.
#pragma once

#include <string>

#include "../../core/error.h"
#include "batches.h"

namespace translation {

/// Places that are learned: a sentence of options.longest words, and a mark.
inline Index places(const ModelOptions& options) { return options.longest + 1; }

/// Whether the model is one of these.
inline bool has_places(const ModelOptions& options) {
  return options.model == "conv" || (options.model == "luong" && options.score == "location");
}

/// Whether the model has places for both sides, the mark of each included.
inline bool fits(const ModelOptions& options, const Example& pair) {
  const auto most = static_cast<std::size_t>(places(options));
  return !has_places(options) || (pair.source.size() <= most && pair.target.size() < most);
}

/// Throws ValueError for more words and marks than places.
inline void check_longest(const ModelOptions& options, Index words) {
  if (words <= places(options)) return;
  throw ValueError(options.model + ": " + std::to_string(words) +
                   " words and marks in a sentence: longest " + std::to_string(options.longest) +
                   " leaves room for " + std::to_string(places(options)));
}

/// The same of all pairs, for the models that have places.
inline void check_longest(const ModelOptions& options, const std::vector<Example>& pairs) {
  for (const Example& pair : pairs) {
    if (!has_places(options)) return;
    check_longest(options, static_cast<Index>(pair.source.size()));
    check_longest(options, static_cast<Index>(pair.target.size()) + 1);
  }
}

}  // namespace translation
