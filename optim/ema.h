// An exponential moving average of a model's weights, which often judges better than the last ones
// (Polyak & Juditsky 1992):
//
//   optim::EMA average(model.parameters(), 0.999);
//   ... optimizer.step(); average.update(); ...
//   average.swap();   // the model computes with the averages
//   evaluate(model);
//   average.swap();   // and trains on
#pragma once

#include "optimizer.h"

namespace heed::optim {

class EMA {
 public:
  /// The averages begin as the parameters are. With `warm_up` the n-th update takes min(decay, n /
  /// (n + 9)), so that early weights are forgotten soon. Throws ValueError unless 0 <= decay <= 1,
  /// for no parameters, and for one that is undefined or named twice; GradError for one that is no
  /// leaf; DTypeError.
  EMA(const std::vector<Tensor>& parameters, double decay, bool warm_up = false);

  /// average = decay average + (1 - decay) parameter. Throws ShapeError, DTypeError for a parameter
  /// that has changed its shape or dtype, GradError while the averages are swapped in; then nothing
  /// has changed.
  void update();
  /// Exchanges the numbers of parameters and averages, in place. Throws as update().
  void swap();  // NOLINT(bugprone-exception-escape): of numbers, not of objects
  bool swapped() const { return swapped_; }

  /// Of the parameters, in their order; their memory is this object's.
  const std::vector<Array>& averages() const { return averages_; }

  /// "updates" and "averages.0", ...: for checkpoints. Throws GradError while swapped in.
  NamedArrays state_dict() const;
  /// Takes copies. Throws ValueError when the entries do not fit, and then has changed nothing.
  void load_state_dict(const NamedArrays& entries);

 private:
  void check_parameters(const char* op) const;

  std::vector<Tensor> parameters_;
  std::vector<Array> averages_;
  double decay_;
  bool warm_up_;
  bool swapped_ = false;
  Index updates_ = 0;
};

}  // namespace heed::optim
