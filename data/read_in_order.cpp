#include "read_in_order.h"

#include <algorithm>

namespace heed::data {

Loader<Windows> read_in_order(const std::vector<Index>& text, Index rows, Index length,
                              std::uint64_t seed) {
  side_by_side(text, rows, length);  // complains now
  const auto begin = [&text, rows, length](Generator& generator, Index) {
    const Index most = std::min(length, std::ssize(text) - rows);
    const std::vector<Index> rest(text.begin() + generator.below(most), text.end());
    auto parts = side_by_side(rest, rows, length).batches;
    const auto count = std::ssize(parts);
    return Pass<Windows>{count, [parts = std::move(parts), at = std::size_t{0}](auto* out) mutable {
                           if (at == parts.size()) return false;
                           if (out) *out = parts[at];
                           ++at;
                           return true;
                         }};
  };
  return Loader<Windows>(begin, Generator(seed));
}

}  // namespace heed::data
