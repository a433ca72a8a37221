// A mask as a rule of places, which tiled attention asks of whole blocks before it looks at any
// place of them: blocks that are hidden are never made, blocks that are open need no look.
#pragma once

#include <cstdint>
#include <vector>

#include "../../array.h"

namespace heed::kernels {

/// begin .. end - 1.
struct KeyRange {
  Index begin = 0, end = 0;
  Index size() const { return end - begin; }
  bool empty() const { return end <= begin; }
};

/// How much of a block may be attended to; `some` may be said of any block.
enum class Seen : std::uint8_t { none, some, all };

/// One matrix of scores [Q, K] among those of a call. The first of the leading axes is the batch,
/// the others together are the heads; where an axis is missing its place is 0.
struct ScoresAt {
  const Shape* scores;  ///< [.., Q, K]
  Index batch = 0, head = 0;
};

/// Query i of Q stands at the place i + K - Q among the K keys.
class TileRule {
 public:
  virtual ~TileRule() = default;

  /// Throws in `op`'s name what does not fit scores [.., Q, K].
  virtual void check(const char*, const Shape&) const {}
  /// Whether other batches or heads may see other places.
  virtual bool by_matrix() const { return true; }
  /// Of all queries at these places and all of these keys.
  virtual Seen over(const ScoresAt&, KeyRange, KeyRange) const { return Seen::some; }
  /// may[j - keys.begin]: whether the query at place q may attend to key j. Throws IndexError.
  virtual void row(const ScoresAt& at, Index q, KeyRange keys, bool* may) const = 0;

  /// may[(i - queries.begin) step + j - keys.begin], by ever smaller blocks. All of the block, none
  /// or some of it, this time exactly.
  Seen fill(const ScoresAt& at, KeyRange queries, KeyRange keys, bool* may, Index step) const;

  /// The arrays it looks into when it is asked: who asks again must find them as they were.
  virtual std::vector<Array> reads() const { return {}; }
};

/// may [rows, keys] with rows `step` apart the other way round, to [keys, rows]: to[j to_step + i].
void turn_places(const bool* may, Index step, Index rows, Index keys, bool* to, Index to_step);

}  // namespace heed::kernels
