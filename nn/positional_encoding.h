// Sinusoidal positions (Vaswani et al. 2017), which tell an order-blind model where each step is:
//
//   PE(t, 2 i) = sin(t / 10000^(2 i / E)),   PE(t, 2 i + 1) = cos(t / 10000^(2 i / E)).
#pragma once

#include "dropout.h"

namespace heed::nn {

/// [steps, width]: the rows of positions `first` and on. Throws ValueError for a width that is not
/// positive, a negative count or a negative first position.
Tensor sinusoidal_positions(Index steps, Index width, Index first = 0, DType dtype = DType::f32);

class PositionalEncoding : public Layer<PositionalEncoding> {
 public:
  /// Dropout with probability `p` after the sum, as in the paper. Throws ValueError for sizes that
  /// are not positive and a p outside [0, 1].
  explicit PositionalEncoding(Index width, double p = 0.1, Index max_steps = 5000,
                              DType dtype = DType::f32);

  Tensor& pe;  ///< [max_steps, width], a buffer
  Dropout& dropout;

  /// x [.., T, E] plus the rows first .. first + T. Throws ShapeError when E differs, IndexError
  /// for steps beyond max_steps.
  Tensor operator()(const Tensor& x, Index first = 0) const;

 private:
  friend class Sequential;
  PositionalEncoding(PositionalEncoding&&) = default;
};

}  // namespace heed::nn
