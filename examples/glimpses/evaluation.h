// How often a model is wrong. The class with the highest probability is its guess, the mean of
// several runs where there are several: runs look at different places.
#pragma once

#include <cstdint>

#include "../../train/metrics.h"
#include "digits.h"
#include "model.h"

namespace glimpses {

struct EvaluationOptions {
  Index runs = 1;  ///< over each image, places drawn; 0: one, at the means of the places
  Index batch_size = 500;
  std::uint64_t seed = 1;  ///< of places, of glimpses and of digits in larger images
};

/// [B, classes]: the probabilities of each class, averaged over the runs.
Tensor probabilities_of(const Episode& episode);

train::Confusion evaluate(GlimpseModel& model, const Digits& digits,
                          const EvaluationOptions& options = {});

}  // namespace glimpses
