// A padded batch [B, T, ...] without its padding. Rows are sorted by length, longest first, and cut into
// blocks; inside a block the steps that are real ("tokens") lie time-major, so that the rows still
// running at a step are the block's first ones and are neighbours in memory.
#pragma once

#include <vector>

#include "../array.h"

namespace heed::kernels {

class PackedSequences {
 public:
  /// Some rows of the batch, neighbours in the sorted order.
  struct Block {
    Index first = 0;           ///< place of the first row in the sorted order
    Index rows = 0;
    std::vector<Index> start;  ///< start[t]: token of the first row at step t; one more entry at the end

    Index steps() const { return static_cast<Index>(start.size()) - 1; }
    /// How many rows have a step t.
    Index active(Index t) const { return start[at(t) + 1] - start[at(t)]; }
    Index token(Index row, Index t) const { return start[at(t)] + row; }

   private:
    static std::size_t at(Index t) { return static_cast<std::size_t>(t); }
  };

  /// One length in [0, steps] a row, unchecked; no lengths: all `steps`.
  PackedSequences(Index batch, Index steps, const std::vector<Index>& lengths, Index block_rows);

  Index batch() const { return batch_; }
  Index steps() const { return steps_; }
  Index tokens() const { return tokens_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  /// The batch's row at a place of the sorted order, and its length.
  Index row(Index place) const { return rows_[static_cast<std::size_t>(place)]; }
  Index length(Index place) const { return lengths_[static_cast<std::size_t>(place)]; }

  /// x [B, T, width] -> [tokens, width]. Padding is not read.
  Array pack(const Array& x) const;
  /// [tokens, width or more] -> [B, T, width], zeros in the padding.
  Array unpack(const Array& packed, Index width) const;

 private:
  Index batch_, steps_;
  Index tokens_ = 0;
  std::vector<Index> rows_, lengths_;  // in sorted order
  std::vector<Block> blocks_;
};

}  // namespace heed::kernels
