// Training: epochs over shuffled batches by the library's loop (train/run.h), the best model by
// validation accuracy kept on disk.
#pragma once

#include "../../train/fit_options.h"
#include "../../train/run.h"
#include "corpus.h"

namespace document_classifier {

struct TrainerOptions : train::FitOptions {
  TrainerOptions() {
    epochs = 6;
    lr = 2e-3;
    weight_decay = 0;
    patience = 3;
  }
};

/// Trains `classifier` on corpus.train; afterwards it holds the best weights, and so does the
/// folder. Throws IoError, FormatError, ValueError for a run that cannot be resumed.
train::Training train_classifier(Classifier& classifier, const Corpus& corpus,
                                 const TrainerOptions& options);

}  // namespace document_classifier
