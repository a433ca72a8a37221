// Training: epochs over shuffled batches, the best model by validation accuracy kept on disk, early
// stopping, a clean end on Ctrl-C, and resuming where a run was stopped, to the same bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../optim/adam.h"
#include "corpus.h"
#include "saved_model.h"

namespace document_classifier {

struct TrainerOptions {
  std::string out = "model";  ///< folder of the model
  Index epochs = 6;
  Index batch_size = 32;
  double learning_rate = 2e-3;
  double clip = 5;     ///< of the gradient's norm
  Index patience = 3;  ///< epochs without a better validation accuracy before it stops
  std::uint64_t seed = 1;
  bool resume = false;  ///< go on from what `out` holds
};

/// What an epoch came to.
struct EpochFigures {
  double train_loss, validation_loss, validation_accuracy, seconds;
};

struct Training {
  std::vector<EpochFigures> epochs;
  bool interrupted = false;
};

/// Trains `classifier` on corpus.train; afterwards it holds the best weights, and so does the
/// folder. Throws IoError, FormatError.
Training train_classifier(Classifier& classifier, const Corpus& corpus,
                          const TrainerOptions& options);

}  // namespace document_classifier
