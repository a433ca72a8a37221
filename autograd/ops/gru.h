// A GRU layer (Cho et al. 2014; the variant of cuDNN and PyTorch) over sequences of any lengths, in
// one or two directions. At each step, with h the state before it:
//
//   r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)          W_ir, W_iz, W_in: the thirds of w_ih
//   z = sigmoid(W_iz x + b_iz + W_hz h + b_hz)          W_hr, W_hz, W_hn: the thirds of w_hh
//   n = tanh(W_in x + b_in + r * (W_hn h + b_hn))
//   h' = (1 - z) * n + z * h
#pragma once

#include "../tensor.h"

namespace heed {

/// Of one direction: w_ih [3H, I], w_hh [3H, H], b_ih and b_hh [3H], either of which may be
/// undefined.
struct GruWeights {
  Tensor w_ih, w_hh, b_ih, b_hh;
};

struct GruResult {
  Tensor output;  ///< [B, T, D H]: the state after each step, the directions side by side
  Tensor h_n;     ///< [D, B, H]: the state after each row's last step in that direction
};

/// x [B, T, I] f32 or f64, h0 [D, B, H] or undefined (zeros), D = 1 or 2 directions; lengths: one
/// in [0, T] a row, none for all T. The second direction reads each row from its own last step back
/// to step 0. Past a row's length the output is 0 and x is not read, NaN or not. Throws ShapeError,
/// DTypeError, ValueError.
GruResult gru(const Tensor& x, const Tensor& h0, const std::vector<GruWeights>& directions,
              const std::vector<Index>& lengths = {});

/// The same from plain operators, step by step: what the fused one is tested against.
GruResult gru_plain(const Tensor& x, const Tensor& h0, const std::vector<GruWeights>& directions,
                    const std::vector<Index>& lengths = {});

}  // namespace heed
