// What rnn(), gru() and lstm() are made of, for any cell: one fused operator with its derivative.
// Its definition in plain operators stands in recurrent_plain.h. Internal: users call those
// functions.
#pragma once

#include <vector>

#include "../../../core/kernels/rnn/rnn_cell.h"
#include "../packed/packed.h"
#include "cells.h"

namespace heed::detail {

using kernels::RnnCell;

/// A layer's states, [D, B, H]; c only of an LSTM. Any may be undefined: zeros.
using RnnStart = LstmState;

/// Where the sequences of x lie.
struct Sequences {
  std::vector<Index> lengths = {};  ///< x [B, T, I]: of each row; none: all T
  std::vector<Index> offsets = {};  ///< x [N, I]: as packed.h has them; none: x is padded

  /// How many there are.
  Index batch(const Tensor& x) const;
};

/// Of a packed batch, checked in the name of `op`.
Sequences sequences_of(const char* op, const Packed& x);

/// "rnn", "gru", "lstm".
const char* name_of(RnnCell cell);

/// Results: output, h_n, and c_n of an LSTM. Checks all arguments.
std::vector<Tensor> recurrent(RnnCell cell, const Tensor& x, const RnnStart& start,
                              const std::vector<RnnWeights>& directions,
                              const Sequences& sequences);
/// All arguments of either.
void check_recurrent(RnnCell cell, const Tensor& x, const RnnStart& start,
                     const std::vector<RnnWeights>& directions, const Sequences& sequences);
/// Checks, in the name of `op`, the weights of all directions against x [.., I], and one state
/// against its shape.
void check_weights(const char* op, RnnCell cell, const Tensor& x,
                   const std::vector<RnnWeights>& directions);
void check_state(const char* op, const char* what, const Tensor& state, const Shape& shape,
                 const Tensor& x);

}  // namespace heed::detail
