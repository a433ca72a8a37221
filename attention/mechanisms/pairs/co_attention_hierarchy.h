// The hierarchy of co-attentions and its answer (Lu et al. 2016, sections 3.2 and 3.4): word,
// phrase and question level each look at the image together with it.
//
//   words      q^w_t, given
//   phrases    q^p_t = max over s = 1, 2, 3 of tanh(W^s q^w_{t:t+s-1}), feature by feature; words
//              beyond the end are 0
//   question   q^s = LSTM(q^p)
//   answer     h^w = tanh(W_w (q^w + v^w)),  h^p = tanh(W_p [q^p + v^p; h^w]),
//              h^s = tanh(W_s [q^s + v^s; h^p]),  p = softmax(W_h h^s)
//
// q^l, v^l on the right of the answer are what level l attended to. All levels and the image are of
// one width d. Like the paper's, no projection but the LSTM's has a bias: where neither question
// nor image has a place, the logits W_h h^s are 0.
#pragma once

#include <cstdint>

#include "../../../nn/conv.h"
#include "../../../nn/lstm.h"
#include "../../../nn/module_list.h"
#include "co_attention.h"

namespace heed::attention {

enum class CoAttentionKind : std::uint8_t { parallel, alternating };

struct CoAttentionHierarchyOptions {
  Index width = 0;    ///< d
  Index hidden = 0;   ///< of the scores; 0: width
  Index answers = 0;  ///< how many there are to choose from
  CoAttentionKind kind = CoAttentionKind::parallel;
  DType dtype = DType::f32;
};

struct CoAttentionHierarchyOutput {
  Tensor logits;                          ///< [B, answers]
  std::vector<CoAttentionOutput> levels;  ///< word, phrase, question
};

class CoAttentionHierarchy : public nn::Module {
 public:
  /// Throws ValueError for numbers out of range.
  explicit CoAttentionHierarchy(const CoAttentionHierarchyOptions& options);

  nn::ModuleListOf<nn::Conv1d>& phrases;  ///< W^s, s = 1, 2, 3
  nn::LSTM& question;                     ///< over phrases
  nn::ModuleListOf<CoAttention>& levels;  ///< word, phrase, question
  nn::Linear& word_answer;                ///< W_w [d, d]
  nn::Linear& phrase_answer;              ///< W_p [d, 2 d]
  nn::Linear& question_answer;            ///< W_s [d, 2 d]
  nn::Linear& out;                        ///< W_h [answers, d]

  /// words [B, T, d], of which lengths[b] count (none given: all); image [B, N, d], image_mask
  /// broadcasting to [B, N]. Throws ShapeError, DTypeError.
  CoAttentionHierarchyOutput operator()(const Tensor& words, const Tensor& image,
                                        const std::vector<Index>& lengths = {},
                                        const Mask& image_mask = Mask(),
                                        bool need_weights = false) const;
};

}  // namespace heed::attention
