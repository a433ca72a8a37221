// Training: the class by cross-entropy, the places by REINFORCE with a learned baseline, all in one
// loss; Adam with a learning rate that falls as a cosine; the model of the lowest validation error
// is kept.
#pragma once

#include <cstdint>
#include <string>

#include "../../train/training.h"
#include "model.h"

namespace glimpses {

struct TrainerOptions {
  std::string out = "model";  ///< folder of the model
  Index epochs = 40;
  Index batch = 128;
  Index samples = 1;  ///< M, over each image of a batch
  double lr = 2e-3;
  double every = 1;
  double clip = 5;
  Index stop_after = 0;
  std::uint64_t seed = 1;
  bool resume = false;
  void fields(io::Fields& f) {
    f.size("epochs", epochs, 1, 1 << 20, "of the training");
    f.size("batch", batch, 1, 1 << 20, "images a step");
    f.size("samples", samples, 1, 1000, "runs over each image of a step");
    f.number("lr", lr, 1e-12, 1e6,
             "Adam's first learning rate; a cosine takes it down to a hundredth");
    f.number("every", every, 0, 1e9, "weight of the classes guessed before the last glimpse");
    f.number("clip", clip, 1e-9, 1e9, "largest norm of a gradient");
  }
};

/// Afterwards the model holds the best weights, and so does the folder. Throws ValueError, IoError,
/// FormatError for a run that cannot be resumed.
train::Training train_model(GlimpseModel& model, const Digits& train, const Digits& validation,
                            const TrainerOptions& options);

}  // namespace glimpses
