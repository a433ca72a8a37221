// Training: AdamW; the model of the best ROUGE-L on the validation articles is kept.
#pragma once

#include "../../train/fit_options.h"
#include "model.h"

namespace summaries {

struct TrainerOptions : train::FitOptions {
  TrainerOptions() {
    lr = 2e-3;
    clip = 2;
  }
  double coverage = 1;
  void fields(io::Fields& f) {
    FitOptions::fields(f);
    f.number("coverage", coverage, 0, 1e6, "weight of the loss of looking twice");
  }
};

/// Throws what train::Run throws.
train::Training train_editor(Desk& desk, const Corpus& corpus, const TrainerOptions& options);

}  // namespace summaries
