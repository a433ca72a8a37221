// Generated reviews of restaurants, a sentence each, with their aspect and opinion terms. Each
// thing belongs to one of five fields (food, staff, room, price, drinks), each quality suits the
// things of one field. A sentence names things of several fields and qualities of several fields,
// at places that tell nothing; terms are the thing and the quality of the one field of which it has
// both. So no word is a term by itself, and no word next to it makes it one: every word is a term
// in some sentences and none in others.
#pragma once

#include <vector>

#include "../../core/generator.h"
#include "../iob.h"

namespace heed::data {

/// The next `count` sentences of the generator's stream: tags of aspects, then of opinions, at
/// least one span of each. Throws ValueError for a negative count.
std::vector<TaggedSentence> tell_opinions(Index count, Generator& generator);

}  // namespace heed::data
