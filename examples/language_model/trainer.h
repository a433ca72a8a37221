// Training: steps over random windows of the text, or random lines, the learning rate warmed up and then let down as
// a cosine, the model of the lowest validation loss kept on disk, a clean end on Ctrl-C, and
// resuming where a run was stopped, to the same bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "saved_model.h"

namespace language_model {

struct TrainerOptions {
  std::string out = "model";  ///< folder of the model
  Index steps = 2000;
  Index batch_size = 12;
  double learning_rate = 2e-3;  ///< the highest; the last is a tenth of it
  Index warm_up = 100;          ///< steps in which it rises
  double weight_decay = 0.1;    ///< of matrices only
  double clip = 1;              ///< of the gradient's norm
  Index interval = 250;         ///< steps between two looks at the validation text
  /// Steps over whole lines, one behind the other, that see themselves alone; `batch_size` contexts
  /// of them, or a little more.
  bool packed = false;
  Index stop_after = 0;  ///< stop there as by Ctrl-C, to be resumed later; 0: at the end
  std::uint64_t seed = 1;
  bool resume = false;  ///< go on from what `out` holds
};

/// What an interval came to; losses in nats a token.
struct Figures {
  double step, train_loss, validation_loss, seconds;
};

struct Training {
  std::vector<Figures> curve;
  bool interrupted = false;
};

/// Mean loss over the whole text in nats a token, without dropout; in windows, or line by line.
double evaluate(const Language& language, const std::vector<Index>& text, Index batch_size,
                bool packed);

/// Trains on `train`, token numbers; afterwards the model holds the best weights, and so does the
/// folder. Throws IoError, FormatError; ValueError for a text shorter than the context.
Training train_language(Language& language, const std::vector<Index>& train,
                        const std::vector<Index>& validation, const TrainerOptions& options);

}  // namespace language_model
