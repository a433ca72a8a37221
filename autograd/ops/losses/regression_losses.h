// Losses of numbers against numbers: input and target of one shape and dtype, f32 or f64, both with
// gradients; d is input - target. (PyTorch lets the target broadcast, with a warning; here it
// throws.) A mean over no elements throws ShapeError.
#pragma once

#include "reduction.h"

namespace heed {

/// d^2. Throws ShapeError, DTypeError.
Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean);

/// |d|; its gradient at 0 is 0.
Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean);

/// d^2 / (2 beta) where |d| < beta, else |d| - beta / 2; with beta 0 it is l1_loss (Girshick 2015).
/// Throws ValueError unless beta is finite and not negative.
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, double beta = 1,
                      Reduction reduction = Reduction::mean);

/// d^2 / 2 where |d| <= delta, else delta (|d| - delta / 2) (Huber 1964): delta smooth_l1_loss.
/// Throws ValueError unless delta is positive and finite.
Tensor huber_loss(const Tensor& input, const Tensor& target, double delta = 1,
                  Reduction reduction = Reduction::mean);

}  // namespace heed
