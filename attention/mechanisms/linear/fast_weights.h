// The one algebra behind causal attention in linear time: a matrix S [K, V] in the place of a
// cache, written and read by every step ("fast weights": Schmidhuber 1992; Schlag et al. 2021).
//
//   additive     S_t = D_t S_{t-1} + k_t v_t^T
//   delta rule   S_t = (I - beta_t k_t k_t^T) D_t S_{t-1} + beta_t k_t v_t^T
//                y_t = S_t^T q_t,  or with a bonus u:  (S_{t-1} + diag(u) k_t v_t^T)^T q_t
//
// D_t = diag(exp(log_decay_t)): nothing, a number a step, or a vector [K] a step.
//
//   linear attention, Performer, cosFormer   additive, no decay      RetNet      a constant number
//   Mamba-2 (SSD)        a number a step                             GLA         a vector a step
//   RWKV-6               a vector a step, with a bonus               DeltaNet    delta, no decay
//   Gated DeltaNet       delta, a number a step
//
// Three forms give the same numbers. With g_t = log_decay_1 + .. + log_decay_t,
//
//   quadratic  A_ts = sum_d q_td k_sd exp(g_td - g_sd), s <= t;  y = A U
//              O(T^2 K): the definition
//   recurrent  the lines above, a step after the other
//              O(T K V): for decoding
//   chunked    quadratic within chunks of C steps, recurrent between them
//              O(T C (K + V) + T K V), memory O(T): for training
//
// where U = V in the additive case, and for the delta rule what is written in truth, which solves
// (I + tril(beta A^kk, -1)) U = beta V: the WY form (Yang et al. 2024). Every exponent is a
// difference of g that is not positive: nothing is divided by decays, so none can underflow. A
// decay of 0 is asked for by a very negative number; below -110 in f32, -750 in f64, all are one,
// so that g keeps digits for the other steps: where a chunk forgets several times f32 has some 4.
#pragma once

#include <cstdint>

#include "../../../autograd/tensor.h"

namespace heed::attention {

struct FastWeights {
  Tensor q, k;            ///< [.., T, K]
  Tensor v;               ///< [.., T, V]
  Tensor log_decay = {};  ///< [.., T, 1] or [.., T, K], not positive; undefined: no decay
  Tensor beta = {};       ///< [.., T, 1]: the delta rule; undefined: additive
  Tensor bonus = {};      ///< u, [.., 1, K]; undefined: y_t sees S_t
};

enum class LinearForm : std::uint8_t { chunked, recurrent, quadratic };

struct FastWeightsOutput {
  Tensor y;      ///< [.., T, V]
  Tensor state;  ///< S after the last step, [.., K, V]
};

/// y and the last state, from `state` [.., K, V] on (undefined: zeros). All of one dtype, f32 or
/// f64; leading axes are those of q, and the others' broadcast to them. Throws ShapeError,
/// DTypeError, GradError, and ValueError unless the chunk is positive.
FastWeightsOutput fast_weights(const FastWeights& steps, LinearForm form = LinearForm::chunked,
                               const Tensor& state = Tensor(), Index chunk = 64);

/// W [.., T, T] with y = W v from an empty state: what would be the weights of attention. They may
/// be negative. Throws as fast_weights().
Tensor fast_weights_matrix(const FastWeights& steps);

}  // namespace heed::attention
