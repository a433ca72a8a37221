// A memory network that reads a stream, as a language model does (Sukhbaatar et al. 2015, section
// 5): at every step t the memories are the last N inputs, t's own among them, and nobody asks: what
// looks first is a constant.
//
//   u_1 = 0.1 (1, .., 1),  p_ti = softmax_i(u_t . (m_i + T^A_{t-i})),  t - N < i <= t
//   o_t = sum_i p_ti (c_i + T^C_{t-i}),  u_{k+1} = H u_k + o_k, its latter half through relu
//
// All hops share T and H (layer-wise tying). The memories m = A x and c = C x [B, T, d] are the
// caller's: two embeddings of words -> u after the last hop, [B, T, d]. That T^A and T^C go by
// distance makes them Shaw's relative positions, so that all steps of a text are one call.
#pragma once

#include "../../../nn/linear.h"
#include "../../positions/relative.h"
#include "../../terms.h"

namespace heed::attention {

struct MemoryStreamOptions {
  Index width = 0;  ///< d
  Index hops = 6;
  Index span = 100;  ///< N
  DType dtype = DType::f32;
};

/// The last N - 1 memories of a stream that goes on, [B, .., d]; undefined before the first.
struct MemoryStreamState {
  Tensor keys = {}, values = {};
  /// Carries on with these rows of the batch, i64 [R].
  void reorder(const Tensor& rows);
};

class MemoryStream : public nn::Module {
 public:
  /// All numbers begin as N(0, 0.05). Throws ValueError unless all sizes are positive.
  explicit MemoryStream(const MemoryStreamOptions& options);

 private:
  MemoryStreamOptions options_;

 public:
  RelativePositions& places;  ///< T^A and T^C: the first N rows of each
  nn::Linear& turn;           ///< H [d, d], without a bias

  /// Of a stream from its begin. Weights, of each hop [B, T, T], only if asked for. Throws
  /// ShapeError, DTypeError.
  StackOutput operator()(const Tensor& keys, const Tensor& values, bool need_weights = false) const;
  /// Goes on behind `state`, which becomes that behind the last step; weights are [B, T, T'], of
  /// the memories kept and then of the new ones.
  StackOutput operator()(const Tensor& keys, const Tensor& values, MemoryStreamState& state,
                         bool need_weights = false) const;

 private:
  StackOutput look(const Tensor& keys, const Tensor& values, Index steps, bool need_weights) const;
};

}  // namespace heed::attention
