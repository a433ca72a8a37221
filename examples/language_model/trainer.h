// Training: steps over random windows of the text, or random lines, by the library's loop
// (train/run.h); the learning rate warmed up and then let down as a cosine, the model of the lowest
// validation loss kept on disk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../train/run.h"
#include "saved_model.h"

namespace language_model {

struct TrainerOptions {
  std::string out = "model";  ///< folder of the model
  Index steps = 2000;
  Index batch = 12;
  double lr = 2e-3;  ///< the highest; the last is a tenth of it
  Index warm_up = 100;
  double weight_decay = 0.1;
  double clip = 1;
  Index interval = 250;
  /// Steps over whole lines, one behind the other, that see themselves alone; `batch` contexts of
  /// them, or a little more.
  bool packed = false;
  Index stop_after = 0;
  std::uint64_t seed = 1;
  bool resume = false;
  void fields(io::Fields& f) {
    f.size("steps", steps, 1, 1 << 24, "of the training");
    f.number("lr", lr, 0, 1e6, "AdamW's highest learning rate; a cosine takes it down to a tenth");
    f.size("warm_up", warm_up, 0, 1 << 24, "steps in which the learning rate rises");
    f.number("weight_decay", weight_decay, 0, 1e6, "of matrices");
    f.number("clip", clip, 1e-9, 1e9, "largest norm of a gradient");
    f.size("interval", interval, 1, 1 << 24, "steps between two validations");
  }
};

/// Trains on `train`, token numbers; afterwards the model holds the best weights, and so does the
/// folder. Throws IoError, FormatError; ValueError for a text shorter than the context.
train::Training train_language(Language& language, const std::vector<Index>& train,
                               const std::vector<Index>& validation, const TrainerOptions& options);

}  // namespace language_model
