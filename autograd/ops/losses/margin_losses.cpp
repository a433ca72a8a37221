#include "margin_losses.h"

#include <fmt/format.h>

#include <limits>

#include "../../../core/error.h"
#include "../../check_defined.h"
#include "../elementwise/elementwise.h"
#include "../index/index.h"
#include "../reduce/reduce.h"
#include "../reduce/statistics.h"
#include "../shape/shape.h"
#include "loss_operands.h"

namespace heed {
namespace {

// max(x, 0) that slopes at 0, where relu() is flat.
Tensor ramp(const Tensor& x) {
  const Tensor zero = tensor(0, x.dtype());
  return where(x < zero, zero, x);
}

}  // namespace

Tensor hinge_embedding_loss(const Tensor& x, const Tensor& targets, double margin,
                            Reduction reduction) {
  constexpr const char* kOp = "hinge_embedding_loss";
  check_defined(kOp, x, "x", targets, "targets");
  check_floating(kOp, x.dtype());
  check_finite(kOp, "margin", margin);
  if (!(targets.shape() == x.shape())) {
    throw ShapeError(
        fmt::format("{}: targets are {} for input {}", kOp, describe(targets), describe(x)));
  }
  const Tensor positive = positive_signs(kOp, targets);
  return reduce_losses(kOp, where(positive, x, ramp(margin - x)), reduction);
}

Tensor cosine_embedding_loss(const Tensor& a, const Tensor& b, const Tensor& targets, double margin,
                             Reduction reduction) {
  constexpr const char* kOp = "cosine_embedding_loss";
  check_defined(kOp, a, "a", b, "b", targets, "targets");
  check_pair(kOp, a, b, "b");
  check_finite(kOp, "margin", margin);
  if (a.rank() != 1 && a.rank() != 2) {
    throw ShapeError(fmt::format("{}: inputs must be [D] or [N, D], not {}", kOp, describe(a)));
  }
  if (!(targets.shape() == a.shape().without(a.rank() - 1))) {
    throw ShapeError(
        fmt::format("{}: targets are {} for inputs {}", kOp, describe(targets), describe(a)));
  }
  const Tensor positive = positive_signs(kOp, targets);
  constexpr double kEps = 1e-12;
  const Tensor squares = (sum(square(a), {-1}) + kEps) * (sum(square(b), {-1}) + kEps);
  const Tensor cosine = sum(a * b, {-1}) / sqrt(squares);
  return reduce_losses(kOp, where(positive, 1 - cosine, ramp(cosine - margin)), reduction);
}

Tensor multi_margin_loss(const Tensor& x, const Tensor& targets,
                         const MultiMarginLossOptions& options) {
  constexpr const char* kOp = "multi_margin_loss";
  check_defined(kOp, x, "x", targets, "targets");
  check_floating(kOp, x.dtype());
  check_finite(kOp, "margin", options.margin);
  if (options.p != 1 && options.p != 2) {
    throw ValueError(fmt::format("{}: p must be 1 or 2, not {}", kOp, options.p));
  }
  if ((x.rank() != 1 && x.rank() != 2) || x.size(-1) == 0) {
    throw ShapeError(
        fmt::format("{}: input must be [C] or [N, C] with C > 0, not {}", kOp, describe(x)));
  }
  if (!(targets.shape() == x.shape().without(x.rank() - 1))) {
    throw ShapeError(
        fmt::format("{}: targets are {} for input {}", kOp, describe(targets), describe(x)));
  }
  const Index classes = x.size(-1);
  check_class_weight(kOp, options.weight, x, classes);
  check_classes(kOp, targets, classes, std::numeric_limits<Index>::min());

  const Tensor own = unsqueeze(targets, -1);
  std::vector<std::int64_t> all(static_cast<std::size_t>(classes));
  for (Index c = 0; c < classes; ++c) all[static_cast<std::size_t>(c)] = c;
  const Tensor is_own = Tensor(Array::from(all)) == own;
  Tensor terms = relu(options.margin - gather(x, -1, own) + x);
  if (options.p == 2) terms = square(terms);
  Tensor losses =
      sum(where(is_own, tensor(0, x.dtype()), terms), {-1}) / static_cast<double>(classes);
  if (options.weight.defined()) {
    losses = losses * reshape(index_select(options.weight, 0, flatten(own)), losses.shape());
  }
  return reduce_losses(kOp, losses, options.reduction);
}

Tensor margin_ranking_loss(const Tensor& x1, const Tensor& x2, const Tensor& y, double margin,
                           Reduction reduction) {
  constexpr const char* kOp = "margin_ranking_loss";
  check_defined(kOp, x1, "x1", x2, "x2", y, "y");
  check_pair(kOp, x1, x2, "x2");
  check_pair(kOp, x1, y, "y");
  check_finite(kOp, "margin", margin);
  return reduce_losses(kOp, ramp(margin - y * (x1 - x2)), reduction);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin, Reduction reduction) {
  constexpr const char* kOp = "triplet_margin_loss";
  check_defined(kOp, anchor, "anchor", positive, "positive", negative, "negative");
  check_pair(kOp, anchor, positive, "positive");
  check_pair(kOp, anchor, negative, "negative");
  check_finite(kOp, "margin", margin);
  if (anchor.rank() == 0) {
    throw ShapeError(fmt::format("{}: inputs must be [.., D], not {}", kOp, describe(anchor)));
  }
  constexpr double kEps = 1e-6;  // of each difference, as PyTorch's
  const Tensor near = norm(anchor - positive + kEps, 2, {-1});
  const Tensor far = norm(anchor - negative + kEps, 2, {-1});
  return reduce_losses(kOp, ramp(margin + near - far), reduction);
}

}  // namespace heed
