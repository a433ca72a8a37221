#include "nll_loss.h"

#include "../elementwise/elementwise.h"
#include "../index/index.h"
#include "../reduce/reduce.h"
#include "../shape/shape.h"
#include "../shape/widened.h"
#include "loss_operands.h"

namespace heed {
Tensor nll_loss(const Tensor& input, const Tensor& targets, const NllLossOptions& options) {
  if (detail::hold_bf16(input, options.weight)) {
    NllLossOptions in_f32 = options;
    in_f32.weight = detail::wide(options.weight);
    return nll_loss(detail::wide(input), targets, in_f32);
  }
  const Index axis =
      check_scores("nll_loss", "input", input, targets, options.weight, options.ignore_index);
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
  Tensor losses = where(ignored, zero, -(weights * picked));
  if (options.reduction == Reduction::none) return losses;
  Tensor total = sum(losses);
  if (options.reduction == Reduction::sum) return total;
  const double count = sum(where(ignored, zero, weights)).item();
  return count == 0 ? total * 0 : total / count;
}

}  // namespace heed
