#include "reduction.h"

#include <fmt/format.h>

#include "../../../core/error.h"
#include "../reduce/reduce.h"

namespace heed {

Tensor reduce_losses(const char* op, const Tensor& losses, Reduction reduction) {
  if (reduction == Reduction::none) return losses;
  if (reduction == Reduction::sum) return sum(losses);
  if (losses.numel() == 0) {
    throw ShapeError(fmt::format("{}: there is no mean over no elements: the losses are {}", op,
                                 describe(losses)));
  }
  return mean(losses);
}

}  // namespace heed
