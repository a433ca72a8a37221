// The parity task of adaptive computation time (Graves 2016, section 3.1): of a vector of numbers the
// first few, from one to all of them, are 1 or -1, and the rest 0. Is the number of ones odd?
#pragma once

#include "../../core/array.h"
#include "../../core/generator.h"

namespace heed::data {

struct ParityVectors {
  Array x;     ///< f32 [B, numbers]
  Array odd;   ///< i64 [B]: 1 or 0
  Array some;  ///< i64 [B]: how many are not 0
};
/// The next vectors of the generator's stream; of `some` each number from `least` to `most` is as
/// likely. Throws ValueError unless 1 <= least <= most <= numbers and batch >= 0.
ParityVectors draw_parity(Index batch, Index numbers, Index least, Index most,
                          Generator& generator);

}  // namespace heed::data
