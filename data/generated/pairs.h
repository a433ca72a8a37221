// A generated language pair: English of few words, and its translation into a made-up language
// whose grammar differs where languages do:
//
//   yesterday Mark whom their brave cat did not like knew that her hunters rejected their dogs
//   hesta sabe Marko keo lor mata brava ne guste ke sin jegaros lor kanos visen
//
// Adjectives follow their noun, the last first. They and relative pronouns end as their noun's
// gender and number ask, verbs as their subject's number, which the source's verbs do not show. In
// a main clause the verb stands second ("sabe": knew); in a clause under another it stands last
// ("visen": rejected). "did" has no counterpart. Clauses within clauses make sentences of 2 to 40
// words.
//
// A source has one translation only, and each word of the target is linked to the one word of the
// source that it stands for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../../core/generator.h"

namespace heed::data {

struct GeneratedPair {
  std::string source, target;                      ///< words with a blank between them
  std::vector<std::pair<Index, Index>> alignment;  ///< (source word, target word), sure links
};

/// The next `count` pairs of the generator's stream.
std::vector<GeneratedPair> generate_pairs(Index count, Generator& generator);

}  // namespace heed::data
