// A GRU layer (Cho et al. 2014; the variant of cuDNN and PyTorch) over sequences of any lengths, in
// one or two directions. At each step, with h the state before it:
//
//   r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)          W_ir, W_iz, W_in: the thirds of w_ih
//   z = sigmoid(W_iz x + b_iz + W_hz h + b_hz)          W_hr, W_hz, W_hn: the thirds of w_hh
//   n = tanh(W_in x + b_in + r * (W_hn h + b_hn))
//   h' = (1 - z) * n + z * h
#pragma once

#include "rnn.h"

namespace heed {

/// Shapes, lengths and errors as those of rnn(), with w_ih [3H, I], w_hh [3H, H], biases [3H].
RnnResult gru(const Tensor& x, const Tensor& h0, const std::vector<RnnWeights>& directions,
              const std::vector<Index>& lengths = {});
/// The same of a packed batch, as rnn() takes it.
RnnResult gru(const Packed& x, const Tensor& h0, const std::vector<RnnWeights>& directions);

/// The same from plain operators, a cell for each step: what the fused one is tested against.
RnnResult gru_plain(const Tensor& x, const Tensor& h0, const std::vector<RnnWeights>& directions,
                    const std::vector<Index>& lengths = {});

}  // namespace heed
