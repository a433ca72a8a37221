// Training: steps over random scenes, the learning rate warmed up and then let down as a cosine,
// the best model kept.
#pragma once

#include <cstdint>
#include <string>

#include "../../train/training.h"
#include "caption_loss.h"

namespace captioning {

struct TrainerOptions {
  std::string out = "model";  ///< folder of the model
  Index steps = 1000;
  Index batch = 32;
  double lr = 2e-3;
  Index warm_up = 100;
  double clip = 5;
  Index interval = 250;
  double soft = 1.0 / 3;
  LossOptions loss;
  Index stop_after = 0;
  std::uint64_t seed = 1;
  bool resume = false;
  void fields(io::Fields& f) {
    f.size("steps", steps, 1, 1 << 24, "of the training");
    f.size("batch", batch, 1, 1 << 24, "scenes a step");
    f.number("lr", lr, 1e-12, 1e6,
             "Adam's highest learning rate; a cosine takes it down to a tenth");
    f.size("warm_up", warm_up, 0, 1 << 24, "steps in which the learning rate rises");
    f.number("clip", clip, 1e-9, 1e9, "largest norm of a gradient");
    f.size("interval", interval, 1, 1 << 24, "steps between two measurements");
    f.number("soft", soft, 0, 1,
             "hard attention: part of the steps, at first, in which it is soft");
    loss.fields(f);
  }
};

/// Trains; afterwards the describer holds the weights that described most validation scenes
/// exactly, and so does the folder. Throws IoError, FormatError, ValueError.
train::Training train_describer(Describer& describer, const Corpus& corpus,
                                const TrainerOptions& options);

}  // namespace captioning
