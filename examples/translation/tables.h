// What all models have at both ends: the tables of the two vocabularies, and the output layer.
//
//   source, target  i64 [..] -> sqrt(E) table [.., E], with dropout;   logits  [.., R] -> [.., V]
//
// Numbers of the tables begin as N(0, 1 / E), which suits the output layer, so that words are
// N(0, 1) as they are read.
// `tied`: the output layer's weight is the target's table; where R is not E features are projected,
// linearly, to E first. `shared`: both sides have one table.
#pragma once

#include <memory>

#include "../../attention/mechanisms/decoders/decoder.h"
#include "../../autograd/ops/elementwise/elementwise.h"
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

/// A decoder over one of the target's tables, as nn::beam_search() drives it.
template <class Model, class D>
std::unique_ptr<nn::Decoding> writing(const Model& model, const D& decoder,
                                      typename D::State state) {
  using Writing = attention::Writing<D>;
  return std::make_unique<Writing>(
      decoder, std::move(state),
      typename Writing::Ends{
          .embed = [&](const Tensor& ids, Index) { return model.tables.target(ids); },
          .logits = [&](const Tensor& out) { return model.logits(model.tables.dropout(out)); }});
}

}  // namespace translation
