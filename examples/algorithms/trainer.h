// Training: fresh problems at each step, AdamW, the model with fewest errors on problems held back kept.
#pragma once

#include "../../train/fit_options.h"
#include "../../train/training.h"
#include "solver.h"

namespace algorithms {

struct TrainerOptions : train::FitOptions {
  Index steps = 0;  ///< 0: the task's; so are batch and lr
  Index validated = 200;
  TrainerOptions() {
    batch = 0;
    lr = weight_decay = 0;
    clip = 10;
  }
  void fields(io::Fields& f) {
    f.size("steps", steps, 0, 1 << 24, "of the training; 0: the task's number");
    f.size("batch", batch, 0, 1 << 16, "problems a step; 0: the task's number");
    f.number("lr", lr, 0, 1, "learning rate; it falls as a cosine; 0: the task's");
    f.number("weight_decay", weight_decay, 0, 1e6, "of AdamW");
    f.number("clip", clip, 1e-9, 1e9, "largest norm of a gradient");
    f.size("validated", validated, 1, 1 << 20, "problems of each look at how it goes");
  }
};

/// Afterwards the solver holds the best weights, and so does the folder. Throws ValueError, IoError,
/// FormatError for a run that cannot be resumed.
train::Training train_solver(Solver& solver, TrainerOptions options);

}  // namespace algorithms
