// As fit_options.h, of programs that train for a number of steps:
//
//   train::StepOptions fit{.steps = 2500, .batch = 16};
//   optim::Adam adam(model.parameters(), {.lr = fit.lr});
//   train::Run run(model, adam, fit.run({train::lowest("loss")}, "5000 scenes"));
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../io/fields.h"
#include "run_options.h"

namespace heed::train {

struct StepOptions {
  std::string out = "model";  ///< the model's folder
  Index steps = 1000;
  Index batch = 32;      ///< examples a step
  double lr = 2e-3;      ///< the highest
  Index warm_up = 100;   ///< steps in which it rises
  double clip = 5;       ///< largest norm of a gradient
  Index interval = 250;  ///< steps between two validations
  double ema = 0;        ///< as FitOptions
  Precision precision = Precision::f32;
  std::uint64_t seed = 1;
  Index stop_after = 0;
  bool resume = false;

  /// steps, batch, lr, warm_up, clip, interval, ema and precision. `examples` says what a batch is
  /// of ("scenes").
  void fields(io::Fields& f, const std::string& examples = "examples");
  /// `data` says what is learned from ("5000 scenes"): the setting is that, the batch and the seed.
  RunOptions run(const std::vector<Wanted>& keep, const std::string& data) const;
};

}  // namespace heed::train
