// Differentiable neural computer (Graves et al. 2016, "Hybrid computing using a neural network with
// dynamic external memory"): a controller with one head that writes and several that read a memory
// M of N slots. Slots are found by content, written where they are free, and read in the order in
// which they were written, forwards and backwards.
//
//   c_i = softmax_i(beta cos(k, M_i))                                            content
//   u <- (u + w^w - u o w^w) o prod over heads of (1 - f w^r)                      usage
//   a[s_j] = (1 - u[s_j]) prod over i < j of u[s_i], s sorts u                     allocation
//   w^w = g^w (g^a a + (1 - g^a) c^w),  M <- M o (1 - w^w e^T) + w^w v^T           write
//   L_ij <- (1 - w^w_i - w^w_j) L_ij + w^w_i p_j, L_ii = 0,  p <- (1 - sum w^w) p + w^w    links
//   w^r = pi_1 L^T w^r + pi_2 c^r + pi_3 L w^r,  r = sum_i w^r_i M_i               read
//
// Weights on the right are those of the step before, but for the w^w of a write and the c^r of the
// memory as written. f, g^a, g^w, e are sigmoids, beta is 1 + softplus, pi a softmax. The memory
// starts at 1e-6, weights, usage and links at 0. O(T (N^2 + R N^2 + N W)).
#pragma once

#include <vector>

#include "../../../nn/cells.h"
#include "../../../nn/linear.h"

namespace heed::attention {

/// The allocation weights of usages [B, N], those that are equal in their order. Throws ShapeError.
Tensor allocate_memory(const Tensor& usage);
/// The links [B, N, N] after a write of w [B, N], where p [B, N] says who was written last.
Tensor link_memory(const Tensor& links, const Tensor& w, const Tensor& precedence);

struct NeuralComputerOptions {
  Index input = 0;   ///< I
  Index output = 0;  ///< O
  Index hidden = 64;
  Index slots = 16;       ///< N
  Index slot_width = 16;  ///< W
  Index read_heads = 1;   ///< R
  DType dtype = DType::f32;
};

struct NeuralComputerState {
  Tensor memory;         ///< [B, N, W]
  Tensor usage;          ///< u [B, N]
  Tensor written;        ///< w^w [B, N]
  Tensor precedence;     ///< p [B, N]
  Tensor links;          ///< L [B, N, N]
  Tensor weights;        ///< w^r [B, R, N]
  Tensor reads;          ///< r [B, R W]
  LstmState controller;  ///< [B, hidden]
};

struct NeuralComputerOutput {
  Tensor output;        ///< [B, T, O], zeros in the padding
  Tensor weights = {};  ///< w^r [B, T, R, N]; undefined unless asked for
};

class NeuralComputer : public nn::Module {
 public:
  /// Throws ValueError unless all sizes are positive.
  explicit NeuralComputer(const NeuralComputerOptions& options);

 private:
  NeuralComputerOptions options_;

 public:
  nn::LSTMCell& controller;  ///< [x; r] -> hidden
  nn::Linear& interface;     ///< hidden -> R (W + 5) + 3 W + 3 signals
  nn::Linear& out;           ///< [hidden; r] -> O

  NeuralComputerState begin(Index batch) const;
  /// x [B, I] -> [B, O]; the state becomes that after the step. Throws ShapeError, DTypeError.
  Tensor step(const Tensor& x, NeuralComputerState& state) const;
  /// A whole sequence: x [B, T, I], of which row b has lengths[b] steps; none: all T.
  NeuralComputerOutput operator()(const Tensor& x, const std::vector<Index>& lengths = {},
                                  bool need_weights = false) const;
};

}  // namespace heed::attention
