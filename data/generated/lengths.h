// How long generated problems are: each length from the shortest to the longest as likely.
#pragma once

#include "../../core/generator.h"

namespace heed::data {

struct Lengths {
  Index shortest = 1, longest = 1;

  /// Throws ValueError unless 1 <= shortest <= longest.
  Index draw(Generator& generator) const;
};

}  // namespace heed::data
