// Generated passages of who came by what, with a cloze query: "XXXXX owns a red ring ." Of four
// people one bought, found, inherited or was given it, another wanted, sold, lost or saw one; there
// are red lamps and blue rings, too. Everybody is named three times, each of six things twice, in
// an order that tells nothing, and any of the six may be asked for; the query's verb stands nowhere
// in the passage. So no passage tells its answer without the query, and no query without the
// passage.
#pragma once

#include <vector>

#include "../../core/generator.h"
#include "../cloze.h"

namespace heed::data {

/// The next `count` passages of the generator's stream, of 12 sentences. Throws ValueError for a
/// negative count.
std::vector<Cloze> tell_belongings(Index count, Generator& generator);

}  // namespace heed::data
