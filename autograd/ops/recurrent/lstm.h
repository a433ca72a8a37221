// An LSTM layer (Hochreiter, Schmidhuber 1997; with the forget gate of Gers et al. 2000) over
// sequences of any lengths, in one or two directions. At each step, with h and c the states before
// it:
//
//   i = sigmoid(W_ii x + b_ii + W_hi h + b_hi)          W_ii, W_if, W_ig, W_io: the quarters of
//   f = sigmoid(W_if x + b_if + W_hf h + b_hf)          w_ih, W_hi .. W_ho those of w_hh
//   g = tanh(W_ig x + b_ig + W_hg h + b_hg)
//   o = sigmoid(W_io x + b_io + W_ho h + b_ho)
//   c' = f * c + i * g
//   h' = o * tanh(c')
#pragma once

#include "../packed/packed.h"
#include "cells.h"

namespace heed {

struct LstmResult {
  Tensor output;  ///< [B, T, D H] or [N, D H]: h after each step, the directions side by side
  Tensor h_n;     ///< [D, B, H]: h after each row's last step in that direction
  Tensor c_n;     ///< [D, B, H]: c likewise
};

/// Shapes, lengths and errors as those of rnn() in rnn.h, with w_ih [4H, I], w_hh [4H, H], biases
/// [4H]; `start` holds h0 and c0 [D, B, H], each of which may be undefined: zeros.
LstmResult lstm(const Tensor& x, const LstmState& start, const std::vector<RnnWeights>& directions,
                const std::vector<Index>& lengths = {});
/// The same of a packed batch, as rnn() takes it.
LstmResult lstm(const Packed& x, const LstmState& start, const std::vector<RnnWeights>& directions);

/// The same from plain operators, a cell for each step: what the fused one is tested against.
LstmResult lstm_plain(const Tensor& x, const LstmState& start,
                      const std::vector<RnnWeights>& directions,
                      const std::vector<Index>& lengths = {});

}  // namespace heed
