// Attention over a sequence that is cut among processes (Liu et al. 2023, Ring Attention): each has
// the queries, keys and values of one part, and the keys and values go around.
//
//   o_j, l_j = attend(q, K_j, V_j) and its log-sums,  L = log sum_j exp(l_j),  o = sum_j exp(l_j - L) o_j
//   back: g_j = exp(l_j - L) g,  g_lj = exp(l_j - L) <g, o_j - o>; K_j, V_j and their gradients go around
//
// No process holds more than two parts at a time, forward or backward: with N of them, memory is
// O(T / N). What attend() would give for the whole sequence comes out, but for rounding.
//
// Under a causal mask the last of parts that stand one behind the other sees all others, and the
// first itself alone: dealt out like cards (Brandon et al. 2023, Striped Attention) all parts have
// as much to do.
#pragma once

#include "../autograd/tensor.h"
#include "world.h"

namespace heed::distributed {

struct RingOptions {
  bool causal = false;  ///< a place sees itself and those before it; parts stand in order of ranks
  /// Process r has the places r, r + N, r + 2 N ... of the sequence, not the r-th piece of it.
  bool striped = false;
};

/// query, keys [.., T / N, d], values [.., T / N, dv], alike everywhere as the options are
/// -> [.., T / N, dv], scaled dot products. Throws ShapeError, DTypeError, ValueError for calls and
/// options that differ, GradError for what is undefined, or recorded by some alone, on all
/// processes; a second derivative is a GradError. All processes call, and walk back, together.
Tensor ring_attention(const World& world, const Tensor& query, const Tensor& keys,
                      const Tensor& values, const RingOptions& options = {});

}  // namespace heed::distributed
