// Training: cross-entropy of both sides' labels, Adam, the model of the best F1 on the sentences
// held back (the mean of aspects' and opinions') kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../train/training.h"
#include "tagging.h"

namespace aspects {

struct TrainerOptions {
  std::string out = "model";
  std::uint64_t seed = 1;
  Index epochs = 40;
  Index patience = 8;
  Index batch = 25;
  double lr = 0.001;
  double clip = 5;
  Index stop_after = 0;
  bool resume = false;
  void fields(io::Fields& f) {
    f.size("epochs", epochs, 1, 1 << 24, "passes over the sentences");
    f.size("patience", patience, 0, 1 << 24,
           "epochs without a better F1 of the sentences held back that end it; 0: none do");
    f.size("batch", batch, 1, 1 << 20, "sentences a step");
    f.number("lr", lr, 1e-12, 1e6, "Adam's learning rate");
    f.number("clip", clip, 1e-9, 1e9, "largest norm of a gradient");
  }
};

/// Afterwards the tagger holds the best weights, and so does the folder. Throws ValueError, IoError,
/// FormatError for a run that cannot be resumed.
train::Training train_tagger(Reader& reader, const std::vector<Example>& examples,
                             const std::vector<Example>& validation, const TrainerOptions& options);

}  // namespace aspects
