// Training: batches of about as many tokens each, the model of the highest validation BLEU kept on
// disk, a clean end on Ctrl-C, and resuming to the same bits, also after a kill.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluation.h"

namespace translation {

enum class Fall { none, inverse_root, cosine };

/// "none", "inverse-root", "cosine". Throws ValueError for other names.
Fall fall_of(const std::string& name);

struct TrainerOptions {
  std::string out = "model";  ///< folder of the model
  Index epochs = 10;
  Index batch_tokens = 800;     ///< words of the targets, padding included
  bool adadelta = false;        ///< in place of Adam
  double learning_rate = 2e-3;  ///< the highest
  Index warm_up = 0;            ///< steps in which it rises
  Fall fall = Fall::cosine;     ///< how it falls afterwards
  double label_smoothing = 0.1;
  double weight_decay = 0;  ///< of matrices, apart from the gradient
  double clip = 1;          ///< of the gradient's norm
  /// Of the words before each, so many are the model's own at the end of the training, rising from
  /// none (scheduled sampling: Bengio et al. 2015; in two passes: Mihaylova & Martins 2019).
  double own_words = 0;
  Index average = 1;     ///< the model that is judged and kept is the mean of the last epochs' ends
  Index patience = 0;    ///< epochs without a better BLEU; 0: no early stop
  Index save_steps = 0;  ///< steps between two saved states; 0: an epoch
  Index stop_after = 0;  ///< stop after this step as by Ctrl-C; 0: not
  std::uint64_t seed = 1;
  bool resume = false;  ///< go on from what `out` holds
};

/// What an epoch came to.
struct Figures {
  double epoch, train_loss, validation_loss, bleu, seconds, tokens_per_second;
};

struct Training {
  std::vector<Figures> curve;
  bool interrupted = false;
};

/// Trains; afterwards the model holds the best weights, and so does the folder. Throws IoError,
/// FormatError, ValueError.
Training train_translator(Language& language, const Part& train, const Part& validation,
                          const TrainerOptions& options);

}  // namespace translation
