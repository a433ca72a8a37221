// Multi-step attention (Gehring et al. 2017, "Convolutional Sequence to Sequence Learning", section
// 3.3): every layer of the decoder looks at the source again, knowing what those below it saw,
//
//   d_i = W_d h_i + b_d + g_i,  a_ij = softmax_j(d_i . z_j),  c_i = sum_j a_ij (z_j + e_j)
//   out_i = h_i + sqrt(m) W_c c_i
//
// h [B, T, hidden] of this layer, g [B, T, E] the target's embeddings, z [B, K, E] the encoder's
// output, e [B, K, E] the source's embeddings. m is the number of places in the source: sqrt(m)
// gives a mean of m vectors back its variance (section 3.5; off on demand). W_c is there only
// where the widths differ.
#pragma once

#include "../../../nn/weight_norm.h"
#include "../../attend.h"

namespace heed::attention {

class MultiStepAttention : public nn::Module {
 public:
  /// Throws ValueError unless widths are positive. `scale` is whether sqrt(m) counts, `weight_norm`
  /// whether the projections are normalised.
  MultiStepAttention(Index hidden, Index width, bool scale = true, DType dtype = DType::f32,
                     bool weight_norm = false);

  nn::WeightNormLinear& query_projection;    ///< W_d [E, hidden], b_d
  nn::WeightNormLinear* context_projection;  ///< W_c [hidden, E]; null where hidden is E

  /// The source as all layers look at it: keys z, values z + e [B, K, E], whose row b has
  /// lengths[b] places; none given: all.
  static Memory memory(const Tensor& z, const Tensor& values,
                       const std::vector<Index>& lengths = {});
  /// context: out [B, T, hidden]; weights [B, T, K]. Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& h, const Tensor& g, const Memory& source,
                      const Terms& terms = {}) const;

 private:
  Index hidden_, width_;
  bool scale_;
};

}  // namespace heed::attention
