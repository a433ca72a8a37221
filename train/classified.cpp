#include "classified.h"

#include <fmt/format.h>

#include "../autograd/grad_mode.h"
#include "../autograd/ops/losses/cross_entropy.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../core/error.h"

namespace heed::train {

void Classified::add(const Tensor& logits, const Tensor& labels) {
  const NoGrad scope;
  const Index classes = confusion_.classes();
  if (logits.rank() != 2 || logits.size(1) != classes) {
    throw ShapeError(fmt::format("classified: logits of shape {}; need [B, {}]",
                                 to_string(logits.shape()), classes));
  }
  if (labels.dtype() == DType::i64) {  // cross_entropy refuses others, and ignores some
    for (const Index label : labels.array().to_vector<Index>()) {
      if (label < 0 || label >= classes) {
        throw IndexError(
            fmt::format("classified: label {} is out of range for {} classes", label, classes));
      }
    }
  }
  const double loss = cross_entropy(logits, labels).item();
  const auto truths = labels.array().to_vector<Index>();
  const auto guesses = argmax(logits, -1).array().to_vector<Index>();
  loss_.add(loss, static_cast<double>(truths.size()));
  for (std::size_t i = 0; i < truths.size(); ++i) confusion_.add(truths[i], guesses[i]);
}

Part Classified::part() const {
  return {{{"validation loss", loss()}, {"accuracy", confusion_.accuracy()}}, loss_.weight()};
}

}  // namespace heed::train
