// Training: AdamW on the cross entropy, the model with the best validation accuracy is kept.
#pragma once

#include "../../train/fit_options.h"
#include "model.h"

namespace entailment {

struct TrainerOptions : train::FitOptions {
  TrainerOptions() { epochs = 12; }
  Index min_count = 2;
  void fields(io::Fields& f) {
    FitOptions::fields(f);
    f.size("min_count", min_count, 1, 1 << 20, "a rarer word is unknown");
  }
};

/// Throws what train::Run throws.
train::Training train_judge(Judge& judge, const Corpus& corpus, const TrainerOptions& options);

}  // namespace entailment
