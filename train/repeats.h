// Words that a written text says again: what coverage is against (See et al. 2017).
#pragma once

#include <string>
#include <vector>

#include "../core/shape.h"

namespace heed::train {

/// How many of the words come more often than once, and than the reference has them.
Index repeated_words(const std::vector<std::string>& written,
                     const std::vector<std::string>& reference);

}  // namespace heed::train
