// The options that the training of most programs has, each named once (io/fields.h): a program
// changes first values, hands them to its optimizer and to Run.
//
//   train::FitOptions fit{.epochs = 8, .lr = 2e-3};
//   optim::AdamW adam(model.parameters(), {.lr = fit.lr, .weight_decay = fit.weight_decay});
//   train::Run run(model, adam, fit.run({"accuracy"}, "5000 pairs"));
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../io/fields.h"
#include "run_options.h"

namespace heed::train {

/// Of products while a model learns.
void precision_field(io::Fields& f, Precision& precision);

namespace detail {
/// What a training of epochs and one of steps have alike.
void both_fields(io::Fields& f, double& ema, Precision& precision);
}  // namespace detail

struct FitOptions {
  std::string out = "model";  ///< the model's folder
  Index epochs = 10;
  Index batch = 32;  ///< examples a step
  double lr = 1e-3;
  double weight_decay = 0.01;
  double clip = 5;     ///< largest norm of a gradient
  Index patience = 0;  ///< epochs without a better first figure that end it; 0: none do
  double ema = 0;      ///< decay of the average of the weights that is judged and kept; 0: none
  Precision precision = Precision::f32;  ///< of products while it learns
  std::uint64_t seed = 1;
  Index stop_after = 0;
  bool resume = false;

  /// epochs, batch, lr, weight_decay, clip, patience, ema and precision.
  void fields(io::Fields& f);
  /// `data` says what is learned from ("5000 pairs"): the setting is that, the batch and the seed.
  RunOptions run(const std::vector<Wanted>& keep, const std::string& data) const;
};

}  // namespace heed::train
