// A decoder that is an LSTMN and attends to a source (Cheng, Dong, Lapata 2016, section 4), by
//
//   shallow fusion: the source's context is read beside x_t, as in Bahdanau et al. 2014:
//     b_j = u^T tanh(W_g gamma_j + W_s h_{t-1}),  p = softmax(b)
//     the LSTMN reads [x_t; sum p gamma]
//   deep fusion: the source's memory tape alpha flows into the cell's own memory:
//     b_j = u^T tanh(W_g gamma_j + W_x x_t + W_t gammatilde_{t-1}),  p = softmax(b)
//     [gammatilde_t; alphatilde_t] = sum_j p_j [gamma_j; alpha_j]
//     r = sigmoid(W_r [gammatilde; x])
//     c_t = r o alphatilde_t + f o ctilde_t + i o chat,  h_t = o o tanh(c_t)
//
// gamma and alpha: an encoder's hidden tape and memory tape, LSTMNOutput::output and memory,
// [B, S, Hs]. Our W_r has a bias, b_j is an Additive score with the query [x_t; gammatilde_{t-1}].
#pragma once

#include <cstdint>
#include <vector>

#include "../../attend.h"
#include "../../scores/additive.h"
#include "../memory/lstmn.h"
#include "decoder.h"

namespace heed::attention {

enum class Fusion : std::uint8_t { shallow, deep };

struct LSTMNDecoderOptions {
  Index input = 0;   ///< I
  Index hidden = 0;  ///< H
  Index source = 0;  ///< Hs; deep fusion adds memory to memory: then H
  Fusion fusion = Fusion::deep;
  Index attention = 0;  ///< width of both scores; 0: H
  Index span = -1;      ///< steps on the own tapes; -1: all
  DType dtype = DType::f32;
};

/// output is h, [B, T, H], weights are p, [B, T, S].
struct LSTMNDecoderOutput : StackOutput {
  Tensor intra_weights = {};  ///< s, [B, T, T], 0 where i >= t; of a step [B, t], see LSTMNCell
};

class LSTMNDecoder : public nn::Module {
 public:
  /// Throws ValueError unless sizes are positive, for a span of 0, and for deep fusion of another
  /// width than H.
  explicit LSTMNDecoder(const LSTMNDecoderOptions& options);

 private:
  LSTMNDecoderOptions options_;

 public:
  LSTMNCell& cell;
  Additive& score;
  nn::Linear* fusion_gate;  ///< W_r [H, H + I]; null when shallow

  struct State {
    Memory memory;
    LSTMNState own;
    Tensor last;  ///< h_{t-1}, or gammatilde_{t-1} when deep
    void reorder(const Tensor& rows, bool sources = true);
  };
  /// hidden and memory [B, S, Hs] (memory is not looked at when shallow); the mask is that of the
  /// source. Throws ShapeError, DTypeError.
  State start(const Tensor& hidden, const Tensor& memory, const Mask& mask = Mask()) const;
  /// x [B, I] -> output (h) [B, H]. Throws ShapeError, DTypeError.
  LSTMNDecoderOutput step(const Tensor& x, State& state, const Terms& terms = {}) const;
  LSTMNDecoderOutput run(const Tensor& x, State& state, const Terms& terms = {},
                         const std::vector<Index>& lengths = {}) const;
  LSTMNDecoderOutput operator()(const Tensor& x, const Tensor& hidden, const Tensor& memory,
                                const Mask& mask = Mask(), const Terms& terms = {},
                                const std::vector<Index>& lengths = {}) const;
};

}  // namespace heed::attention
