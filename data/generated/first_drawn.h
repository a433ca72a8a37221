// Parts of one generator's stream, one behind the other, that begin at the same places whatever
// their sizes: a model that learned from more, or fewer, examples than usual is tested on none of
// them.
//
//   const auto draw = [&](Index count) { return data::generate_pairs(count, generator); };
//   auto train = data::first_drawn(sentences, 8000, draw);   // the first of 8,000
//   auto test = data::first_drawn(sentences / 10, 800, draw);
//   auto more = draw(std::max<Index>(sentences - 8000, 0));  // to train on, behind the test
#pragma once

#include <algorithm>

#include "../../core/shape.h"

namespace heed::data {

/// What draw(count) gives, the next `count` of a stream, `usual` at most; behind it the stream
/// stands where `usual` of them end. Throws what draw() throws.
template <class Draw>
auto first_drawn(Index count, Index usual, const Draw& draw) {
  const Index some = std::min(count, usual);
  auto out = draw(some);
  if (some < usual) draw(usual - some);
  return out;
}

}  // namespace heed::data
