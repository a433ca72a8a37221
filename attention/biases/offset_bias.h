// Biases are added to scores [.., Q, K] before they are normalised: any tensor that broadcasts to
// them, sums of several included. Here is what those share that depend on j - p_i alone, how far
// key j stands after query i: alibi.h, t5_bias.h. As offsets() they cost O(Q + K), and tiled
// attention makes no block of them. As with masks, query i stands at the place i + K - Q of the
// keys unless said otherwise.
//
// gaussian_bias.h is about places that are found, positions/relative.h (Shaw) needs the queries.
#pragma once

#include "../../nn/module.h"

namespace heed::attention {

class OffsetBias : public nn::Module {
 public:
  /// [.., count]: for keys that stand least, least + 1, .. places after the query (negative:
  /// before).
  virtual Tensor by_offset(Index least, Index count) const = 0;

  /// [.., Q + K - 1], as Terms::offset_bias, for queries aligned with the keys at the end.
  Tensor offsets(Index queries, Index keys) const;
  /// [.., Q, K], as Terms::bias.
  Tensor operator()(Index queries, Index keys) const { return at(queries, keys, keys - queries); }
  /// The same for queries at the places first, first + 1, ...
  Tensor at(Index queries, Index keys, Index first) const;

 private:
  Tensor offsets(Index queries, Index keys, Index first) const;
};

}  // namespace heed::attention
