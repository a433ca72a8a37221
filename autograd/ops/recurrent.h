// What rnn(), gru() and lstm() are made of, for any cell: one fused operator with its derivative,
// and its definition in plain operators. Internal: users call those functions.
#pragma once

#include <vector>

#include "../../core/kernels/rnn_cell.h"
#include "cells.h"

namespace heed::detail {

using kernels::RnnCell;

/// A layer's states, [D, B, H]; c only of an LSTM. Any may be undefined: zeros.
using RnnStart = LstmState;

/// "rnn", "gru", "lstm".
const char* name_of(RnnCell cell);

/// Results: output, h_n, and c_n of an LSTM. Checks all arguments.
std::vector<Tensor> recurrent(RnnCell cell, const Tensor& x, const RnnStart& start,
                              const std::vector<RnnWeights>& directions,
                              const std::vector<Index>& lengths);
/// The same by cells.h, step by step.
std::vector<Tensor> recurrent_plain(RnnCell cell, const Tensor& x, const RnnStart& start,
                                    const std::vector<RnnWeights>& directions,
                                    const std::vector<Index>& lengths);

/// Checks, in the name of `op`, the weights of all directions against x [.., I], and one state
/// against its shape.
void check_weights(const char* op, RnnCell cell, const Tensor& x,
                   const std::vector<RnnWeights>& directions);
void check_state(const char* op, const char* what, const Tensor& state, const Shape& shape,
                 const Tensor& x);

}  // namespace heed::detail
