// The decoder of Bahdanau et al. 2014 (appendix A.2.2): the state before asks where to look,
//
//   s_0 = tanh(W_s hback_1 + b)
//   e_ij = v^T tanh(W_a s_{i-1} + U_a h_j),   c_i = sum_j alpha_ij h_j
//   s_i = GRU([E y_{i-1}; c_i], s_{i-1})
//   out_i = max over pairs of U_o s_{i-1} + V_o E y_{i-1} + C_o c_i + b
//
// hback_1 is the backward half of the first annotation. The softmax over words, W_o out_i, is the
// caller's. Words (E y_{i-1}: each step's is the target before it) [B, T, E], annotations (h)
// [B, K, dk] -> out [B, T, readout], weights (alpha) [B, T, K]. Our score holds W_a and U_a, our
// readout the three matrices side by side.
#pragma once

#include "../../../nn/cells.h"
#include "../../../nn/maxout.h"
#include "../../../nn/module_list.h"
#include "../../detail/decoder_checks.h"
#include "../../scores/additive.h"
#include "decoder.h"

namespace heed::attention {

struct BahdanauOptions {
  Index word_width = 0;        ///< E
  Index annotation_width = 0;  ///< dk
  Index state_width = 0;       ///< H
  Index hidden = 0;            ///< of the score; 0: H
  Index readout = 0;           ///< 0: H
  Index start_width = 0;       ///< of what s_0 is made of; 0: half of dk
  /// Of queries of width H and annotations; none: the paper's additive one.
  std::shared_ptr<Score> score = {};
  Index layers = 1;               ///< cells one on the other; the last one's state asks
  bool readout_of_state = false;  ///< out_i from s_i, as Luong's, in the place of s_{i-1}
  DType dtype = DType::f32;
};

class BahdanauDecoder : public nn::Module {
 public:
  /// Throws ValueError for widths that are not positive, and an odd dk without start_width.
  explicit BahdanauDecoder(const BahdanauOptions& options);

 private:
  BahdanauOptions options_;

 public:
  nn::Linear& initial;  ///< W_s [layers H, start_width], b
  Score& score;
  nn::GRUCell& cell;                     ///< of [E y; c]
  nn::ModuleListOf<nn::GRUCell>& upper;  ///< the layers above it
  nn::Maxout& readout;                   ///< of [s; E y; c]

  struct State {
    std::vector<Tensor> layers;  ///< s_{i-1}, each [B, H]
    Memory memory;
    void reorder(const Tensor& rows, bool sources = true);
  };
  /// `summary` [B, start_width] stands for hback_1 where it is given. The mask is that of keys,
  /// whatever the query. Throws ShapeError, DTypeError.
  State start(const Tensor& annotations, const Mask& mask = Mask(),
              const Tensor& summary = Tensor()) const;
  /// output (out) [B, readout], weights [B, K]. Throws ShapeError, DTypeError; ValueError for a
  /// state of other layers and a normaliser that goes on from query to query. A step's bias
  /// broadcasts to [B, K], a run's to [B, T, K].
  StackOutput step(const Tensor& word, State& state, const Terms& terms = {}) const;
  StackOutput run(const Tensor& words, State& state, const Terms& terms = {},
                  const std::vector<Index>& lengths = {}) const;
  StackOutput operator()(const Tensor& words, const Tensor& annotations, const Mask& mask = Mask(),
                         const Terms& terms = {}, const std::vector<Index>& lengths = {}) const;

 private:
  void rise(State& state) const;
};

}  // namespace heed::attention
