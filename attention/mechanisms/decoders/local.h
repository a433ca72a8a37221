// Local attention (Luong et al. 2015, section 3.2): each query attends to a window of places around
// one of its own, p_t, for a cost of O(Q D), whatever the number of keys:
//
//   local-m  p_t = t, or any place given
//   local-p  p_t = S sigmoid(v_p^T tanh(W_p h_t)),  S the sentence's length
//   a_t(s) = align(h_t, hbar_s) exp(-(s - p_t)^2 / (2 sigma^2)),  sigma = D / 2
//
// align is the softmax of any score within the window [p_t - D, p_t + D] cut to the sentence; what
// the Gaussian takes away is not given back. Local-m has no Gaussian unless asked to. Places count
// from 0; the window's middle is p_t rounded down, and gradients reach p_t through the Gaussian
// only.
//
// query (h_t) [B, Q, dq], keys (hbar) [B, K, dk], values [B, K, dv] -> context [B, Q, dv], weights
// [B, Q, K]. Self-attention in windows around each place itself is attend() with Mask::window().
#pragma once

#include <cstdint>

#include "../../../nn/linear.h"
#include "../../attend.h"

namespace heed::attention {

enum class LocalKind : std::uint8_t { monotonic, predictive };  ///< local-m, local-p

struct LocalOptions {
  LocalKind kind = LocalKind::monotonic;
  Index half_width = 10;              ///< D
  bool gaussian = false;              ///< of local-m; local-p always has it
  std::shared_ptr<Score> score = {};  ///< none: ScaledDot
  Index query_width = 0;              ///< dq, needed by local-p
  Index hidden = 0;                   ///< rows of W_p; 0: dq
  DType dtype = DType::f32;           ///< of local-p's parameters
};

/// What one call may add.
struct LocalCall {
  Index first = 0;        ///< t of the first query, for local-m step by step
  Tensor positions = {};  ///< local-m's p_t, [B, Q]; undefined: first, first + 1, ..
  /// Within the window: its normaliser, dropout and whether weights are wanted. What is said of
  /// whole rows of keys (mask, biases, maps, sinks, relative positions, sums) has no place here.
  Terms terms = {};
};

class Local : public nn::Module {
 public:
  /// Throws ValueError for a negative D, a Gaussian of D = 0, local-p without query_width, and
  /// scores that look back.
  explicit Local(const LocalOptions& options);

 private:
  LocalOptions options_;

 public:
  nn::Linear* position_projection;  ///< W_p [hidden, dq]; null in local-m
  Tensor& position_vector;          ///< v_p [hidden]; undefined in local-m
  Score& score;

  /// Row b has lengths[b] keys; none given: all. Throws ShapeError, DTypeError, ValueError for
  /// positions that are not finite and for terms that it does not take.
  Attended operator()(const Tensor& query, const Tensor& keys, const Tensor& values,
                      const std::vector<Index>& lengths = {}, const LocalCall& call = {}) const;

  /// Keys prepared once for many calls of attend_to(): what a decoder does with its source.
  Memory prepare(const Tensor& keys, const Tensor& values,
                 const std::vector<Index>& lengths = {}) const;
  Attended attend_to(const Tensor& query, const Memory& memory, const LocalCall& call = {}) const;

 private:
  Tensor middles(const Tensor& query, const Memory& memory, const LocalCall& call) const;
};

}  // namespace heed::attention
