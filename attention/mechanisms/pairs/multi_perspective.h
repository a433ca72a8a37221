// Multi-perspective matching (Wang, Hamza, Florian 2017, "Bilateral Multi-Perspective Matching for
// Natural Language Sentences", section 3.2): each state of a sentence is compared with those of
// another, in L perspectives, each of which weighs the features in its own way.
//
//   m = f(v, v'; W) [L],  m_k = cos(W_k o v, W_k o v')
//   full            f(p_i, q_N) forwards, f(p_i, q_1) backwards: the other's last state
//   max-pooling     max_j f(p_i, q_j), of each perspective by itself
//   attentive       f(p_i, sum_j a_ij q_j / sum_j a_ij),  a_ij = cos(p_i, q_j)
//   max-attentive   f(p_i, q_j*),  j* = argmax_j a_ij
//
// States are a BiLSTM's, forward and backward ones beside each other: P [B, N, 2 H], Q [B, M, 2 H]
// -> [B, N, 2 S L] and [B, M, 2 S L] of S strategies in the order above, each forwards, then
// backwards. The same W compare P with Q and Q with P. A norm counts as at least 1e-8, and so does
// |sum_j a_ij|; cosines may be negative, and so may weights. O(N M H L), of which all but
// max-pooling is O(N M H + (N + M) H L). The paper's W^1 .. W^8 [l, d] are the rows of our four
// weights [2, L, H], its P and Q premise and hypothesis.
#pragma once

#include "../../../nn/module.h"
#include "../../masks/mask.h"

namespace heed::attention {

struct MultiPerspectiveOptions {
  Index hidden = 0;  ///< of a state in each direction, H
  Index perspectives = 20;
  bool full = true;
  bool max_pooling = true;
  bool attentive = true;
  bool max_attentive = true;
  DType dtype = DType::f32;
};

struct MultiPerspectiveOutput {
  Tensor premise;          ///< P against Q, [B, N, 2 S L]; 0 in the padding
  Tensor hypothesis;       ///< Q against P, [B, M, 2 S L]; likewise
  Tensor premise_weights;  ///< a_ij / sum_j a_ij, [B, 2, N, M], forwards and backwards; undefined
                           ///< unless asked for
  Tensor hypothesis_weights;  ///< of the other way, [B, 2, M, N]
};

class MultiPerspectiveMatching : public nn::Module {
 public:
  /// Throws ValueError unless sizes are positive and there is a strategy.
  explicit MultiPerspectiveMatching(const MultiPerspectiveOptions& options);

  Tensor &full, &max_pooling, &attentive, &max_attentive;  ///< W [2, L, H]; undefined without

  /// 2 S L.
  Index width() const { return width_; }

  /// Masks broadcast to [B, N] and [B, M]; last is the last place that counts. What may look at
  /// nothing gets zeros. Throws ShapeError, DTypeError.
  MultiPerspectiveOutput operator()(const Tensor& premise, const Tensor& hypothesis,
                                    const Mask& premise_mask = Mask(),
                                    const Mask& hypothesis_mask = Mask(),
                                    bool need_weights = false) const;

 private:
  Index hidden_, width_;
};

}  // namespace heed::attention
