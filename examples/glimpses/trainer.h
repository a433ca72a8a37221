// Training: the class by cross-entropy, the places by REINFORCE with a learned baseline, all in one
// loss; Adam with a learning rate that falls as a cosine; the model of the lowest validation error
// kept on disk, a clean end on Ctrl-C, and resuming where a run was stopped, to the same bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "digits.h"
#include "saved_model.h"

namespace glimpses {

struct TrainerOptions {
  std::string out = "model";  ///< folder of the model
  Index epochs = 40;
  Index batch_size = 128;
  Index runs = 1;               ///< M, over each image of a batch
  double learning_rate = 2e-3;  ///< the first
  double every = 1;             ///< weight of the classes guessed before the last glimpse
  double clip = 5;              ///< of the gradient's norm
  Index stop_after = 0;  ///< stop after this step as by Ctrl-C, to be resumed later; 0: at the end
  Index validation_runs = 1;  ///< see EvaluationOptions
  std::uint64_t seed = 1;
  bool resume = false;  ///< go on from what `out` holds
};

/// What an epoch came to; errors in [0, 1].
struct Figures {
  double epoch, train_loss, train_error, validation_error, seconds;
};

struct Training {
  std::vector<Figures> curve;
  bool interrupted = false;
};

/// Cross-entropy, surrogate of the reward (1 where the last guess is right) and the baselines' own
/// loss, of an episode of `runs` runs over images with these labels.
struct Losses {
  Tensor total;  ///< to differentiate
  double classes;
  double error;  ///< of the last guesses
};
Losses losses_of(const Episode& episode, const Tensor& labels, Index runs, double every);

/// Afterwards the model holds the best weights, and so does the folder. Throws ValueError, IoError,
/// FormatError for a run that cannot be resumed.
Training train_model(GlimpseModel& model, const Digits& train, const Digits& validation,
                     const TrainerOptions& options);

}  // namespace glimpses
