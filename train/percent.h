// Numbers as a reader of a report wants them: a share of 0.125 is "12.5", and nothing is "-0".
#pragma once

#include <string>

namespace heed::train {

/// With so many digits behind the point, without a sign for NaN and for what rounds to 0.
std::string rounded(double value, int digits);

/// 100 times the share, rounded().
std::string percent(double share, int digits = 1);

}  // namespace heed::train
