// What a classifier makes of examples, batch by batch: the confusion of its classes, and its loss.
#pragma once

#include "../autograd/tensor.h"
#include "metrics.h"
#include "training.h"

namespace heed::train {

class Classified {
 public:
  /// Throws ValueError unless classes > 0.
  explicit Classified(Index classes) : confusion_(classes) {}

  /// logits [B, classes], f32 or f64; labels i64 [B]. The first of the largest logits is the guess.
  /// Throws before anything is added: ShapeError for other shapes or classes, DTypeError,
  /// IndexError for a label outside [0, classes), -100 among them.
  void add(const Tensor& logits, const Tensor& labels);

  const Confusion& confusion() const { return confusion_; }
  /// The mean cross entropy in nats; 0 before the first.
  double loss() const { return loss_.mean(); }
  /// "validation loss" and "accuracy" of a part of the validation data (Run::validate), which weighs
  /// as many as were added.
  Part part() const;

 private:
  Confusion confusion_;
  RunningMean loss_;
};

}  // namespace heed::train
