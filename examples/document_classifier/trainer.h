// Training: epochs over shuffled batches by the library's loop (train/run.h), the best model by
// validation accuracy kept on disk.
#pragma once

#include <cstdint>
#include <string>

#include "../../train/run.h"
#include "corpus.h"
#include "saved_model.h"

namespace document_classifier {

struct TrainerOptions {
  std::string out = "model";  ///< folder of the model
  Index epochs = 6;
  Index batch = 32;
  double lr = 2e-3;
  double clip = 5;
  Index patience = 3;
  Index stop_after = 0;
  std::uint64_t seed = 1;
  bool resume = false;
  void fields(io::Fields& f) {
    f.size("epochs", epochs, 1, 1000000, "passes over the documents");
    f.number("lr", lr, 0, 1e6, "Adam's learning rate");
    f.number("clip", clip, 1e-9, 1e9, "largest norm of a gradient");
    f.size("patience", patience, 1, 1000000, "epochs without gain before it stops");
  }
};

/// Trains `classifier` on corpus.train; afterwards it holds the best weights, and so does the
/// folder. Throws IoError, FormatError, ValueError for a run that cannot be resumed.
train::Training train_classifier(Classifier& classifier, const Corpus& corpus,
                                 const TrainerOptions& options);

}  // namespace document_classifier
