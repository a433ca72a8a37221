// The mean of a model's weights at its last few moments, an epoch's ends say: a model of their mean
// often judges better than the last (Vaswani et al. 2017, section 6.1, average checkpoints so).
//
//   optim::MeanOfLast mean(model.parameters(), 5);
//   ... an epoch ...; mean.take();
//   mean.swap();  evaluate(model);  mean.swap();   // as EMA does
#pragma once

#include "optimizer.h"

namespace heed::optim {

class MeanOfLast {
 public:
  /// Throws ValueError unless count > 0, for no parameters, and for one that is undefined or named
  /// twice; GradError for one that is no leaf; DTypeError.
  MeanOfLast(const std::vector<Tensor>& parameters, Index count);

  /// Takes the parameters as they are, and forgets what is older than the last `count`. Throws
  /// GradError while the mean is swapped in.
  void take();
  /// Exchanges the parameters with the mean of what was taken, and back; nothing happens before two
  /// were taken. Throws ShapeError, DTypeError for a parameter that has changed, and then has
  /// written none.
  void swap();  // NOLINT(bugprone-exception-escape): of numbers, not of objects
  Index taken() const { return static_cast<Index>(taken_.size()); }

  /// "0.0", "0.1", ..: of each moment each parameter, for checkpoints. Throws GradError while
  /// swapped in.
  NamedArrays state_dict() const;
  /// Takes copies. Throws ValueError when the entries do not fit, and then has changed nothing.
  void load_state_dict(const NamedArrays& entries);

 private:
  using Moment = std::vector<Array>;
  void write(const Moment& numbers);

  std::vector<Tensor> parameters_;
  std::size_t count_;
  std::vector<Moment> taken_;
  Moment own_;  // the parameters' own numbers, while the mean is in
};

}  // namespace heed::optim
