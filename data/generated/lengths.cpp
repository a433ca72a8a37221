#include "lengths.h"

#include <fmt/format.h>

#include "../../core/error.h"

namespace heed::data {

Index Lengths::draw(Generator& generator) const {
  if (shortest < 1 || longest < shortest) {
    throw ValueError(fmt::format("lengths: none from {} to {}", shortest, longest));
  }
  return shortest + generator.below(longest - shortest + 1);
}

}  // namespace heed::data
