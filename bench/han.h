// The training step of the hierarchical attention network of Yang et al. 2016: words -> GRU ->
// attention -> sentences -> GRU -> attention -> linear -> cross entropy; f32, Adam with PyTorch's
// defaults. One batch, used again in every step. All documents and sentences have their full
// length. han_wide has fewer and longer ones, and states twice as wide.
#pragma once

#include <string>

#include "workload.h"

namespace bench::han {

struct Sizes {
  std::int64_t documents, sentences, words, hidden;  // B, S, T, of each direction
  std::int64_t vocabulary = 20000, embed = 200, classes = 5;

  constexpr std::int64_t state() const { return 2 * hidden; }
};
constexpr Sizes kHan{32, 10, 20, 50}, kWide{16, 30, 25, 100};
inline Sizes sizes_of(const std::string& row) { return row == "han_wide" ? kWide : kHan; }
inline constexpr double kLearningRate = 1e-3;

/// Pooling over steps h_t: u_t = tanh(W h_t + b), a = softmax over t of (u_t . c), sum of a_t h_t.
inline Weights weights(const Sizes& sizes) {
  const std::int64_t gates = 3 * sizes.hidden, state = sizes.state();
  return {
      {"words.weight", sizes.vocabulary, sizes.embed, 0.1f},
      {"word_encoder.weight_ih_l0", gates, sizes.embed, 0.14f},
      {"word_encoder.weight_hh_l0", gates, sizes.hidden, 0.14f},
      {"word_encoder.bias_ih_l0", gates, 0, 0.14f},
      {"word_encoder.bias_hh_l0", gates, 0, 0.14f},
      {"word_encoder.weight_ih_l0_reverse", gates, sizes.embed, 0.14f},
      {"word_encoder.weight_hh_l0_reverse", gates, sizes.hidden, 0.14f},
      {"word_encoder.bias_ih_l0_reverse", gates, 0, 0.14f},
      {"word_encoder.bias_hh_l0_reverse", gates, 0, 0.14f},
      {"word_attention.W", state, state, 0.1f},
      {"word_attention.b", state, 0, 0.1f},
      {"word_attention.c", state, 0, 0.1f},
      {"sentence_encoder.weight_ih_l0", gates, state, 0.14f},
      {"sentence_encoder.weight_hh_l0", gates, sizes.hidden, 0.14f},
      {"sentence_encoder.bias_ih_l0", gates, 0, 0.14f},
      {"sentence_encoder.bias_hh_l0", gates, 0, 0.14f},
      {"sentence_encoder.weight_ih_l0_reverse", gates, state, 0.14f},
      {"sentence_encoder.weight_hh_l0_reverse", gates, sizes.hidden, 0.14f},
      {"sentence_encoder.bias_ih_l0_reverse", gates, 0, 0.14f},
      {"sentence_encoder.bias_hh_l0_reverse", gates, 0, 0.14f},
      {"sentence_attention.W", state, state, 0.1f},
      {"sentence_attention.b", state, 0, 0.1f},
      {"sentence_attention.c", state, 0, 0.1f},
      {"classifier.weight", sizes.classes, state, 0.1f},
      {"classifier.bias", sizes.classes, 0, 0.1f},
  };
}

/// Word ids i64[B, S, T], uniform over the vocabulary, and labels i64[B].
inline void fill_ids(const Sizes& sizes, std::int64_t* to) {
  fill(to, sizes.documents * sizes.sentences * sizes.words, 1001, 0, sizes.vocabulary);
}
inline void fill_labels(const Sizes& sizes, std::int64_t* to) {
  fill(to, sizes.documents, 1002, 0, sizes.classes);
}

/// Floating-point operations of the matrix products in one step.
constexpr double flops(const Sizes& sizes) {
  const auto hidden = static_cast<double>(sizes.hidden), state = 2 * hidden;
  const auto documents = static_cast<double>(sizes.documents);
  const double sentences = documents * static_cast<double>(sizes.sentences);
  const double words = sentences * static_cast<double>(sizes.words);
  const auto encode = [&](double steps, double in) {
    return 2 *
           (trained_product(steps, in, 3 * hidden) + trained_product(steps, hidden, 3 * hidden));
  };
  const auto pool = [&](double steps) {
    return trained_product(steps, state, state) + 2 * trained_product(steps, state, 1);
  };
  return encode(words, static_cast<double>(sizes.embed)) + pool(words) + encode(sentences, state) +
         pool(sentences) + trained_product(documents, state, static_cast<double>(sizes.classes));
}

}  // namespace bench::han
