// The gates of one step of a GRU or an LSTM for a batch of rows, what W_ih x and W_hh h come to
// being given; the formulas stand in autograd/ops/recurrent/cells.h. One vectorised pass forward
// and one backward.
#pragma once

#include "../../array.h"

namespace heed::kernels {

struct GruGates {
  Array h;     ///< [B, H], after the step
  Array kept;  ///< [B, 4 H], for the way back
};
/// from_x, from_h [B, 3 H] with their biases, h [B, H]. f32 or f64, contiguous; unchecked.
GruGates gru_gates(const Array& from_x, const Array& from_h, const Array& h);

struct GruGatesGrad {
  Array from_x, from_h, h;
};
/// g [B, H], contiguous, of the state after the step; h that before it.
GruGatesGrad gru_gates_grad(const Array& g, const Array& kept, const Array& h);

struct LstmGates {
  Array h, c;  ///< [B, H], after the step
  Array kept;  ///< [B, 5 H]
};
/// sums [B, 4 H]: W_ih x + W_hh h with their biases; c [B, H].
LstmGates lstm_gates(const Array& sums, const Array& c);

struct LstmGatesGrad {
  Array sums, c;
};
/// g_h and g_c [B, H], contiguous, of the states after the step, or undefined: zeros; c that
/// before.
LstmGatesGrad lstm_gates_grad(const Array& g_h, const Array& g_c, const Array& kept,
                              const Array& c);

}  // namespace heed::kernels
