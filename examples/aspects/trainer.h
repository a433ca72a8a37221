// Training: cross-entropy of both sides' labels, AdamW, the model of the best F1 on the sentences
// held back (the mean of aspects' and opinions') kept.
#pragma once

#include <vector>

#include "../../train/fit_options.h"
#include "../../train/training.h"
#include "tagging.h"

namespace aspects {

struct TrainerOptions : train::FitOptions {
  TrainerOptions() {
    epochs = 40;
    batch = 25;
    weight_decay = 0;
    patience = 8;
  }
};

/// Afterwards the tagger holds the best weights, and so does the folder. Throws ValueError,
/// IoError, FormatError for a run that cannot be resumed.
train::Training train_tagger(Reader& reader, const std::vector<Example>& examples,
                             const std::vector<Example>& validation, const TrainerOptions& options);

}  // namespace aspects
