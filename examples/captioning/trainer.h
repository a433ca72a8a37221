// Training: steps over random scenes, the learning rate warmed up and then let down as a cosine,
// the best model kept.
#pragma once

#include <cstdint>

#include "../../train/run.h"
#include "caption_loss.h"

namespace captioning {

struct TrainerOptions {
  train::RunOptions run = {.out = "model",
                           .steps = 1000,
                           .every = 250,
                           .clip = 5,
                           .keep = {"exact", train::lowest("validation loss")}};
  Index batch = 32;
  double lr = 2e-3;
  Index warm_up = 100;
  LossOptions loss;
  std::uint64_t seed = 1;
  void fields(io::Fields& f) {
    f.size("steps", run.steps, 1, 1 << 24, "of the training");
    f.size("batch", batch, 1, 1 << 24, "scenes a step");
    f.number("lr", lr, 1e-12, 1e6,
             "Adam's highest learning rate; a cosine takes it down to a tenth");
    f.size("warm_up", warm_up, 0, 1 << 24, "steps in which the learning rate rises");
    f.number("clip", run.clip, 1e-9, 1e9, "largest norm of a gradient");
    f.size("interval", run.every, 1, 1 << 24, "steps between two measurements");
    loss.fields(f);
  }
};

/// Trains; afterwards the describer holds the weights that described most validation scenes
/// exactly, and so does the folder. Throws IoError, FormatError, ValueError.
train::Training train_describer(Describer& describer, const Corpus& corpus,
                                const TrainerOptions& options);

}  // namespace captioning
