// A padded batch [B, T, ...] without its padding: the real steps ("tokens") of all rows, one row
// after the other; or a batch that came so, [tokens, ...]. A walk along the sequences goes through
// them in blocks of rows, sorted by length with the longest first, so that the rows still running
// at a step are the block's first ones.
#pragma once

#include <vector>

#include "../../array.h"

namespace heed::kernels {

class PackedSequences {
 public:
  /// Neighbours in the order of lengths.
  struct Block {
    Index first = 0;  ///< place of its first row in that order
    Index rows = 0;
  };

  /// One length in [0, steps] a row, unchecked; no lengths: all `steps`.
  PackedSequences(Index batch, Index steps, const std::vector<Index>& lengths, Index block_rows);
  /// Of a batch without padding: row b has the tokens offsets[b] .. offsets[b + 1] - 1, unchecked.
  PackedSequences(const std::vector<Index>& offsets, Index block_rows);

  /// Of the batch as it came: [B, T, width], or [tokens, width].
  Shape shape(Index width) const;
  Index batch() const { return static_cast<Index>(rows_.size()); }
  Index tokens() const { return tokens_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  /// How many rows of a block, its first ones, have a step t.
  Index active(const Block& block, Index t) const;

  struct Row {
    Index index;  ///< in the batch
    Index length;
    Index token;    ///< its first one; the others follow
    Index place;    ///< its first step's in the batch as it came, counted in steps
    Index padding;  ///< steps of no meaning behind its own
  };
  /// The row at a place in the order of lengths.
  const Row& row(Index place) const { return rows_[static_cast<std::size_t>(place)]; }

  /// x of shape(width) -> [tokens, width]: a view where there is no padding. Padding is not read.
  Array pack(const Array& x) const;
  /// [tokens, width] -> shape(width), zeros in the padding; a view where there is none.
  Array unpack(const Array& packed) const;

 private:
  bool is_packed() const { return steps_ < 0; }
  bool full() const { return is_packed() || tokens_ == batch() * steps_; }
  void sort(Index block_rows);

  Index steps_;  // of a padded batch, else -1
  Index tokens_ = 0;
  std::vector<Row> rows_;
  std::vector<Block> blocks_;
};

}  // namespace heed::kernels
