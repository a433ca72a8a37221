// Generated documents: reviews of a film whose class follows from what one or two sentences say of
// the film itself. All other sentences are distractors: they say good or bad things of the popcorn,
// the seats, the weather, in the same words, or name the film without judging it. A third of all
// judgements is negated ("was far from dull"). So neither the words nor their counts tell the
// class; the place of the evidence does, and it is known.
#pragma once

#include <string>
#include <vector>

#include "../../core/generator.h"

namespace heed::data {

struct GeneratedDocument {
  std::vector<std::string> sentences;
  std::vector<bool> evidence;  ///< of each sentence: it judges the film
  std::string label;           ///< "positive" or "negative"
};

/// The next `count` documents of the generator's stream.
std::vector<GeneratedDocument> generate_documents(Index count, Generator& generator);

}  // namespace heed::data
