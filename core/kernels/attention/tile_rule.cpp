#include "tile_rule.h"

#include <algorithm>
#include <cstring>

namespace heed::kernels {
namespace {

constexpr Index kSmall = 16;  // blocks that are not cut further

Seen both(Seen a, Seen b) { return a == b ? a : Seen::some; }

// A block of 8 by 8 bytes, a row in each number: halves of it change places, quarters, then
// eighths.
void turn_block(std::uint64_t (&x)[8]) {
  constexpr std::uint64_t kKept[] = {0x00000000FFFFFFFF, 0x0000FFFF0000FFFF, 0x00FF00FF00FF00FF};
  for (int stage = 0, apart = 4; apart > 0; ++stage, apart /= 2) {
    for (int i = 0; i < 8; ++i) {
      if ((i & apart) != 0) continue;
      const std::uint64_t change = ((x[i] >> (8 * apart)) ^ x[i + apart]) & kKept[stage];
      x[i] ^= change << (8 * apart);
      x[i + apart] ^= change;
    }
  }
}

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

void turn_places(const bool* may, Index step, Index rows, Index keys, bool* to, Index to_step) {
  static_assert(sizeof(bool) == 1);
  const Index whole_rows = rows / 8 * 8, whole_keys = keys / 8 * 8;
  for (Index i = 0; i < whole_rows; i += 8) {
    for (Index j = 0; j < whole_keys; j += 8) {
      std::uint64_t block[8];
      for (Index r = 0; r < 8; ++r) std::memcpy(&block[r], may + (i + r) * step + j, 8);
      turn_block(block);
      for (Index r = 0; r < 8; ++r) std::memcpy(to + (j + r) * to_step + i, &block[r], 8);
    }
  }
  for (Index j = 0; j < keys; ++j) {
    for (Index i = j < whole_keys ? whole_rows : 0; i < rows; ++i) {
      to[j * to_step + i] = may[i * step + j];
    }
  }
}

}  // namespace heed::kernels
