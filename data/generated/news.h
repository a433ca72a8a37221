// Generated news of councils: short reports of people and places whose names are made of syllables,
// so many that no vocabulary has them, and headlines that have to copy them.
//
//   on monday the council of kamiro spoke about a new bridge . belodu , a baker , was for it . the
//   farmer rusato of nigela was against it . zakeno did not come . mirafo was in favour .
//   a vote is expected on friday .
//
//   belodu and mirafo for new bridge in kamiro
//
// One to five are for it. The headline lists them in the report's order, so that a writer has to
// know whom it has written. The summary is the sentences that the headline rests on.
#pragma once

#include <string>
#include <vector>

#include "../../core/generator.h"
#include "../articles.h"

namespace heed::data {

struct NewsReport : Article {
  std::vector<std::string> names;  ///< all that it names, none twice
};

/// The next `count` reports of the generator's stream, of 3 to 10 sentences.
std::vector<NewsReport> report_news(Index count, Generator& generator);

}  // namespace heed::data
