// The addition task of adaptive computation time (Graves 2016, section 3.3): a sequence of decimal
// numbers comes, one a step; from the second on the sum of all so far is to be said, digit by
// digit.
#pragma once

#include <string>
#include <vector>

#include "../../core/generator.h"
#include "answered_steps.h"
#include "lengths.h"

namespace heed::data {

constexpr Index kDecimals = 10;
constexpr Index kNoDigit = kDecimals;  ///< the class of a place before the first digit

/// Each number of up to `digits` digits, none negative.
using Addends = std::vector<Index>;
/// The next problem of the generator's stream: so many numbers, of one to `digits` digits each.
/// Throws ValueError unless count >= 1 and 1 <= digits <= 9.
Addends draw_addends(Index count, Index digits, Generator& generator);
/// From a line "12 7 30550". Throws ValueError for what is no number of up to `digits` digits, and
/// unless there are 1 to `most` numbers.
Addends read_addends(const std::string& line, Index digits, Index most);

/// x [B, T, digits * 10], a place each a digit, one is 1; y [B, T, digits + 1], of the sums so far.
/// Both from the lowest digit up; sums that do not fit lose their highest digits. Throws ValueError
/// for no problems and numbers that do not fit.
AnsweredSteps additions(const std::vector<Addends>& problems, Index digits);

/// The next problems of the generator's stream, each with so many numbers as it draws.
AnsweredSteps draw_additions(Index batch, const Lengths& lengths, Index digits,
                             Generator& generator);

/// "507" of such classes of the digits of a sum, from the lowest up, from `begin` to `end`; "-"
/// where no place has a digit.
std::string sum_in_text(const Index* begin, const Index* end);

}  // namespace heed::data
