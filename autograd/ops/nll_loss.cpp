#include "nll_loss.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "elementwise.h"
#include "index.h"
#include "loss_operands.h"
#include "reduce.h"
#include "shape.h"

namespace heed {
namespace {

// The axis of the classes.
Index check(const Tensor& input, const Tensor& targets, const NllLossOptions& options) {
  check_floating("nll_loss", input.dtype());
  const Index axis = input.rank() == 1 ? 0 : 1;
  if (input.rank() == 0 || input.size(axis) == 0) {
    throw ShapeError(fmt::format(
        "nll_loss: input must be [C], [N, C] or [N, C, d..] with C > 0, not {}", describe(input)));
  }
  if (!(targets.shape() == input.shape().without(axis))) {
    throw ShapeError(
        fmt::format("nll_loss: targets are {} for input {}", describe(targets), describe(input)));
  }
  check_class_weight("nll_loss", options.weight, input, input.size(axis));
  check_classes("nll_loss", targets, input.size(axis), options.ignore_index);
  return axis;
}

}  // namespace

Tensor nll_loss(const Tensor& input, const Tensor& targets, const NllLossOptions& options) {
  const Index axis = check(input, targets, options);
  const Tensor ignored =
      targets == Tensor(Array::full({}, static_cast<double>(options.ignore_index), DType::i64));
  // Some class has to stand for what is ignored; no number of it counts.
  const Tensor ids = where(ignored, Tensor(Array::zeros({}, DType::i64)), targets);
  const Tensor picked = squeeze(gather(input, axis, unsqueeze(ids, axis)), axis);
  Tensor weights = ones(ids.shape(), input.dtype());
  if (options.weight.defined()) {
    weights = reshape(index_select(options.weight, 0, flatten(ids)), ids.shape());
  }
  const Tensor zero = tensor(0, input.dtype());
  const Tensor losses = where(ignored, zero, -(weights * picked));
  if (options.reduction == Reduction::none) return losses;
  const Tensor total = sum(losses);
  if (options.reduction == Reduction::sum) return total;
  const double count = sum(where(ignored, zero, weights)).item();
  return count == 0 ? total * 0 : total / count;
}

}  // namespace heed
