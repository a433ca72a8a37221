// Key-value memory network (Miller et al. 2016): slots are found by their keys and answer with
// their values, over any number of hops.
//
//   q_1 = A x,   p_i = softmax_i(q_h . A k_i),   o = sum_i p_i A v_i,   q_{h+1} = R_h (q_h + o)
//   answer: softmax_c(q_{H+1} . B y_c)
//
// query x [B, Q, D], keys and values [B, K, D] -> [B, Q, E]. The feature maps Phi of the paper are
// the caller's: D are their features, bags of words or embeddings. One A [E, D] for all three, B
// [E, D] of its own for the candidates y.
#pragma once

#include <vector>

#include "../../../nn/linear.h"
#include "../../../nn/module_list.h"
#include "../../attend.h"

namespace heed::attention {

struct KeyValueMemoryOptions {
  Index features = 0;  ///< D
  Index width = 0;     ///< E
  Index hops = 2;
  DType dtype = DType::f32;
};

struct KeyValueMemoryOutput {
  Tensor query;                      ///< q_{H+1}, [B, Q, E]
  std::vector<Tensor> weights = {};  ///< p of each hop, [B, Q, K]; empty unless asked for
};

class KeyValueMemory : public nn::Module {
 public:
  /// Throws ValueError unless all sizes are positive.
  explicit KeyValueMemory(const KeyValueMemoryOptions& options);

  nn::Linear& embedding;                ///< A
  nn::Linear& answers;                  ///< B
  nn::ModuleListOf<nn::Linear>& turns;  ///< R_1 .. R_H, [E, E]

  /// The mask is that of attend(): without any slot o is 0. Throws ShapeError, DTypeError.
  KeyValueMemoryOutput operator()(const Tensor& query, const Tensor& keys, const Tensor& values,
                                  const Mask& mask = Mask(), bool need_weights = false) const;
  /// Logits [B, Q, C] of candidates [C, D], or [B, C, D].
  Tensor scores(const Tensor& query, const Tensor& candidates) const;
};

}  // namespace heed::attention
