// The decoder of a pointer network (Vinyals et al. 2015): what it writes are places of its input,
// and what it reads next is what stands where it pointed,
//
//   d_i = LSTM(x_{C_{i-1}}, d_{i-1}),   p(C_i | C_1 .. C_{i-1}) = softmax_j(u_ij)    (pointer.h)
//
// x_{C_0} is learned. Keys (the paper's encoder states e) [B, K, dk], inputs (x) [B, K, I], targets
// (C) i64 [B, T] -> log p [B, T, K]. With `once` no place is pointed to twice, as in orders and
// tours. Loss: nll_loss of log p and the targets.
#pragma once

#include "../../../nn/cells.h"
#include "pointer.h"

namespace heed::attention {

struct PointerNetworkOptions {
  Index input_width = 0;  ///< I
  Index key_width = 0;    ///< dk
  Index state_width = 0;  ///< H
  Index hidden = 0;       ///< of the score; 0: H
  bool once = false;
  DType dtype = DType::f32;
};

class PointerNetwork : public nn::Module {
 public:
  /// Throws ValueError for widths that are not positive.
  explicit PointerNetwork(const PointerNetworkOptions& options);

 private:
  PointerNetworkOptions options_;

 public:
  Tensor& first_input;  ///< x_{C_0}, [I]
  nn::LSTMCell& cell;
  Pointer& point;

  /// What decoding step by step keeps.
  struct State {
    LstmState lstm;  ///< [B, H] each
    Memory memory;
    Tensor inputs;  ///< [B, K, I]
    Tensor left;    ///< bool [B, 1, K]: not pointed to yet; undefined: all
    /// Carries on with these rows of the batch, i64 [R]; `sources` false: each is of the source
    /// that stands in its place already, as in a beam search.
    void reorder(const Tensor& rows, bool sources = true);
  };
  /// `begin`: the first state, as the encoder's last one; undefined: zeros. The mask is that of
  /// keys, whatever the query. Throws ShapeError, DTypeError.
  State start(const Tensor& keys, const Tensor& inputs, const Mask& mask = Mask(),
              const LstmState& begin = {}) const;
  /// `places` i64 [B]: where the last step pointed; undefined at the first -> log p [B, K];
  /// -infinity where it may not point. A negative place reads zeros. Throws ShapeError, DTypeError,
  /// IndexError.
  Tensor step(const Tensor& places, State& state) const;
  /// All steps of a state that has made none, at once, with what should be pointed to; negative
  /// targets (as nll_loss' ignore_index) stand behind a row's end.
  Tensor run(const Tensor& targets, State& state) const;
  Tensor operator()(const Tensor& keys, const Tensor& inputs, const Tensor& targets,
                    const Mask& mask = Mask(), const LstmState& begin = {}) const;
  /// The likeliest places, one after the other, i64 [B, steps]; -1 where it may point to nothing.
  /// Without gradients.
  Tensor decode(State& state, Index steps) const;

 private:
  Tensor read(const Tensor& places, const State& state) const;
};

}  // namespace heed::attention
