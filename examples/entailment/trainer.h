// Training: AdamW on the cross entropy, the model with the best validation accuracy is kept.
#pragma once

#include "../../train/training.h"
#include "model.h"

namespace entailment {

struct TrainerOptions {
  std::string out = "model";
  Index epochs = 12;
  Index batch = 32;
  double lr = 1e-3;
  double weight_decay = 0.01;
  double clip = 5;
  Index min_count = 2;
  std::uint64_t seed = 1;
  Index stop_after = 0;
  bool resume = false;
  void fields(io::Fields& f) {
    f.size("epochs", epochs, 1, 1 << 24, "passes over the pairs");
    f.size("batch", batch, 1, 1 << 16, "pairs a step");
    f.number("lr", lr, 1e-12, 1e6, "first learning rate; it falls as a cosine");
    f.number("weight_decay", weight_decay, 0, 1e6, "of AdamW");
    f.number("clip", clip, 1e-9, 1e9, "largest norm of a gradient");
    f.size("min_count", min_count, 1, 1 << 20, "a rarer word is unknown");
  }
};

/// Throws what train::Run throws.
train::Training train_judge(Judge& judge, const Corpus& corpus, const TrainerOptions& options);

}  // namespace entailment
