// A GRU layer over whole sequences, in one or two directions, forward and backward.
//
//   r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)    z likewise
//   n = tanh(W_in x + b_in + r * m),  m = W_hn h + b_hn
//   h' = (1 - z) * n + z * h
//
// The products with x and those of the weights' gradients are made for all steps at once; only W_hh
// h is left for each step. Padding costs no work. (Cho et al. 2014; the variant of cuDNN and
// PyTorch.)
#pragma once

#include <array>
#include <vector>

#include "../array.h"
#include "packed_sequences.h"

namespace heed::kernels {

/// Of one direction, gates in the order r, z, n: w_ih [3H, I], w_hh [3H, H], b_ih and b_hh [3H],
/// which may be undefined. As gradients: undefined where none was asked for.
struct GruWeights {
  Array w_ih, w_hh, b_ih, b_hh;
};

class Gru {
 public:
  /// `steps` is T; lengths as for PackedSequences. `weights` has D directions, the second one
  /// reading each row backward from its last real step. f32 or f64; unchecked.
  Gru(Index batch, Index steps, const std::vector<Index>& lengths, std::vector<GruWeights> weights);

  struct Result {
    Array out;                 ///< [B, T, D H], zeros in the padding
    Array h_n;                 ///< [D, B, H], each row's state after its last step
    std::vector<Array> gates;  ///< a direction: [tokens, 4H], r, z, n, m: for backward()
  };
  /// x [B, T, I]; h0 [D, B, H] or undefined: zeros.
  Result forward(const Array& x, const Array& h0) const;

  /// Which gradients to make: of x, h0, and a direction's four weights.
  struct Needs {
    bool x = false, h0 = false;
    std::vector<std::array<bool, 4>> weights;
  };
  struct Gradients {
    Array x, h0;
    std::vector<GruWeights> weights;
  };
  /// `result` holds out and gates as forward(x, h0) gave them. g_out and g_h_n may be undefined:
  /// zeros.
  Gradients backward(const Array& x, const Array& h0, const Result& result, const Array& g_out,
                     const Array& g_h_n, const Needs& needs) const;

 private:
  std::vector<GruWeights> weights_;
  Index H_;
  PackedSequences sequences_;
};

}  // namespace heed::kernels
