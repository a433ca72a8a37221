#include "classified.h"

#include "../autograd/grad_mode.h"
#include "../autograd/ops/losses/cross_entropy.h"
#include "../autograd/ops/reduce/reduce.h"

namespace heed::train {

void Classified::add(const Tensor& logits, const Tensor& labels) {
  const NoGrad scope;
  const double loss = cross_entropy(logits, labels).item();
  const auto truths = labels.array().to_vector<Index>();
  const auto guesses = argmax(logits, -1).array().to_vector<Index>();
  loss_.add(loss, static_cast<double>(truths.size()));
  for (std::size_t i = 0; i < truths.size(); ++i) confusion_.add(truths[i], guesses[i]);
}

}  // namespace heed::train
