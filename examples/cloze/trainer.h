// Training: the negative log of the answer's probability, AdamW along a cosine, the model that
// answers most of the validation queries kept.
#pragma once

#include "../../train/fit_options.h"
#include "../../train/training.h"
#include "answers.h"

namespace cloze {

struct TrainerOptions : train::FitOptions {
  TrainerOptions() {
    epochs = 5;
    lr = 0.003;
    weight_decay = 0;
  }
};

/// Afterwards the reader holds the best weights, and so does the folder. Throws ValueError,
/// IoError, FormatError for a run that cannot be resumed.
train::Training train_reader(Reader& reader, const Corpus& corpus, const TrainerOptions& options);

}  // namespace cloze
