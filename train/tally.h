// What a model got wrong, counted twice: of the parts of answers (bits, digits, places), and of
// whole answers with anything wrong in them.
#pragma once

#include <string>

#include "../autograd/tensor.h"
#include "training.h"

namespace heed::train {

struct Tally {
  Index wrong = 0, parts = 0;     ///< of parts
  Index failed = 0, answers = 0;  ///< of answers
  std::string extra = {};         ///< the name of one more figure, if there is one
  double extra_sum = 0;           ///< over the answers

  /// bool [B, ..] each: B answers, what is wrong in them, and what is a part at all. Throws
  /// ShapeError, DTypeError.
  static Tally of(const Tensor& wrong, const Tensor& real);
  static Tally of(const Tensor& wrong);
  /// `more` decides on the name of the one more figure.
  void add(const Tally& more);
  /// "bits wrong %", "sequences wrong %", and the mean of the one more; NaN of nothing.
  Figures figures(const std::string& parts_name, const std::string& answers_name) const;
};

}  // namespace heed::train
