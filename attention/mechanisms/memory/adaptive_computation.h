// Adaptive computation time (Graves 2016): a recurrent cell may ponder, that is run several times
// on one input before it goes on, and learns when to stop.
//
//   s^n = cell([x; n is 1], s^{n-1}), s^0 the state before       h^n = sigmoid(w . s^n + b)
//   N = the first n with h^1 + .. + h^n >= 1 - epsilon            R = 1 - (h^1 + .. + h^{N-1})
//   p^n = h^n for n < N, p^N = R                                 s = sum_n p^n s^n
//   ponder cost rho = N + R: add tau times its sum to the loss; its gradient is that of R
//
// x [B, I] is read with a flag beside it, 1 at the first step and 0 after. Any cell will do, whose
// state is one tensor [B, S] (an LSTM's h and c side by side); it stays the caller's, who owns its
// parameters. The paper's mean output sum_n p^n y^n is a linear layer on the mean state s. Rows of
// a batch stop one by one; what the cell makes of those that have stopped is thrown away.
#pragma once

#include <functional>
#include <vector>

#include "../../../nn/linear.h"

namespace heed::attention {

struct AdaptiveComputationOptions {
  Index state = 0;  ///< S
  /// x and flag [B, I + 1], state [B, S] -> state [B, S].
  std::function<Tensor(const Tensor& x, const Tensor& state)> cell = {};
  double epsilon = 0.01;
  Index max_steps = 100;  ///< the last of them takes all that remains; 1: no pondering
  DType dtype = DType::f32;
};

/// Of one input, and of all inputs of a sequence, which then stand behind B as an axis T.
struct AdaptiveComputationOutput {
  Tensor state;         ///< [B, S]; of a sequence [B, T, S], zeros in the padding
  Tensor cost;          ///< rho, [B]; 0 in the padding
  Tensor steps;         ///< N, i64 [B]; 0 in the padding
  Tensor weights = {};  ///< p, [B, max_steps], 0 beyond N; undefined unless asked for
};

class AdaptiveComputation : public nn::Module {
 public:
  /// Throws ValueError unless sizes are positive, there is a cell, and 0 < epsilon < 1.
  explicit AdaptiveComputation(const AdaptiveComputationOptions& options);

 private:
  AdaptiveComputationOptions options_;

 public:
  nn::Linear& halting;  ///< w [1, S], b [1], which begins as 1, as in the paper

  /// x [B, I]; `state` [B, S] or undefined: zeros. Throws ShapeError, DTypeError.
  AdaptiveComputationOutput step(const Tensor& x, const Tensor& state = Tensor(),
                                 bool need_weights = false) const;
  /// x [B, T, I], of which row b has lengths[b] steps; none: all T.
  AdaptiveComputationOutput operator()(const Tensor& x, const std::vector<Index>& lengths = {},
                                       const Tensor& state = Tensor(),
                                       bool need_weights = false) const;

 private:
  // `real`: bool [B, 1] of the rows that take the step; undefined: all.
  AdaptiveComputationOutput ponder(const Tensor& x, const Tensor& state, const Tensor& real,
                                   bool need_weights) const;
};

}  // namespace heed::attention
