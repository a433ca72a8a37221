#include "tile_rule.h"

#include <algorithm>

namespace heed::kernels {
namespace {

constexpr Index kSmall = 16;  // blocks that are not cut further

Seen both(Seen a, Seen b) { return a == b ? a : Seen::some; }

}  // namespace

Seen TileRule::fill(const ScoresAt& at, KeyRange queries, KeyRange keys, bool* may,
                    Index step) const {
  const Seen seen = over(at, queries, keys);
  if (seen != Seen::some) {
    for (Index i = 0; i < queries.size(); ++i) {
      std::fill_n(may + i * step, keys.size(), seen == Seen::all);
    }
    return seen;
  }
  if (queries.size() <= kSmall && keys.size() <= kSmall) {
    Index open = 0;
    for (Index i = 0; i < queries.size(); ++i) {
      bool* const to = may + i * step;
      row(at, queries.begin + i, keys, to);
      open += std::count(to, to + keys.size(), true);
    }
    if (open == 0) return Seen::none;
    return open == queries.size() * keys.size() ? Seen::all : Seen::some;
  }
  // The longer side in two, at a multiple of kSmall from its beginning.
  const bool cut_keys = keys.size() >= queries.size();
  const KeyRange all = cut_keys ? keys : queries;
  const Index half = (all.size() / 2 + kSmall - 1) / kSmall * kSmall;
  const KeyRange first{all.begin, all.begin + half}, second{all.begin + half, all.end};
  if (cut_keys) {
    const Seen left = fill(at, queries, first, may, step);
    return both(left, fill(at, queries, second, may + half, step));
  }
  const Seen upper = fill(at, first, keys, may, step);
  return both(upper, fill(at, second, keys, may + half * step, step));
}

}  // namespace heed::kernels
