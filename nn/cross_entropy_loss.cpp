#include "cross_entropy_loss.h"

#include <fmt/format.h>

#include "../core/error.h"
#include "class_weights.h"

namespace heed::nn {

CrossEntropyLoss::CrossEntropyLoss(const CrossEntropyOptions& options)
    : weight(buffer("weight", detail::class_weights("CrossEntropyLoss", options.weight))),
      options_(options) {
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
    throw ValueError(fmt::format("CrossEntropyLoss: label_smoothing {} is not in [0, 1]",
                                 options.label_smoothing));
  }
}

Tensor CrossEntropyLoss::operator()(const Tensor& logits, const Tensor& targets) const {
  const Scope scope(*this);
  CrossEntropyOptions options = options_;
  options.weight = weight;
  return forwarded(cross_entropy(logits, targets, options));
}

}  // namespace heed::nn
