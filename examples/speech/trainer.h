// Training: Adam on strings that are drawn anew for each step; the model with the lowest validation
// error is kept.
#pragma once

#include "../../train/step_options.h"
#include "model.h"

namespace speech {

struct TrainerOptions : train::StepOptions {
  TrainerOptions() {
    steps = 2500;
    batch = 16;
    warm_up = 0;  // a twentieth of the steps
    clip = 1;
    interval = 100;
  }
  Index short_steps = 300;
  void fields(io::Fields& f) {
    StepOptions::fields(f, "strings, all of as many digits,");
    f.size("short_steps", short_steps, 0, 1 << 24, "the first ones, on strings of 1 to 3 digits");
  }
};

/// Throws what train::Run throws.
train::Training train_listener(Listener& model, const Corpus& corpus, const CorpusOptions& strings,
                               const TrainerOptions& options);

}  // namespace speech
