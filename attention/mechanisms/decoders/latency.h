// What translation while the source comes in pays for waiting, from expected alignments, so that it
// has gradients:
//
//   expected delay          g_i = sum_j j alpha_ij,  j from 1
//   average lagging, DAL    1/|y| sum_i (g'_i - (i - 1) / gamma),  g'_i = max(g_i, g'_{i-1} + 1 / gamma)
//                           with gamma = |y| / |x|: how many source words behind an ideal
//                           translator (Arivazhagan et al. 2019, "Monotonic Infinite Lookback
//                           Attention for Simultaneous Machine Translation", section 4)
//   of monotonic heads      DAL of g_i = sum_h softmax_h(g_i)^h g_i^h, the slowest counting most,
//                           and the mean over words and heads of (g_i^h - mean_h g_i)^2
//                           (Ma et al. 2020, section 3.2)
//
//   const auto seen = heads(query, keys, mask);
//   const auto wait = monotonic_latency(expected_delays(seen.alignment), sources, targets);
//   loss = nll + 0.1 * mean(wait.lagging) + 0.1 * mean(wait.variance);
//
// Several layers' delays are joined along the heads. train/lagging.h measures what was read.
#pragma once

#include <vector>

#include "../../../autograd/tensor.h"

namespace heed::attention {

/// alignment [.., Q, K], rows that sum up to 1 -> [.., Q]; the first place is 1.
Tensor expected_delays(const Tensor& alignment);

/// delays [B, Q], of which row b has targets[b] words of a source of sources[b]; empty: all Q.
/// -> [B], in words of the source; 0 without a target. Throws ShapeError for numbers that do not
/// fit, ValueError for sources that are not positive.
Tensor differentiable_average_lagging(const Tensor& delays, const std::vector<Index>& sources,
                                      const std::vector<Index>& targets = {});

struct MonotonicLatency {
  Tensor lagging;   ///< [B]
  Tensor variance;  ///< [B]
};

/// delays [B, H, Q]. Throws as above.
MonotonicLatency monotonic_latency(const Tensor& delays, const std::vector<Index>& sources,
                                   const std::vector<Index>& targets = {});

}  // namespace heed::attention
