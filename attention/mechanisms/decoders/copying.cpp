#include "copying.h"

#include "../../../autograd/ops/elementwise/elementwise.h"

namespace heed::attention {

Tensor known_ids(const Tensor& ids, Index vocabulary, Index unknown) {
  Array out = ids.array().contiguous().clone();
  for (Index i = 0; i < out.numel(); ++i) {
    Index& id = out.mutable_data<Index>()[i];
    if (id >= vocabulary) id = unknown;
  }
  return out;
}

Tensor Copying::step(const Tensor& words, Tensor* weights) {
  const Index V = decoder_.vocabulary.weight.size(0);
  const PointerGeneratorOutput out =
      decoder_.step(options_.embed(known_ids(words, V, options_.unknown)), state_);
  if (weights != nullptr) *weights = out.weights.front();
  return log(out.distribution(options_.extended));
}

}  // namespace heed::attention
