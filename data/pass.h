// Pass: one walk over data in batches, what a Loader makes its batches from.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../core/generator.h"
#include "batches.h"
#include "pieces.h"

namespace heed::data {

using PlaceNumbers = std::vector<std::int64_t>;

/// One walk over the data.
template <class Batch>
struct Pass {
  Index count = 0;  ///< of batches; 0 where nobody knows
  /// Makes the next batch; only passes over it where `out` is null. False at the end.
  std::function<bool(std::optional<Batch>* out)> next;
  /// Makes pieces of the next batch, where that can be done without making all of it.
  std::function<bool(const Cutting& cutting, Pieces<Batch>& out)> next_pieces = {};
  /// Where it stands behind the last batch, and how a pass just begun goes on there: for data of
  /// which passing over the batches before would take long. The numbers are the pass's own.
  std::function<PlaceNumbers()> place = {};
  std::function<void(const PlaceNumbers& place)> go_to = {};
};

/// Begins the pass of that number, drawing from the generator.
template <class Batch>
using Begin = std::function<Pass<Batch>(Generator& generator, Index pass)>;

/// The examples of each batch of a pass. Throws ValueError for options that make no sense.
struct Cut {
  Index size = 32, tokens = 0;
  bool packed = false, shuffle = true, drop_last = false;
};
std::vector<std::vector<Index>> cut(Index count, const std::vector<LengthKey>& lengths,
                                    const Cut& how, Generator& generator);

/// A pass over these batches of examples.
template <class Batch, class Make>
Pass<Batch> pass_over(std::vector<std::vector<Index>> batches, Make make) {
  struct Walk {
    std::vector<std::vector<Index>> batches;
    Make make;
    std::size_t at = 0;
  };
  const auto count = static_cast<Index>(batches.size());
  const auto walk = std::make_shared<Walk>(Walk{std::move(batches), std::move(make)});
  const auto next = [walk](std::optional<Batch>* out) {
    if (walk->at == walk->batches.size()) return false;
    const std::vector<Index>& rows = walk->batches[walk->at++];
    if (out) out->emplace(walk->make(rows));
    return true;
  };
  return {count, next, [walk](const Cutting& cutting, Pieces<Batch>& out) {
            if (walk->at == walk->batches.size()) return false;
            const std::vector<Index>& rows = walk->batches[walk->at++];
            out = cut_in_pieces<Batch>(std::ssize(rows), cutting, [&](Index begin, Index end) {
              return walk->make(std::vector<Index>(rows.begin() + begin, rows.begin() + end));
            });
            return true;
          }};
}

}  // namespace heed::data
