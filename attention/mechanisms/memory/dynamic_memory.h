// The episodic memory of dynamic memory networks, DMN+ (Xiong et al. 2016, "Dynamic Memory Networks
// for Visual and Textual Question Answering", section 3.3): facts are read several times under a
// question, each time in their order, through a GRU whose update gate is the attention.
//
//   z_i = [f_i o q; f_i o m; |f_i - q|; |f_i - m|],   g = softmax_i(w_2 . tanh(W_1 z_i + b_1))
//   r_i = sigmoid(W_r f_i + U_r h_{i-1} + b_r),   h~_i = tanh(W f_i + r_i o (U h_{i-1}) + b)
//   h_i = g_i h~_i + (1 - g_i) h_{i-1},   c = h_N;   m <- relu(W_t [m; c; q] + b_t), at first q
//
// facts f [B, N, d], question q [B, d] -> m [B, d], weights g [B, N] of each reading; O(hops N
// d^2). The softmax's b_2 adds the same to all. W_t are of each reading's own.
#pragma once

#include "../../../nn/linear.h"
#include "../../../nn/module_list.h"
#include "../../attend.h"

namespace heed::attention {

/// A GRU with weights for its update gate.
class AttentionGRU : public nn::Module {
 public:
  /// Throws ValueError unless both sizes are positive.
  AttentionGRU(Index input, Index hidden, DType dtype = DType::f32);

  nn::Linear& input_projection;  ///< [W_r; W] and biases, [2 hidden, input]
  nn::Linear& state_projection;  ///< [U_r; U] [2 hidden, hidden]

  /// x [B, N, input], weights [B, N] -> the last state [B, hidden]; from 0. Places of weight 0
  /// change nothing. Throws ShapeError, DTypeError.
  Tensor operator()(const Tensor& x, const Tensor& weights) const;
};

struct DynamicMemoryOptions {
  Index width = 0;   ///< d
  Index hidden = 0;  ///< of the scores; 0: d
  Index hops = 3;
  DType dtype = DType::f32;
};

struct DynamicMemoryOutput {
  Tensor memory;                     ///< m [B, d]
  std::vector<Tensor> weights = {};  ///< of each reading; none unless asked for
};

class DynamicMemory : public nn::Module {
 public:
  /// Throws ValueError unless width and hops are positive.
  explicit DynamicMemory(const DynamicMemoryOptions& options);

  nn::Linear& score_projection;  ///< W_1, b_1 [hidden, 4 d]
  Tensor& score_vector;          ///< w_2 [hidden]
  AttentionGRU& read;
  nn::ModuleListOf<nn::Linear>& updates;  ///< W_t, b_t [d, 3 d]

  /// The mask broadcasts to [B, N]; without a fact c is 0. Throws ShapeError, DTypeError.
  DynamicMemoryOutput operator()(const Tensor& facts, const Tensor& question,
                                 const Mask& mask = Mask(), bool need_weights = false) const;
};

}  // namespace heed::attention
