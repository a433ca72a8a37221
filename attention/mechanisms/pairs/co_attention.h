// Co-attention (Lu et al. 2016, "Hierarchical Question-Image Co-Attention for Visual Question
// Answering", section 3.3): a question looks at an image while the image looks at the question. Or
// any two sets of vectors.
//
//   parallel     C = tanh(Q^T W_b V)
//                H^v = tanh(W_v V + (W_q Q) C),    a^v = softmax(w_hv^T H^v),  v = sum_n a^v_n v_n
//                H^q = tanh(W_q Q + (W_v V) C^T),  a^q = softmax(w_hq^T H^q),  q = sum_t a^q_t q_t
//   alternating  A(X; g): a = softmax(w^T tanh(W_x X + (W_g g) 1^T)),  x = sum_i a_i x_i;
//                A(Q; 0) -> s,  A(V; s) -> v,  A(Q; v) -> q; each step has its own w, W_x and W_g
//
// Q: question [B, T, question_width]; V: image [B, N, image_width], its places in rows. Like the
// paper's, no projection has a bias. A question or an image without a place gives zeros, and is 0
// to the other. The hierarchy of words, phrases and question stands in co_attention_hierarchy.h.
#pragma once

#include <optional>

#include "../../../nn/linear.h"
#include "../../attend.h"

namespace heed::attention {

struct CoAttentionOutput {
  Attended image;         ///< context [B, image_width], weights [B, N]
  Attended question;      ///< context [B, question_width], weights [B, T]
  Attended summary = {};  ///< of the question, as the first alternating step saw it
};

struct CoAttentionOptions {
  Index question_width = 0, image_width = 0;
  Index hidden = 0;  ///< k of the scores
  DType dtype = DType::f32;
};

class CoAttention : public nn::Module {
 public:
  /// Masks broadcast to [B, T] and [B, N]. Throws ShapeError, DTypeError.
  virtual CoAttentionOutput operator()(const Tensor& question, const Tensor& image,
                                       const Mask& question_mask = Mask(),
                                       const Mask& image_mask = Mask(),
                                       bool need_weights = false) const = 0;
};

class ParallelCoAttention : public CoAttention {
 public:
  /// Throws ValueError unless all widths are positive.
  explicit ParallelCoAttention(const CoAttentionOptions& options);

  Tensor& affinity;                 ///< W_b [question_width, image_width]
  nn::Linear& question_projection;  ///< W_q
  nn::Linear& image_projection;     ///< W_v
  Tensor& question_vector;          ///< w_hq [hidden]
  Tensor& image_vector;             ///< w_hv [hidden]

  CoAttentionOutput operator()(const Tensor& question, const Tensor& image,
                               const Mask& question_mask = Mask(), const Mask& image_mask = Mask(),
                               bool need_weights = false) const override;
};

/// A(X; g), one step of the alternating form.
class GuidedAttention : public nn::Module {
 public:
  /// Without a guide's width there is no W_g.
  GuidedAttention(Index width, std::optional<Index> guide_width, Index hidden,
                  DType dtype = DType::f32);

  nn::Linear& projection;    ///< W_x [hidden, width]
  Tensor& guide_projection;  ///< W_g [hidden, guide_width], or undefined
  Tensor& score_vector;      ///< w [hidden]

  /// x [B, n, width], of which bool [B, n] `real` (undefined: all) count and the others are finite;
  /// guide [B, guide_width].
  Attended operator()(const Tensor& x, const Tensor& real, const Tensor& guide = Tensor(),
                      bool need_weights = false) const;
};

class AlternatingCoAttention : public CoAttention {
 public:
  /// Throws ValueError unless all widths are positive.
  explicit AlternatingCoAttention(const CoAttentionOptions& options);

  GuidedAttention& summarise;    ///< A(Q; 0)
  GuidedAttention& to_image;     ///< A(V; s)
  GuidedAttention& to_question;  ///< A(Q; v)

  CoAttentionOutput operator()(const Tensor& question, const Tensor& image,
                               const Mask& question_mask = Mask(), const Mask& image_mask = Mask(),
                               bool need_weights = false) const override;
};

}  // namespace heed::attention
