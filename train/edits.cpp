#include "edits.h"

#include <algorithm>

namespace heed::train {

Edits edits_of(const std::vector<Index>& hypothesis, const std::vector<Index>& reference) {
  const std::size_t H = hypothesis.size(), R = reference.size(), width = R + 1;
  // The distance of the first h words from the first r.
  std::vector<Index> distance((H + 1) * width);
  const auto at = [&](std::size_t h, std::size_t r) -> Index& { return distance[h * width + r]; };
  for (std::size_t h = 0; h <= H; ++h) {
    for (std::size_t r = 0; r <= R; ++r) {
      if (h == 0 || r == 0) {
        at(h, r) = static_cast<Index>(h + r);
        continue;
      }
      const Index other = hypothesis[h - 1] != reference[r - 1];
      at(h, r) = std::min({at(h - 1, r - 1) + other, at(h - 1, r) + 1, at(h, r - 1) + 1});
    }
  }
  Edits out;
  for (std::size_t h = H, r = R; h > 0 || r > 0;) {
    const bool same = h > 0 && r > 0 && hypothesis[h - 1] == reference[r - 1];
    if (same && at(h, r) == at(h - 1, r - 1)) {
      out.matches.emplace_back(--h, --r);
    } else if (h > 0 && r > 0 && at(h, r) == at(h - 1, r - 1) + 1) {
      ++out.substitutions;
      --h, --r;
    } else if (h > 0 && at(h, r) == at(h - 1, r) + 1) {
      ++out.insertions;
      --h;
    } else {
      ++out.deletions;
      --r;
    }
  }
  std::reverse(out.matches.begin(), out.matches.end());
  return out;
}

Edits ErrorRate::add(const std::vector<Index>& hypothesis, const std::vector<Index>& reference) {
  Edits found = edits_of(hypothesis, reference);
  edits_.substitutions += found.substitutions;
  edits_.deletions += found.deletions;
  edits_.insertions += found.insertions;
  words_ += static_cast<Index>(reference.size());
  ++texts_;
  wrong_ += found.total() > 0;
  return found;
}

}  // namespace heed::train
