// The two attention layers of R-Net (Wang et al. 2017, "Gated Self-Matching Networks for Reading
// Comprehension and Question Answering", sections 3.2 and 3.3): a passage reads a question, and
// then itself. What was found goes into a recurrent layer beside the word, through a gate that says
// how much of either is worth keeping:
//
//   gated(x) = sigmoid(W_g x) o x
//   GatedMatching   c_t = sum_j a_tj q_j,  a_t = softmax_j v . tanh(W_q q_j + W [p_t; h_t-1])
//                   h_t = GRU(h_t-1, gated([p_t; c_t]))
//   SelfMatching    c_t = sum_j a_tj p_j,  a_t = softmax_j v . tanh(W_k p_j + W p_t)
//                   h = BiGRU(gated([p; c]))
//
// passage P [B, T, d], question Q [B, J, dq] -> h [B, T, H] or [B, T, 2 H], weights [B, T, J] or
// [B, T, T]; O(T J H) in T steps, and O(T^2 H) at once. A passage's row that has ended gives 0.
#pragma once

#include "../../../nn/cells.h"
#include "../../../nn/gru.h"
#include "../../attend.h"
#include "../../scores/additive.h"

namespace heed::attention {

struct GatedMatchingOptions {
  Index width = 0;           ///< of a passage's word, d
  Index question_width = 0;  ///< dq; 0: d
  Index hidden = 0;          ///< of a state, and of the score's layer, H
  DType dtype = DType::f32;
};

class GatedMatching : public nn::Module {
 public:
  /// Throws ValueError unless widths are positive.
  explicit GatedMatching(const GatedMatchingOptions& options);

  Additive& score;   ///< of [p; h], d + H wide
  nn::Linear& gate;  ///< W_g [d + dq, d + dq]
  nn::GRUCell& cell;

  /// Row b's passage has lengths[b] words; none: T. The mask broadcasts to [B, J]. Throws
  /// ShapeError, DTypeError.
  Attended operator()(const Tensor& passage, const Tensor& question,
                      const std::vector<Index>& lengths = {}, const Mask& question_mask = Mask(),
                      bool need_weights = false) const;
};

struct SelfMatchingOptions {
  Index width = 0;   ///< of a word, d
  Index hidden = 0;  ///< of a state in each direction, and of the score's layer, H
  DType dtype = DType::f32;
};

class SelfMatching : public nn::Module {
 public:
  /// Throws ValueError unless widths are positive.
  explicit SelfMatching(const SelfMatchingOptions& options);

  Additive& score;
  nn::Linear& gate;  ///< W_g [2 d, 2 d]
  nn::GRU& reader;   ///< BiGRU

  /// Row b has lengths[b] words; none: T. Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& passage, const std::vector<Index>& lengths = {},
                      bool need_weights = false) const;
};

}  // namespace heed::attention
