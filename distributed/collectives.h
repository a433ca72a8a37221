// What processes say to each other in the middle of a graph: differentiable, to any order. Each
// process has a graph of its own, and the loss that is differentiated is the sum of all processes'
// losses: a gradient that went out to several comes back as their sum.
//
//   all_reduce      y = sum_r x_r, everywhere         gx = sum_r gy_r
//   broadcast       y = x_from, everywhere            gx_from = sum_r gy_r, 0 elsewhere
//   all_gather      y = [x_0, x_1, ..], everywhere    gx = this one's part of sum_r gy_r
//   reduce_scatter  y = this one's part of sum_r x_r  gx = [gy_0, gy_1, ..]
//
// Sums are made in one order on all. All processes make the same calls in the same order, and walk
// back through all of them, or the others wait.
#pragma once

#include "../autograd/tensor.h"
#include "world.h"

namespace heed::distributed {

/// One shape and dtype everywhere, f32 or f64. Throws ShapeError, DTypeError, ValueError where
/// processes make other calls, and GradError where x is undefined or some processes alone record
/// the call for a pass backward; on all processes, whichever of them is to blame.
Tensor all_reduce(const World& world, const Tensor& x);
/// Throws also ValueError for a process that is not there.
Tensor broadcast(const World& world, const Tensor& x, Index from = 0);
/// x [n, ...] -> [size n, ...]
Tensor all_gather(const World& world, const Tensor& x);
/// x [size n, ...] -> [n, ...]. Throws ShapeError for an axis that does not divide.
Tensor reduce_scatter(const World& world, const Tensor& x);

}  // namespace heed::distributed
