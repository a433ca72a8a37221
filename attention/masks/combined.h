// Rules that are made of masks: what `|`, `!` and a second rule beside the first come to.
#pragma once

#include <memory>

#include "rule.h"

namespace heed::attention::detail {

using Rule = std::shared_ptr<const TileRule>;

/// A null rule allows everything.
Rule both(const Rule& a, const Rule& b);
Rule either(const Rule& a, const Rule& b);
Rule negated(const Rule& a);
/// Places p - left .. p + right; -1: no bound.
Rule window_rule(Index left, Index right);
/// The query's own block of so many places.
Rule block_rule(Index size);
/// The query's own segment, places offsets[s] .. offsets[s + 1] - 1.
Rule segments_rule(std::vector<Index> offsets);
/// Any bool tensor that broadcasts to the scores.
Rule tensor_rule(const Tensor& allowed);
/// bool [B, steps], whatever the query.
Rule keys_rule(const Tensor& keys);
/// The rule of a batch made of these rows. Throws IndexError for one that is none of its own, where
/// it knows how many it has.
Rule of_rows(const Rule& rule, std::vector<Index> rows);
/// The rule, asked as if by scores of this shape: for heads that stand in groups.
Rule of_scores(const Rule& rule, const Shape& scores);

/// bool, broadcasting to the scores [.., Q, K]. Throws ShapeError in `op`'s name.
Tensor tensor_of(const TileRule& rule, const Shape& scores, const char* op);

}  // namespace heed::attention::detail
