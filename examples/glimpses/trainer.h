// Training: the class by cross-entropy, the places by REINFORCE with a learned baseline, all in one
// loss; AdamW with a learning rate that falls as a cosine; the model of the lowest validation error
// is kept.
#pragma once

#include "../../train/fit_options.h"
#include "../../train/training.h"
#include "model.h"

namespace glimpses {

struct TrainerOptions : train::FitOptions {
  TrainerOptions() {
    epochs = 40;
    batch = 128;
    lr = 2e-3;
    weight_decay = 0;
  }
  Index samples = 1;  ///< M, over each image of a batch
  double every = 0;
  Reward reward = Reward::right;
  void fields(io::Fields& f) {
    FitOptions::fields(f);
    f.size("samples", samples, 1, 1000, "runs over each image of a step");
    f.number("every", every, 0, 1e9, "weight of the classes guessed before the last glimpse");
    f.choice("reward", reward, {{"right", Reward::right}, {"probability", Reward::probability}},
             "of a run: 1 where its guess is right, or the probability that it gave the class");
  }
};

/// Afterwards the model holds the best weights, and so does the folder. Throws ValueError, IoError,
/// FormatError for a run that cannot be resumed.
train::Training train_model(GlimpseModel& model, const Digits& train, const Digits& validation,
                            const TrainerOptions& options);

}  // namespace glimpses
