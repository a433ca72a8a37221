// What a loss makes of its examples' losses.
#pragma once

#include "../../../autograd/ops/losses/reduction.h"
#include "block.h"

namespace heed::table {

/// The losses' mean or sum, or all of them.
inline Block reduced(const Block& losses, Reduction reduction) {
  if (reduction == Reduction::none) return losses;
  double total = 0;
  for (const double loss : losses.values()) total += loss;
  if (reduction == Reduction::mean) total /= static_cast<double>(losses.values().size());
  return Block({}, std::vector<double>{total});
}

}  // namespace heed::table
