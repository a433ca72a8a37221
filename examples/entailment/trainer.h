// Training: AdamW on the cross entropy, the model with the best validation accuracy is kept.
#pragma once

#include "../../train/fit_options.h"
#include "model.h"

namespace entailment {

struct TrainerOptions : train::FitOptions {
  TrainerOptions() { epochs = 12; }
};

/// Throws what train::Run throws.
train::Training train_judge(Judge& judge, const Corpus& corpus, const TrainerOptions& options);

}  // namespace entailment
