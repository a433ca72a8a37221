// Relative positions (Shaw et al. 2018, "Self-Attention with Relative Position Representations"):
// a learned key and a learned value for each distance, cut off at `clip`:
//
//   e_ij = q_i . (k_j + a^K_ij) / sqrt(d),   c_i = sum_j w_ij (v_j + a^V_ij),
//   a_ij = row clip + min(max(j - p_i, -clip), clip) of a table,  p_i = i + K - Q
//
// Nothing of size [Q, K, d] is made: queries meet the table's 2 clip + 1 rows, and weights are
// summed by distance. Terms::relative takes one.
#pragma once

#include "../../nn/module.h"

namespace heed::attention {

struct RelativeOptions {
  Index key_width = 0;    ///< d of the queries; positive
  Index value_width = 0;  ///< dv; 0: no relative values
  Index clip = 16;        ///< distances beyond count as this; not negative
  DType dtype = DType::f32;
};

class RelativePositions : public nn::Module {
 public:
  /// Tables begin as N(0, 0.02). Throws ValueError for widths and clips out of range.
  explicit RelativePositions(const RelativeOptions& options);

  Tensor& keys;    ///< [2 clip + 1, d]
  Tensor& values;  ///< [2 clip + 1, dv]; undefined without relative values

  /// query [.., Q, d] -> [.., Q, K], to be added to scores over `count` keys, whose scale they have
  /// (the paper's 1 / sqrt(d)). Throws ShapeError, DTypeError.
  Tensor scores(const Tensor& query, Index count, double scale) const;
  /// weights [.., Q, K] -> [.., Q, dv], to be added to the context; without relative values, 0.
  Tensor context(const Tensor& weights) const;

 private:
  Tensor rows(Index queries, Index count) const;
  Index clip_;
};

}  // namespace heed::attention
