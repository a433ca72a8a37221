// Dropout of attention's weights, by place: 16 bits of the stream decide about each weight, eight
// queries and a key to a block, so that a tile can draw its own and draw them again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "../elementwise/philox_simd.h"
#include "attention_tile.h"

namespace heed::kernels {

/// p in steps of 2^-16.
struct DropoutBound {
  explicit DropoutBound(double p)
      : bound(static_cast<std::uint32_t>(std::lround((1 - p) * 0x1p16))),
        scale(bound == 0 ? 0 : 0x1p16 / bound) {}
  std::uint32_t bound;  ///< a weight is kept whose number is below
  double scale;         ///< of those that are kept
};

/// Queries whose numbers share a block.
inline constexpr Index kDropoutRows = 8;

/// Blocks of the stream that weights [matrices, Q, K] take.
inline Index dropout_blocks(Index matrices, Index Q, Index K) {
  return matrices * ((Q + kDropoutRows - 1) / kDropoutRows) * K;
}

/// The numbers of a tile's weights.
template <class T>
class TileDropout {
 public:
  TileDropout(const AttentionPlan& plan, const LeadingAxes& axes, Index most_keys)
      : plan_(plan), axes_(axes), drop_(plan.dropout) {
    if (!drops()) return;
    numbers_ =
        std::make_unique<std::uint16_t[]>(static_cast<std::size_t>(most_keys * QueryTile::kMost));
    blocks_ = std::make_unique<std::uint32_t[]>(static_cast<std::size_t>(4 * most_keys));
  }
  bool drops() const { return plan_.dropout > 0; }

  /// Draws those of a tile.
  void draw(Index unit, const QueryTile& tile, KeyRange keys) {
    step_ = padded<T>(tile.count);
    keys_ = keys.size();
    const Index row_blocks = (plan_.Q + kDropoutRows - 1) / kDropoutRows;
    for (Index r = 0; r < tile.run_count; ++r) {
      const QueryTile::Run& run = tile.runs[static_cast<std::size_t>(r)];
      const Index matrix = plan_.matrices_before(axes_, unit, run.member);
      for (Index i = 0; i < run.count;) {
        const Index query = run.query + i, into = query % kDropoutRows;
        const Index count = std::min(kDropoutRows - into, run.count - i);
        const Index first = (matrix * row_blocks + query / kDropoutRows) * plan_.K + keys.begin;
        simd::philox(plan_.draws.seed, plan_.draws.offset + static_cast<std::uint64_t>(first),
                     static_cast<std::size_t>(keys_), blocks_.get());
        take(run.row + i, into, count);
        i += count;
      }
    }
  }
  /// x [keys, step], of the tile drawn last, becomes what dropout leaves of it.
  void apply(T* x) const {
    simd::tiles<T>().drop(keys_ * step_, numbers_.get(), drop_.bound, static_cast<T>(drop_.scale),
                          x);
  }

 private:
  // Those from `into` on of each block, for `count` rows.
  void take(Index row, Index into, Index count) {
    const auto* from = reinterpret_cast<const std::byte*>(blocks_.get()) + 2 * into;
    std::uint16_t* to = numbers_.get() + row;
    if (count == kDropoutRows) {
      for (Index j = 0; j < keys_; ++j) std::memcpy(to + j * step_, from + 16 * j, 16);
      return;
    }
    for (Index j = 0; j < keys_; ++j) {
      std::memcpy(to + j * step_, from + 16 * j, static_cast<std::size_t>(2 * count));
    }
  }

  const AttentionPlan& plan_;
  const LeadingAxes& axes_;
  DropoutBound drop_;
  std::unique_ptr<std::uint16_t[]> numbers_;  // [keys, step]
  std::unique_ptr<std::uint32_t[]> blocks_;   // of eight rows
  Index keys_ = 0, step_ = 0;
};

}  // namespace heed::kernels
