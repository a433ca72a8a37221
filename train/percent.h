// A share as a reader of a report wants it: "12.5", of 0.125, and never "-0".
#pragma once

#include <string>

namespace heed::train {

/// 100 times the share with so many digits behind the point, without a sign for what rounds to 0.
std::string percent(double share, int digits = 1);

}  // namespace heed::train
