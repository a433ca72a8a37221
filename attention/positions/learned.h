// Learned positions (Gehring et al. 2017; Vaswani et al. 2017, table 3 E): a trained vector for
// each place is added to what stands there. Sinusoidal ones are nn::PositionalEncoding; rotary.h
// and relative.h have those that enter the attention itself.
#pragma once

#include "../../nn/module.h"

namespace heed::attention {

class LearnedPositions : public nn::Module {
 public:
  /// Numbers begin as N(0, 0.02). Throws ValueError unless both are positive.
  LearnedPositions(Index max_steps, Index width, DType dtype = DType::f32);

  Tensor& weight;  ///< [max_steps, width]

  /// x [.., T, E] plus the rows first .. first + T. Throws ShapeError when E differs, DTypeError,
  /// IndexError for steps beyond max_steps.
  Tensor operator()(const Tensor& x, Index first = 0) const;
};

}  // namespace heed::attention
