// A score that stands on the test's stack, for options that hold theirs.
#pragma once

#include <memory>

#include "../../attention/score.h"

namespace heed::attention {

inline std::shared_ptr<Score> borrowed(Score& score) {
  return std::shared_ptr<Score>(std::shared_ptr<Score>(), &score);
}

}  // namespace heed::attention
