// The cells that a recurrent layer may be made of, and how their numbers are counted: in parts of
// H, the state's width. W_ih x and W_hh h have one part a gate. In `summed` of them, the first
// ones, only the sum of both counts; the others (n of a GRU) need each on its own.
#pragma once

#include <cstdint>

#include "../../shape.h"

namespace heed::kernels {

enum class RnnCell : std::uint8_t { tanh, relu, gru, lstm };

struct RnnParts {
  Index gates;   ///< of the weights: w_ih [gates H, I]
  Index summed;  ///< of the gates
  Index kept;    ///< of each step for the way back; see rnn_simd.h
  /// Different terms of the gates: the summed ones, then x's of the others, then h's.
  constexpr Index terms() const { return 2 * gates - summed; }
};

constexpr RnnParts parts_of(RnnCell cell) {
  switch (cell) {
    case RnnCell::tanh:
    case RnnCell::relu: break;
    case RnnCell::gru: return {3, 2, 4};
    case RnnCell::lstm: return {4, 4, 5};
  }
  return {1, 1, 1};
}

}  // namespace heed::kernels
