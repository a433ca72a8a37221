// A simple recurrent layer (Elman 1990) over sequences of any lengths, in one or two directions. At
// each step, with h the state before it:
//
//   h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu in its place
#pragma once

#include "../packed/packed.h"
#include "cells.h"

namespace heed {

/// Of an RNN or a GRU.
struct RnnResult {
  Tensor output;  ///< [B, T, D H] or [N, D H]: the state after each step, directions side by side
  Tensor h_n;     ///< [D, B, H]: the state after each row's last step in that direction
};

/// x [B, T, I] f32 or f64, h0 [D, B, H] or undefined (zeros), D = 1 or 2 directions; lengths: one
/// in [0, T] a row, none for all T. The second direction reads each row from its own last step back
/// to step 0. Past a row's length the output is 0 and x is not read, NaN or not. Throws ShapeError,
/// DTypeError, ValueError.
RnnResult rnn(const Tensor& x, const Tensor& h0, const std::vector<RnnWeights>& directions,
              const std::vector<Index>& lengths = {},
              Nonlinearity nonlinearity = Nonlinearity::tanh);

/// The same of a packed batch, tokens [N, I]: output [N, D H], h_n [D, B, H], of the bits that the
/// padded batch would give. Nothing is made for padding. Throws as check_offsets() and rnn() do.
RnnResult rnn(const Packed& x, const Tensor& h0, const std::vector<RnnWeights>& directions,
              Nonlinearity nonlinearity = Nonlinearity::tanh);

/// The same from plain operators, a cell for each step: what the fused one is tested against.
RnnResult rnn_plain(const Tensor& x, const Tensor& h0, const std::vector<RnnWeights>& directions,
                    const std::vector<Index>& lengths = {},
                    Nonlinearity nonlinearity = Nonlinearity::tanh);

}  // namespace heed
