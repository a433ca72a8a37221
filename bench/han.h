// The training step of the hierarchical attention network of Yang et al. 2016: words -> GRU ->
// attention -> sentences -> GRU -> attention -> linear -> cross entropy; f32, Adam with PyTorch's
// defaults. One batch, used again in every step. All documents and sentences have their full
// length.
#pragma once

#include "workload.h"

namespace bench::han {

inline constexpr std::int64_t kDocuments = 32, kSentences = 10, kWords = 20;  // B, S, T
inline constexpr std::int64_t kVocabulary = 20000, kEmbed = 200, kHidden = 50, kClasses = 5;
inline constexpr std::int64_t kState = 2 * kHidden;  // both directions
inline constexpr double kLearningRate = 1e-3;

/// Pooling over steps h_t: u_t = tanh(W h_t + b), a = softmax over t of (u_t . c), sum of a_t h_t.
inline const Weights kWeights = {
    {"words.weight", kVocabulary, kEmbed, 0.1f},
    {"word_encoder.weight_ih_l0", 3 * kHidden, kEmbed, 0.14f},
    {"word_encoder.weight_hh_l0", 3 * kHidden, kHidden, 0.14f},
    {"word_encoder.bias_ih_l0", 3 * kHidden, 0, 0.14f},
    {"word_encoder.bias_hh_l0", 3 * kHidden, 0, 0.14f},
    {"word_encoder.weight_ih_l0_reverse", 3 * kHidden, kEmbed, 0.14f},
    {"word_encoder.weight_hh_l0_reverse", 3 * kHidden, kHidden, 0.14f},
    {"word_encoder.bias_ih_l0_reverse", 3 * kHidden, 0, 0.14f},
    {"word_encoder.bias_hh_l0_reverse", 3 * kHidden, 0, 0.14f},
    {"word_attention.W", kState, kState, 0.1f},
    {"word_attention.b", kState, 0, 0.1f},
    {"word_attention.c", kState, 0, 0.1f},
    {"sentence_encoder.weight_ih_l0", 3 * kHidden, kState, 0.14f},
    {"sentence_encoder.weight_hh_l0", 3 * kHidden, kHidden, 0.14f},
    {"sentence_encoder.bias_ih_l0", 3 * kHidden, 0, 0.14f},
    {"sentence_encoder.bias_hh_l0", 3 * kHidden, 0, 0.14f},
    {"sentence_encoder.weight_ih_l0_reverse", 3 * kHidden, kState, 0.14f},
    {"sentence_encoder.weight_hh_l0_reverse", 3 * kHidden, kHidden, 0.14f},
    {"sentence_encoder.bias_ih_l0_reverse", 3 * kHidden, 0, 0.14f},
    {"sentence_encoder.bias_hh_l0_reverse", 3 * kHidden, 0, 0.14f},
    {"sentence_attention.W", kState, kState, 0.1f},
    {"sentence_attention.b", kState, 0, 0.1f},
    {"sentence_attention.c", kState, 0, 0.1f},
    {"classifier.weight", kClasses, kState, 0.1f},
    {"classifier.bias", kClasses, 0, 0.1f},
};

/// Word ids i64[B, S, T], uniform over the vocabulary, and labels i64[B].
inline void fill_ids(std::int64_t* to) {
  fill(to, kDocuments * kSentences * kWords, 1001, 0, kVocabulary);
}
inline void fill_labels(std::int64_t* to) { fill(to, kDocuments, 1002, 0, kClasses); }

/// Floating-point operations of the matrix products in one step.
constexpr double flops() {
  constexpr auto encode = [](double steps, double in) {
    return 2 *
           (trained_product(steps, in, 3 * kHidden) + trained_product(steps, kHidden, 3 * kHidden));
  };
  constexpr auto pool = [](double steps) {
    return trained_product(steps, kState, kState) + 2 * trained_product(steps, kState, 1);
  };
  constexpr double sentences = kDocuments * kSentences;
  constexpr double words = sentences * kWords;
  return encode(words, kEmbed) + pool(words) + encode(sentences, kState) + pool(sentences) +
         trained_product(kDocuments, kState, kClasses);
}

}  // namespace bench::han
