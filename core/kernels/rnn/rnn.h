// A recurrent layer (RNN, GRU or LSTM) over whole sequences, in one or two directions, forward and
// backward; the formulas stand in autograd/ops/{rnn,gru,lstm}.h. The products with x and those of
// the weights' gradients are made for all steps at once; only W_hh h is left for each step. Padding
// costs no work.
#pragma once

#include <array>
#include <vector>

#include "../../array.h"
#include "../index/packed_sequences.h"
#include "rnn_cell.h"

namespace heed::kernels {

/// Of one direction: w_ih [gates H, I], w_hh [gates H, H], b_ih and b_hh [gates H], which may be
/// undefined. As gradients: undefined where none was asked for.
struct RnnWeights {
  Array w_ih, w_hh, b_ih, b_hh;
};

/// A layer's states; c is undefined unless it is an LSTM.
struct RnnStates {
  Array h, c;
};

class Rnn {
 public:
  /// `steps` is T; lengths as for PackedSequences. `weights` has D directions, the second one
  /// reading each row backward from its last real step. f32 or f64; unchecked.
  Rnn(RnnCell cell, Index batch, Index steps, const std::vector<Index>& lengths,
      const std::vector<RnnWeights>& weights);
  /// The same of sequences without padding; offsets as for PackedSequences.
  Rnn(RnnCell cell, const std::vector<Index>& offsets, const std::vector<RnnWeights>& weights);

  struct Result {
    Array out;                ///< [B, T, D H], zeros in the padding; or [tokens, D H]
    RnnStates last;           ///< [D, B, H], each row's after its last step
    std::vector<Array> kept;  ///< a direction: [tokens, kept H], for backward()
  };
  /// x [B, T, I], or [tokens, I]; start [D, B, H] or undefined: zeros.
  Result forward(const Array& x, const RnnStates& start) const;

  /// Which gradients to make: of x, h0, c0, and a direction's four weights.
  struct Needs {
    bool x = false, h0 = false, c0 = false;
    std::vector<std::array<bool, 4>> weights;
  };
  struct Gradients {
    Array x;
    RnnStates start;
    std::vector<RnnWeights> weights;
  };
  /// `result` holds out and kept as forward(x, start) gave them. g_out and g_last may be undefined:
  /// zeros.
  Gradients backward(const Array& x, const RnnStates& start, const Result& result,
                     const Array& g_out, const RnnStates& g_last, const Needs& needs) const;

 private:
  Rnn(RnnCell cell, PackedSequences sequences, std::vector<RnnWeights> weights);

  RnnCell cell_;
  std::vector<RnnWeights> weights_;
  Index H_;
  PackedSequences sequences_;
};

}  // namespace heed::kernels
