// Batches that a task draws for itself: of each no more than a seed and how many rows.
//
//   auto batches = data::seeded_rows(64, seed);
//   run(batches, [&](const data::SeededRows& batch) {
//     Generator generator(batch.seed);
//     return loss_of(draw(batch.count, generator));
//   });
#pragma once

#include <cstdint>

#include "../../core/generator.h"
#include "../loader.h"

namespace heed::data {

struct SeededRows {
  std::uint64_t seed = 0;
  Index count = 0;
};
/// For what is cut in pieces (../pieces.h), each of which draws rows of its own.
inline Index rows_of(const SeededRows& batch) { return batch.count; }
inline SeededRows part_of(const SeededRows& batch, Index begin, Index end) {
  return {batch.seed + static_cast<std::uint64_t>(begin), end - begin};
}

/// Without end, each with the next number of the seed's stream.
inline auto seeded_rows(Index count, std::uint64_t seed) {
  return drawn([count](Generator& generator) { return SeededRows{generator.next(), count}; }, seed);
}

}  // namespace heed::data
