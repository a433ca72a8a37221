// How a training goes: see run.h.
#pragma once

#include <string>
#include <vector>

#include "../core/precision.h"
#include "training.h"

namespace heed::train {

struct RunOptions {
  std::string out = {};  ///< the model's folder; empty: nothing is saved
  Index epochs = 0;      ///< passes over the batches
  Index steps = 0;       ///< or steps: one of the two
  Index every = 0;       ///< steps between two validations; 0: an epoch, or a tenth of `steps`
  Index accumulate = 1;  ///< batches a step, whose gradients' mean it takes
  double clip = 0;       ///< of the gradient's norm; 0: none
  std::vector<Wanted> keep =
      {};              ///< the best model's; left out: lowest of validate()'s first figure
  bool last = false;   ///< kept is the model of the last round, whichever was the best
  Index patience = 0;  ///< rounds without a better one before it stops; 0: it does not
  Index average = 1;   ///< judged and kept is the mean of the last rounds' ends
  double ema = 0;      ///< or an exponential average of this decay (optim::EMA)
  /// Of a step's large products, both ways (core/precision.h); what is validated is f32's.
  Precision precision = Precision::f32;
  Index save_every = 0;  ///< steps between two saved states beside those of the rounds
  Index stop_after = 0;  ///< stop behind this step as by Ctrl-C, to be resumed; 0: not
  bool resume = false;   ///< go on from what `out` holds
  /// What a run that goes on must have in common with the one it goes on from, in words: the data,
  /// the batch, the seed ("29000 pairs, --batch 800"). One line of at most 1000 bytes.
  std::string setting = {};
  std::string report = {};  ///< a page with the curves, written each round; empty: none
  bool quiet = false;       ///< prints nothing
};

/// With what is left out filled in. Throws ValueError for what makes no sense.
RunOptions checked(RunOptions options);

}  // namespace heed::train
