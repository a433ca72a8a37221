// Training: Adam on strings that are drawn anew for each step; the model with the lowest validation
// error is kept.
#pragma once

#include "../../train/training.h"
#include "model.h"

namespace speech {

struct TrainerOptions {
  std::string out = "model";
  Index steps = 2500;
  Index short_steps = 300;
  Index every = 100;
  Index batch = 16;
  double lr = 2e-3;
  double clip = 1;
  std::uint64_t seed = 1;
  Index stop_after = 0;
  bool resume = false;
  void fields(io::Fields& f) {
    f.size("steps", steps, 1, 1 << 24, "to learn for");
    f.size("short_steps", short_steps, 0, 1 << 24,
           "of which the first, on strings of 1 to 3 digits");
    f.size("every", every, 1, 1 << 24, "steps from one validation to the next");
    f.size("batch", batch, 1, 1 << 12, "strings a step, all of as many digits");
    f.number("lr", lr, 1e-12, 1e6, "largest learning rate, after the first twentieth of the steps");
    f.number("clip", clip, 1e-9, 1e9, "largest norm of a gradient");
  }
};

/// Throws what train::Run throws.
train::Training train_listener(Listener& model, const Corpus& corpus, const CorpusOptions& strings,
                               const TrainerOptions& options);

}  // namespace speech
