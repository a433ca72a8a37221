// Sequences with answers at some of their steps, of several places each.
#pragma once

#include <vector>

#include "../../core/array.h"

namespace heed::data {

struct AnsweredSteps {
  Array x;                     ///< f32 [B, T, any]
  Array y;                     ///< i64 [B, T, places]: classes, -1 where none is wanted
  std::vector<Index> lengths;  ///< of the sequences
};

}  // namespace heed::data
