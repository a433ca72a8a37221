// What all models have at both ends: the tables of the two vocabularies, and the output layer.
//
//   source, target  i64 [..] -> sqrt(E) table [.., E], with dropout;   logits  [.., R] -> [.., V]
//
// Numbers of the tables begin as N(0, 1 / E), which suits the output layer, so that words are
// N(0, 1) as they are read.
// `tied`: the output layer's weight is the target's table; where R is not E features are projected,
// linearly, to E first. `shared`: both sides have one table.
#pragma once

#include "../../autograd/ops/elementwise.h"
#include "../../nn/dropout.h"
#include "../../nn/embedding.h"
#include "../../nn/linear.h"
#include "options.h"

namespace translation {

class Tables : public nn::Module {
 public:
  /// `features`: R. Throws ValueError for `shared` where the vocabularies differ in size.
  Tables(const ModelOptions& options, Index features);

  nn::Embedding &source_words, &target_words;
  nn::Linear* projection;  ///< [E, R]; null unless it is needed
  nn::Linear& out;
  nn::Dropout& dropout;

  Tensor source(const Tensor& ids) const { return dropout(source_words(ids) * scale_); }
  Tensor target(const Tensor& ids) const { return dropout(target_words(ids) * scale_); }
  Tensor logits(const Tensor& features) const {
    return out(projection ? (*projection)(features) : features);
  }

 private:
  double scale_;
};

}  // namespace translation
