// Training: steps over random scenes, the learning rate warmed up and then let down as a cosine,
// the best model kept.
#pragma once

#include "../../train/step_options.h"
#include "caption_loss.h"

namespace captioning {

struct TrainerOptions : train::StepOptions {
  double soft = 1.0 / 3;
  LossOptions loss;
  void fields(io::Fields& f) {
    StepOptions::fields(f, "scenes");
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
