#include "binary_cross_entropy.h"

#include <fmt/format.h>

#include <utility>

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

void check_factor(const char* op, const char* what, const Tensor& factor, const char* x_name,
                  const Tensor& x) {
  if (!factor.defined()) return;
  if (factor.dtype() != x.dtype()) {
    throw DTypeError(
        fmt::format("{}: {} is {} for {} {}", op, what, describe(factor), x_name, describe(x)));
  }
  if (!(broadcast_shapes(op, factor.shape(), x.shape()) == x.shape())) {
    throw ShapeError(fmt::format("{}: {} {} does not broadcast to {} {}", op, what,
                                 describe(factor), x_name, describe(x)));
  }
}

// The least and the most of p. Throws ValueError unless they are in [0, 1].
std::pair<double, double> range_of(const Tensor& p) {
  if (p.numel() == 0) return {0.5, 0.5};
  const double least = amin(p.detach()).item(), most = amax(p.detach()).item();
  if (least >= 0 && most <= 1) return {least, most};
  throw ValueError(
      "binary_cross_entropy: p must be in [0, 1]: of logits it is "
      "binary_cross_entropy_with_logits");
}

constexpr double kLeastLog = -100, kLeast = 1e-12;

Tensor losses_of(const Tensor& p, const Tensor& targets) {
  return (targets - 1) * clamp(log1p(-p), kLeastLog) - targets * clamp(log(p), kLeastLog);
}

// So near to an end a logarithm's slope leaves its range: the gradient by p is there PyTorch's,
// (p - z) / max(p (1 - p), 1e-12), of which the divisor is the 1e-12.
Tensor losses_with_edges(const Tensor& p, const Tensor& targets) {
  const Tensor at = p.detach();
  const Tensor edge = logical_or(at < kLeast, at >= 1 - kLeast);
  const Tensor inside = losses_of(where(edge, tensor(0.5, p.dtype()), p), targets);
  const Tensor slope = where(edge, (at - targets.detach()) / 1e-12, tensor(0, p.dtype()));
  return where(edge, losses_of(at, targets) + (p - at) * slope, inside);
}

}  // namespace

// log(1 - sigmoid(x)) = log sigmoid(x) - x, so both parts share one logarithm:
//   loss = (1 - z) x - (1 + (pos_weight - 1) z) log sigmoid(x)
Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& targets,
                                        const BinaryCrossEntropyOptions& options) {
  check_defined(kOp, logits, "logits", targets, "targets");
  check_pair(kOp, logits, targets, "targets");
  check_factor(kOp, "weight", options.weight, "logits", logits);
  check_factor(kOp, "pos_weight", options.pos_weight, "logits", logits);
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
  const auto [least, most] = range_of(p);
  check_factor("binary_cross_entropy", "weight", options.weight, "p", p);
  const bool edges = p.requires_grad() && (least < kLeast || most >= 1 - kLeast);
  Tensor losses = edges ? losses_with_edges(p, targets) : losses_of(p, targets);
  if (options.weight.defined()) losses = losses * options.weight;
  return reduce_losses("binary_cross_entropy", losses, options.reduction);
}

}  // namespace heed
