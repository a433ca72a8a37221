// The training steps of two Transformers (Vaswani et al. 2017) as PyTorch has them: post-norm,
// ReLU, no dropout, f32, Adam. Row transformer: embeddings and sinusoidal positions, encoder and
// decoder with their last norms, projection to the vocabulary, cross entropy. Row encoder: a stack
// of encoder layers without a last norm, the mean square of its distance to a fixed block.
#pragma once

#include <cmath>

#include "workload.h"

namespace bench::transformer {

inline constexpr std::int64_t kBatch = 64, kSteps = 32, kVocabulary = 8000, kLayers = 3;
inline constexpr std::int64_t kWidth = 256, kHeads = 4, kInner = 1024;
inline constexpr double kLearningRate = 1e-4;

inline void add_norm(Weights& to, const std::string& name, std::int64_t width) {
  to.push_back({name + ".weight", width, 0, 0.1f, 1.0f});
  to.push_back({name + ".bias", width, 0, 0.1f});
}

inline void add_attention(Weights& to, const std::string& name, std::int64_t width) {
  to.push_back({name + ".in_proj_weight", 3 * width, width, 0.06f});
  to.push_back({name + ".in_proj_bias", 3 * width, 0, 0.06f});
  add_linear(to, name + ".out_proj", width, width);
}

inline void add_encoder_layer(Weights& to, const std::string& name, std::int64_t width,
                              std::int64_t inner) {
  add_attention(to, name + ".self_attn", width);
  add_linear(to, name + ".linear1", width, inner);
  add_linear(to, name + ".linear2", inner, width);
  add_norm(to, name + ".norm1", width);
  add_norm(to, name + ".norm2", width);
}

inline Weights weights() {
  Weights out = {{"source.weight", kVocabulary, kWidth, 0.1f},
                 {"target.weight", kVocabulary, kWidth, 0.1f}};
  for (std::int64_t i = 0; i < kLayers; ++i) {
    const std::string number = std::to_string(i);
    add_encoder_layer(out, "transformer.encoder.layers." + number, kWidth, kInner);
    add_encoder_layer(out, "transformer.decoder.layers." + number, kWidth, kInner);
    add_attention(out, "transformer.decoder.layers." + number + ".multihead_attn", kWidth);
    add_norm(out, "transformer.decoder.layers." + number + ".norm3", kWidth);
  }
  add_norm(out, "transformer.encoder.norm", kWidth);
  add_norm(out, "transformer.decoder.norm", kWidth);
  add_linear(out, "vocabulary", kWidth, kVocabulary);
  return out;
}

/// Word ids i64[B, T] each: the source, what the decoder is fed, what it should say.
inline void fill_source(std::int64_t* to) { fill(to, kBatch * kSteps, 1001, 0, kVocabulary); }
inline void fill_fed(std::int64_t* to) { fill(to, kBatch * kSteps, 1002, 0, kVocabulary); }
inline void fill_wanted(std::int64_t* to) { fill(to, kBatch * kSteps, 1003, 0, kVocabulary); }

/// Positions f32[T, width]: sin(t / 10000^(2i / width)) at 2i, the cosine at 2i + 1.
inline void fill_positions(float* to) {
  for (std::int64_t t = 0; t < kSteps; ++t) {
    for (std::int64_t i = 0; i < kWidth; ++i) {
      const double rate = std::pow(1e4, -static_cast<double>(i - i % 2) / kWidth);
      const double angle = static_cast<double>(t) * rate;
      to[t * kWidth + i] = static_cast<float>(i % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
}

/// Of the products of one attention over `batch` rows of `steps`, and of one inner network.
constexpr double attention_flops(double batch, double steps, double width) {
  return trained_product(batch * steps, width, 4 * width) +
         2 * batch * trained_product(steps, width, steps);
}
constexpr double inner_flops(double rows, double width, double inner) {
  return 2 * trained_product(rows, width, inner);
}

/// Floating-point operations of the matrix products in one step.
constexpr double flops() {
  constexpr double rows = kBatch * kSteps;
  return kLayers *
             (3 * attention_flops(kBatch, kSteps, kWidth) + 2 * inner_flops(rows, kWidth, kInner)) +
         trained_product(rows, kWidth, kVocabulary);
}

}  // namespace bench::transformer

namespace bench::encoder {

inline constexpr std::int64_t kBatch = 8, kSteps = 256, kLayers = 4;
inline constexpr std::int64_t kWidth = 512, kHeads = 8, kInner = 2048;
inline constexpr double kLearningRate = 1e-4;

inline Weights weights() {
  Weights out;
  for (std::int64_t i = 0; i < kLayers; ++i) {
    transformer::add_encoder_layer(out, "layers." + std::to_string(i), kWidth, kInner);
  }
  return out;
}

/// f32[B, T, width] each.
inline void fill_input(float* to) { fill(to, kBatch * kSteps * kWidth, 1001, 1.0f); }
inline void fill_wanted(float* to) { fill(to, kBatch * kSteps * kWidth, 1002, 1.0f); }

constexpr double flops() {
  return kLayers * (transformer::attention_flops(kBatch, kSteps, kWidth) +
                    transformer::inner_flops(kBatch * kSteps, kWidth, kInner));
}

}  // namespace bench::encoder
