// The rows hard and soft: a training step of a classifier that looks at an image's annotations with
// additive attention (Xu et al. 2015), by 8 samples with the leave-one-out baseline or by the mean;
// f32, Adam. One batch, used again in every step.
//
//   e = v^T tanh(W1 q + W2 a),  alpha = softmax(e),  context = a_s, s ~ alpha, or sum alpha a
//   logits = W context + b, cross entropy; hard: + (cost - mean of the others' costs) log alpha_s
#pragma once

#include "workload.h"

namespace bench::hard {

inline constexpr std::int64_t kBatch = 32, kPlaces = 196, kWidth = 512, kSamples = 8;
inline constexpr std::int64_t kHidden = 512, kClasses = 1000;
inline constexpr double kLearningRate = 1e-4;

/// Small weights of the classifier: both sides draw samples of their own, and the losses of the
/// first steps hardly hear of them.
inline const Weights kWeights = {
    {"score.query_projection.weight", kHidden, kWidth, 0.04f},
    {"score.key_projection.weight", kHidden, kWidth, 0.04f},
    {"score.score_vector", kHidden, 0, 0.2f},
    {"classifier.weight", kClasses, kWidth, 0.005f},
    {"classifier.bias", kClasses, 0, 0.005f},
};
inline constexpr double kTolerance = 5e-3;  // relative, of the loss

inline void fill_annotations(float* to) { fill(to, kBatch * kPlaces * kWidth, 2001, 1); }
inline void fill_queries(float* to) { fill(to, kBatch * kWidth, 2002, 1); }
inline void fill_labels(std::int64_t* to) { fill(to, kBatch, 2003, 0, kClasses); }

/// Floating-point operations of the matrix products in one step; nothing flows back to the
/// annotations and the queries.
constexpr double flops(double samples) {
  constexpr double two_of_three = 2.0 / 3;
  return two_of_three * (trained_product(kBatch, kWidth, kHidden) +
                         trained_product(kBatch * kPlaces, kWidth, kHidden)) +
         trained_product(kBatch * kPlaces, kHidden, 1) +
         trained_product(samples * kBatch, kWidth, kClasses);
}

}  // namespace bench::hard
