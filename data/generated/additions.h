// The addition task of adaptive computation time (Graves 2016, section 3.3): a sequence of decimal
// numbers comes, one a step; from the second on the sum of all so far is to be said, digit by digit.
#pragma once

#include <vector>

#include "../../core/array.h"
#include "../../core/generator.h"

namespace heed::data {

constexpr Index kDecimals = 10;
constexpr Index kNoDigit = kDecimals;  ///< the class of a place before the first digit

/// Each number of up to `digits` digits, none negative.
using Addends = std::vector<Index>;
/// The next problem of the generator's stream: so many numbers, of one to `digits` digits each.
/// Throws ValueError unless count >= 1 and 1 <= digits <= 9.
Addends draw_addends(Index count, Index digits, Generator& generator);

struct Additions {
  Array x;  ///< f32 [B, T, digits * 10]: a place each a digit, one is 1
  Array y;  ///< i64 [B, T, digits + 1]: of the sums so far, -1 where none is wanted
  std::vector<Index> lengths;  ///< of the sequences
};
/// Both from the lowest digit up; sums that do not fit lose their highest digits. Throws ValueError
/// for no problems and numbers that do not fit.
Additions additions(const std::vector<Addends>& problems, Index digits);

}  // namespace heed::data
