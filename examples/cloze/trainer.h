// Training: the negative log of the answer's probability, Adam, the model that answers most of the
// validation queries kept.
#pragma once

#include "../../train/training.h"
#include "answers.h"

namespace cloze {

struct TrainerOptions {
  std::string out = "model";
  std::uint64_t seed = 1;
  Index epochs = 5;
  Index patience = 0;
  Index batch = 32;
  double lr = 0.003;
  double clip = 5;
  Index min_count = 20;
  Index stop_after = 0;
  bool resume = false;
  void fields(io::Fields& f) {
    f.size("epochs", epochs, 1, 1 << 24, "passes over the queries");
    f.size("patience", patience, 0, 1 << 24,
           "epochs without more right answers to the queries held back that end it; 0: none do");
    f.size("batch", batch, 1, 1 << 20, "queries a step");
    f.number("lr", lr, 1e-12, 1e6, "Adam's first learning rate; it falls as a cosine");
    f.number("clip", clip, 1e-9, 1e9, "largest norm of a gradient");
    f.size("min_count", min_count, 1, 1 << 20, "a rarer word is unknown");
  }
};

/// Afterwards the reader holds the best weights, and so does the folder. Throws ValueError, IoError,
/// FormatError for a run that cannot be resumed.
train::Training train_reader(Reader& reader, const Corpus& corpus, const TrainerOptions& options);

}  // namespace cloze
