#include "binary_cross_entropy.h"

#include <fmt/format.h>

#include "../../../core/error.h"
#include "../../check_defined.h"
#include "../elementwise/activation.h"
#include "../elementwise/clamp.h"
#include "../elementwise/elementwise.h"
#include "../reduce/reduce.h"
#include "loss_operands.h"

namespace heed {
namespace {

constexpr const char* kOp = "binary_cross_entropy_with_logits";

void check_factor(const char* what, const Tensor& factor, const Tensor& logits) {
  if (!factor.defined()) return;
  if (factor.dtype() != logits.dtype()) {
    throw DTypeError(
        fmt::format("{}: {} is {} for logits {}", kOp, what, describe(factor), describe(logits)));
  }
  if (!(broadcast_shapes(kOp, factor.shape(), logits.shape()) == logits.shape())) {
    throw ShapeError(fmt::format("{}: {} {} does not broadcast to logits {}", kOp, what,
                                 describe(factor), describe(logits)));
  }
}

}  // namespace

// log(1 - sigmoid(x)) = log sigmoid(x) - x, so both parts share one logarithm:
//   loss = (1 - z) x - (1 + (pos_weight - 1) z) log sigmoid(x)
Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& targets,
                                        const BinaryCrossEntropyOptions& options) {
  check_defined(kOp, logits, "logits", targets, "targets");
  check_pair(kOp, logits, targets, "targets");
  check_factor("weight", options.weight, logits);
  check_factor("pos_weight", options.pos_weight, logits);
  Tensor likelihood = log_sigmoid(logits);
  if (options.pos_weight.defined()) {
    likelihood = (1 + (options.pos_weight - 1) * targets) * likelihood;
  }
  Tensor losses = (1 - targets) * logits - likelihood;
  if (options.weight.defined()) losses = losses * options.weight;
  return reduce_losses(kOp, losses, options.reduction);
}

Tensor binary_cross_entropy(const Tensor& p, const Tensor& targets,
                            const ProbabilityLossOptions& options) {
  check_defined("binary_cross_entropy", p, "p", targets, "targets");
  check_pair("binary_cross_entropy", p, targets, "targets");
  if (any((p.detach() < 0) | (p.detach() > 1) | isnan(p.detach())).item<bool>()) {
    throw ValueError(
        "binary_cross_entropy: p must be in [0, 1]: of logits it is "
        "binary_cross_entropy_with_logits");
  }
  if (options.weight.defined()) check_factor("weight", options.weight, p);
  Tensor losses = (targets - 1) * clamp(log1p(-p), -100) - targets * clamp(log(p), -100);
  if (options.weight.defined()) losses = losses * options.weight;
  return reduce_losses("binary_cross_entropy", losses, options.reduction);
}

}  // namespace heed
