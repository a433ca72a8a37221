// What a network with a memory did, step by step, as in the paper on neural Turing machines (Graves
// et al. 2014, figure 6): at the left what came in and below it where it wrote, at the right what
// came out and where it read. Time runs to the right. Of the memory, a ring, the shortest arc is
// shown with all places that had at least a twentieth of some step's weight, and two more on either
// side. Black is the least of a panel, white the most.
#pragma once

#include "../core/array.h"
#include "picture.h"

namespace heed::train {

struct MemoryTrace {
  Array inputs;   ///< [T, I], f32 or f64, as all of these
  Array outputs;  ///< [A, O], of the last A of the T steps
  Array weights =
      {};  ///< [T, heads, N], the first head reads, the last writes; undefined: no memory
};

/// Throws ShapeError, DTypeError where the parts do not fit.
Picture memory_picture(const MemoryTrace& trace);

}  // namespace heed::train
