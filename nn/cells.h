// RNNCell, GRUCell, LSTMCell: one step of a recurrent layer, for loops that feed results back; see
// autograd/ops/recurrent/cells.h for the formulas. Names and layouts are PyTorch's: weight_ih [G H,
// I], weight_hh [G H, H], bias_ih and bias_hh [G H], with 1, 3 (r, z, n) and 4 (i, f, g, o) gates.
#pragma once

#include "../autograd/ops/recurrent/cells.h"
#include "module.h"

namespace heed::nn {

/// What the three have in common.
class RecurrentCell : public Module {
 protected:
  /// Every parameter begins uniform in (-1/sqrt(H), 1/sqrt(H)). Throws ValueError, in `name`'s
  /// name, unless both sizes are positive.
  RecurrentCell(const char* name, Index gates, Index input, Index hidden, bool with_bias,
                DType dtype);
  RnnWeights weights() const { return {weight_ih, weight_hh, bias_ih, bias_hh}; }

 public:
  Tensor& weight_ih;
  Tensor& weight_hh;
  Tensor& bias_ih;  ///< undefined without bias
  Tensor& bias_hh;
};

class RNNCell : public RecurrentCell {
 public:
  RNNCell(Index input, Index hidden, bool with_bias = true,
          Nonlinearity nonlinearity = Nonlinearity::tanh, DType dtype = DType::f32);
  /// x [B, I], h [B, H] or undefined (zeros) -> [B, H]. Throws as rnn_cell() does.
  Tensor operator()(const Tensor& x, const Tensor& h = Tensor()) const;

 private:
  Nonlinearity nonlinearity_;
};

class GRUCell : public RecurrentCell {
 public:
  GRUCell(Index input, Index hidden, bool with_bias = true, DType dtype = DType::f32);
  /// x [B, I], h [B, H] or undefined (zeros) -> [B, H]. Throws as gru_cell() does.
  Tensor operator()(const Tensor& x, const Tensor& h = Tensor()) const;
};

class LSTMCell : public RecurrentCell {
 public:
  LSTMCell(Index input, Index hidden, bool with_bias = true, DType dtype = DType::f32);
  /// x [B, I]; h and c [B, H], each of which may be undefined: zeros. Throws as lstm_cell() does.
  LstmState operator()(const Tensor& x, const LstmState& state = {}) const;
  LstmState operator()(const Tensor& x, const Tensor& h, const Tensor& c) const {
    return (*this)(x, {h, c});
  }
};

}  // namespace heed::nn
