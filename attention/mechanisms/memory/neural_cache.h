// Language models that look back at words they have just read.
//
// Neural cache (Grave et al. 2017, "Improving Neural Language Models with a Continuous Cache", eq.
// 2 to 4): states before, each with the word that came after it, without anything to be learned:
//   p_cache(w) = sum of a_i over i < t whose next word x_{i+1} is w,  a = softmax_i(theta h_t . h_i)
//   p = (1 - lambda) p_vocab + lambda p_cache
//
// Pointer sentinel (Merity et al. 2017, "Pointer Sentinel Mixture Models", eq. 3 to 8): the share
// of the vocabulary is the weight of a learned key, the sentinel, beside the words of a window:
//   q_t = tanh(W h_t + b),   [a; g] = softmax([q_t . h_i over the L words up to t; q_t . s])
//   p(w) = g p_vocab(w) + sum of a_i over those i where x_i is w
//
// states h [B, T, E]; p_vocab [B, T, V]; ids i64 [B, T]. O(T^2 E), O(T L E) with a window.
#pragma once

#include "../../../nn/linear.h"
#include "../../attend.h"

namespace heed::attention {

struct NeuralCacheOptions {
  double theta = 0.3;   ///< how sharply it looks
  double lambda = 0.1;  ///< its share
  Index window = 0;     ///< states that it looks back at; 0: all
};

/// p [B, T, V] of the word after each place; `next` are the words that came, next[b, t] after place
/// t, which those behind t may see. The first of a text has no past, and keeps p_vocab. Lengths:
/// how many places of each row are real; no lengths: all. Throws ShapeError, DTypeError, IndexError
/// for a word outside [0, V), ValueError for options out of range.
Tensor neural_cache(const Tensor& states, const Tensor& vocabulary, const Tensor& next,
                    const NeuralCacheOptions& options, const std::vector<Index>& lengths = {});

struct PointerSentinelOutput {
  Tensor distribution;  ///< p [B, T, V]
  Tensor gate;          ///< g [B, T]
  Tensor weights = {};  ///< a [B, T, T]; undefined unless asked for
};

class PointerSentinel : public nn::Module {
 public:
  /// Over the last `window` words, 0: all. Throws ValueError for a width that is not positive, a
  /// negative window.
  explicit PointerSentinel(Index width, Index window = 0, DType dtype = DType::f32);

 private:
  Index window_;

 public:
  nn::Linear& query;  ///< W, b
  Tensor& sentinel;   ///< s [E]

  /// ids: the word at each place, which its own state has read. Throws as neural_cache().
  PointerSentinelOutput operator()(const Tensor& states, const Tensor& vocabulary,
                                   const Tensor& ids, const std::vector<Index>& lengths = {},
                                   bool need_weights = false) const;
};

}  // namespace heed::attention
