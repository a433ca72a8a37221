// One step of a recurrent layer: the state after it, from the input x and the state before it. The
// layers over whole sequences (rnn.h, gru.h, lstm.h) are these, step by step.
//
//   RNN (Elman 1990):   h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu in its place
//
//   GRU (Cho et al. 2014; the variant of cuDNN and PyTorch), gates in the order r, z, n:
//     r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)        z likewise
//     n = tanh(W_in x + b_in + r * (W_hn h + b_hn))
//     h' = (1 - z) * n + z * h
//
//   LSTM (Hochreiter, Schmidhuber 1997; Gers et al. 2000), gates in the order i, f, g, o:
//     i = sigmoid(W_ii x + b_ii + W_hi h + b_hi)        f and o likewise, g with tanh
//     c' = f * c + i * g
//     h' = o * tanh(c')
#pragma once

#include <cstdint>

#include "../../tensor.h"

namespace heed {

/// Of one direction, the gates one under the other: w_ih [G H, I], w_hh [G H, H], b_ih and b_hh
/// [G H], either of which may be undefined. G is 1 for an RNN, 3 for a GRU, 4 for an LSTM.
struct RnnWeights {
  Tensor w_ih, w_hh, b_ih, b_hh;
};

/// Of an RNN. The gradient of relu at 0 is 0.
enum class Nonlinearity : std::uint8_t { tanh, relu };

struct LstmState {
  Tensor h, c;
};

/// x [B, I] f32 or f64, h [B, H] or undefined (zeros) -> [B, H]. Throws ShapeError, DTypeError.
Tensor rnn_cell(const Tensor& x, const Tensor& h, const RnnWeights& weights,
                Nonlinearity nonlinearity = Nonlinearity::tanh);
Tensor gru_cell(const Tensor& x, const Tensor& h, const RnnWeights& weights);
/// The same with two states, each of which may be undefined.
LstmState lstm_cell(const Tensor& x, const LstmState& state, const RnnWeights& weights);

/// The same from the input's share, from_x = W_ih x + b_ih, [B, G H], as made for many steps at
/// once; w_ih and b_ih are not looked at.
Tensor gru_cell_from(const Tensor& from_x, const Tensor& h, const RnnWeights& weights);
LstmState lstm_cell_from(const Tensor& from_x, const LstmState& state, const RnnWeights& weights);

/// The definitions of gru_cell() and lstm_cell(), in plain operators.
Tensor gru_cell_plain(const Tensor& x, const Tensor& h, const RnnWeights& weights);
LstmState lstm_cell_plain(const Tensor& x, const LstmState& state, const RnnWeights& weights);

}  // namespace heed
