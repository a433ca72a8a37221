// Deformable attention (Zhu et al. 2021, "Deformable DETR", eqs. 2 and 3): a query looks at a few
// places around one of its own, on maps of several scales, instead of at every place.
//
//   y_q = sum_m W_m sum_l sum_k A_mqlk W'_m x_l(phi_l(p_q) + Delta p_mqlk),   sum_lk A_mqlk = 1
//
// A and Delta p are linear in the query; phi_l brings p_q in [0, 1]^2 onto map l, whose pixels
// Delta p counts; x_l(p) is bilinear, 0 outside. The M heads, L levels and K points are `heads`,
// `levels` and `points`. As attention: each query has a memory of its own, the L K values sampled
// for it, and scores from the query alone, so that its keys are the points' names.
//
// query [B, Q, E], references [B, Q, 2] (across, down), maps L of [B, E, H_l, W_l]
//   -> context [B, Q, E], weights [B, M, Q, L K], places [B, M, Q, L, K, 2] in [0, 1]^2
// O(B Q E (E + L K) + B E^2 sum H_l W_l), whatever the product of queries and places.
#pragma once

#include <vector>

#include "../../../nn/linear.h"
#include "../../attend.h"

namespace heed::attention {

struct DeformableOptions {
  Index width = 0;  ///< E
  Index heads = 8;  ///< M, a divisor of E
  Index levels = 4;
  Index points = 4;
  DType dtype = DType::f32;
};

struct DeformablyAttended {
  Tensor context;
  Tensor weights = {};  ///< undefined unless asked for
  Tensor places = {};
};

class DeformableAttention : public nn::Module {
 public:
  /// Offsets begin in a ring around the query's place, weights all alike, as the authors' do.
  /// Throws ValueError for sizes that are not positive and heads that do not divide.
  explicit DeformableAttention(const DeformableOptions& options);

 private:
  DeformableOptions options_;
  Dot dot_;

 public:
  nn::Linear& sampling_offsets;   ///< [M L K 2, E]
  nn::Linear& attention_weights;  ///< [M L K, E]
  nn::Linear& value_proj;         ///< W' [E, E]
  nn::Linear& output_proj;        ///< W [E, E]

  /// Throws ShapeError, DTypeError, ValueError for another number of maps.
  DeformablyAttended operator()(const Tensor& query, const Tensor& references,
                                const std::vector<Tensor>& maps, const Terms& terms = {}) const;
};

}  // namespace heed::attention
