// Training: steps over random windows of the text, random lines, or all of it in order, by the
// library's loop (train/run.h); the learning rate warmed up and then let down as a cosine, the
// model of the lowest validation loss kept on disk.
#pragma once

#include <vector>

#include "../../train/step_options.h"
#include "model.h"

namespace language_model {

struct TrainerOptions : train::StepOptions {
  TrainerOptions() {
    steps = 2000;
    batch = 12;
    clip = 1;
  }
  double weight_decay = 0.1;
  /// Steps over whole lines, one behind the other, that see themselves alone; `batch` contexts of
  /// them, or a little more.
  bool packed = false;
  /// Steps over the text in order, `batch` parts of it side by side, what was read carried along.
  bool in_order = false;
  void fields(io::Fields& f) {
    StepOptions::fields(f, "windows of text");
    f.number("weight_decay", weight_decay, 0, 1e6, "of matrices");
    f.flag("in_order", in_order,
           "reads the text in order, in as many parts side by side as a batch has windows, and "
           "carries along what it has read: for lstm, lstmn and memory");
  }
};

/// Trains on `train`, token numbers; afterwards the model holds the best weights, and so does the
/// folder. Throws IoError, FormatError; ValueError for a text shorter than the context.
train::Training train_language(Language& language, const std::vector<Index>& train,
                               const std::vector<Index>& validation, const TrainerOptions& options);

}  // namespace language_model
