// Neural Turing machine (Graves, Wayne, Danihelka 2014): a controller with heads that read from and
// write to a memory M of N slots, and find their slots by content and by place.
//
//   w^c_i = softmax_i(beta cos(k, M_i))                          content
//   w^g = g w^c + (1 - g) w_{t-1}                                gate
//   wtilde_i = sum_j w^g_j s_{i-j}, i - j modulo N               shift
//   w_i = wtilde_i^gamma / sum_j wtilde_j^gamma                  sharpening, gamma >= 1
//   read  r = sum_i w_i M_i      write  M_i <- M_i o (1 - w_i e) + w_i a
//
// All heads address the memory as the last step left it; then it is written, then read. Several
// writes erase one after the other and add at the end, so that their order is nothing. Weights
// start near slot 0 and are learned, the memory starts at 1e-6 everywhere, which learns best
// (Collier, Beel 2018); were both even, no slot would ever differ from another. The paper's M x N
// memory is our [B, slots, slot_width], its w_t(i) our weights [B, heads, slots].
#pragma once

#include <vector>

#include "../../../nn/cells.h"
#include "../../../nn/linear.h"

namespace heed::attention {

/// What a controller says to H heads: of each, [B, H, ..].
struct HeadSignals {
  Tensor key;       ///< k [B, H, W]
  Tensor strength;  ///< beta [B, H, 1], > 0
  Tensor gate;      ///< g [B, H, 1], in [0, 1]
  Tensor shift;     ///< s [B, H, 2 reach + 1], sums to 1: of the shifts -reach .. reach
  Tensor sharpen;   ///< gamma [B, H, 1], >= 1
};

/// The weights of the heads: memory [B, N, W], last weights [B, H, N] -> [B, H, N]. A head whose
/// weights are all 0 before sharpening keeps zeros. Throws ShapeError, DTypeError.
Tensor address_memory(const Tensor& memory, const Tensor& last, const HeadSignals& signals);
/// What is found by content alone, softmax_i(strength cos(key, M_i)): memory [B, N, W], key
/// [B, H, W], strength [B, H, 1] -> [B, H, N]. Throws ShapeError, DTypeError.
Tensor find_in_memory(const Tensor& memory, const Tensor& key, const Tensor& strength);
/// memory [B, N, W], weights [B, H, N] -> [B, H, W].
Tensor read_memory(const Tensor& memory, const Tensor& weights);
/// memory [B, N, W] after writes of weights [B, H, N], erase and add [B, H, W].
Tensor write_memory(const Tensor& memory, const Tensor& weights, const Tensor& erase,
                    const Tensor& add);

struct TuringMachineOptions {
  Index input = 0;   ///< I
  Index output = 0;  ///< O
  Index hidden = 100;
  Index slots = 128;      ///< N
  Index slot_width = 20;  ///< W
  Index read_heads = 1;
  Index write_heads = 1;
  Index reach = 1;        ///< shifts of -reach .. reach
  bool recurrent = true;  ///< the controller is an LSTM; else one layer with tanh
  DType dtype = DType::f32;
};

struct TuringState {
  Tensor memory;         ///< [B, N, W]
  Tensor weights;        ///< [B, heads, N], reading heads first
  Tensor reads;          ///< [B, read_heads W]
  LstmState controller;  ///< [B, hidden]
};

struct TuringMachineOutput {
  Tensor output;        ///< [B, T, O], zeros in the padding
  Tensor weights = {};  ///< [B, T, heads, N], reading heads first; undefined unless asked for
};

class TuringMachine : public nn::Module {
 public:
  /// Throws ValueError unless all sizes are positive (reach not negative).
  explicit TuringMachine(const TuringMachineOptions& options);

 private:
  TuringMachineOptions options_;

 public:
  nn::Module& controller;  ///< [x; reads] -> hidden: an nn::LSTMCell or an nn::Linear
  nn::Linear& heads;       ///< hidden -> signals of all heads, erase and add of the writing ones
  nn::Linear& out;         ///< [hidden; reads] -> O
  Tensor& start;           ///< [heads, N]: the first weights are softmax(start)
  Tensor& first_reads;     ///< [read_heads W]

  TuringState begin(Index batch) const;
  /// x [B, I] -> [B, O]; the state becomes that after the step. Throws ShapeError, DTypeError.
  Tensor step(const Tensor& x, TuringState& state) const;
  /// A whole sequence: x [B, T, I], of which row b has lengths[b] steps; none: all T.
  TuringMachineOutput operator()(const Tensor& x, const std::vector<Index>& lengths = {},
                                 bool need_weights = false) const;
};

}  // namespace heed::attention
