#include "pass_start.h"

#include <fmt/format.h>

#include "../core/error.h"
#include "anomaly.h"
#include "factories.h"
#include "grad_mode.h"
#include "record.h"

namespace heed {

// The gradient to start from: the one given, or 1 for a single element. That of bf16 is in f32.
Tensor detail::start_of(const char* op, const Tensor& output, const Tensor& given) {
  if (!output.requires_grad()) {
    throw GradError(
        fmt::format("{}: {} does not require a gradient: no input of it did, or it was "
                    "made under NoGrad",
                    op, describe(output)));
  }
  if (!given.defined()) {
    if (output.numel() != 1) {
      throw GradError(fmt::format("{}: {} has no single element: a gradient must be given", op,
                                  describe(output)));
    }
    return full(output.shape(), 1, widened(output.dtype()));
  }
  if (!(given.shape() == output.shape())) {
    throw ShapeError(fmt::format("{}: a gradient of {} for an output of {}", op, describe(given),
                                 describe(output)));
  }
  if (given.dtype() != widened(output.dtype())) {
    throw DTypeError(fmt::format("{}: a gradient of {} for an output of {}{}", op, describe(given),
                                 describe(output),
                                 output.dtype() == DType::bf16 ? ": it is in f32" : ""));
  }
  if (detail::t_anomaly) detail::inspect_gradient(op, given);
  return given;
}

void detail::check_mode(const char* op, const BackwardOptions& options) {
  if (options.create_graph && inference()) {
    throw GradError(fmt::format(
        "{}: create_graph asks for what an InferenceMode forbids, a recorded pass", op));
  }
}

}  // namespace heed
