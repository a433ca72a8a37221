#include "cross_entropy.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "../../core/kernels/cross_entropy.h"
#include "../../core/kernels/elementwise.h"
#include "../../core/kernels/index.h"
#include "../record.h"
#include "elementwise.h"
#include "index.h"
#include "reduce.h"
#include "shape.h"
#include "softmax.h"

namespace heed {
namespace {

void check(const Tensor& logits, const Tensor& targets, const CrossEntropyOptions& options) {
  check_floating("cross_entropy", logits.dtype());
  if (logits.rank() != 2 || logits.size(1) == 0) {
    throw ShapeError(
        fmt::format("cross_entropy: logits must be [N, C] with C > 0, not {}", describe(logits)));
  }
  if (targets.dtype() != DType::i64) {
    throw DTypeError(fmt::format("cross_entropy: targets must be i64, not {}", describe(targets)));
  }
  if (!(targets.shape() == Shape{logits.size(0)})) {
    throw ShapeError(fmt::format("cross_entropy: targets are {} for logits {}", describe(targets),
                                 describe(logits)));
  }
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
    throw ValueError(
        fmt::format("cross_entropy: label_smoothing {} is not in [0, 1]", options.label_smoothing));
  }
  if (options.weight.defined()) {
    if (!(options.weight.shape() == Shape{logits.size(1)})) {
      throw ShapeError(fmt::format("cross_entropy: weight is {} for {} classes",
                                   describe(options.weight), logits.size(1)));
    }
    if (options.weight.dtype() != logits.dtype()) {
      throw DTypeError(fmt::format("cross_entropy: weight is {} for logits {}",
                                   describe(options.weight), describe(logits)));
    }
  }
  const Array ids = targets.array().contiguous();
  const auto* id = ids.data<std::int64_t>();
  for (Index i = 0; i < ids.numel(); ++i) {
    if (id[i] != options.ignore_index && (id[i] < 0 || id[i] >= logits.size(1))) {
      throw IndexError(fmt::format("cross_entropy: target {} at {} is out of range [0, {})", id[i],
                                   i, logits.size(1)));
    }
  }
}

// [N, C]: how much each class counts for each row, weights and smoothing included; rows that are
// ignored are 0. `counts` [N]: the weight of each row's own target.
struct Targets {
  Array shares, counts;
};

Targets spread(const Tensor& logits, const Tensor& targets, const CrossEntropyOptions& options) {
  const Index rows = logits.size(0);
  const Index classes = logits.size(1);
  const Array ids = targets.array().contiguous();
  const Array weight = options.weight.defined() ? options.weight.array().contiguous() : Array();
  Targets out{Array::zeros(logits.shape(), logits.dtype()),
              Array::zeros(Shape{rows}, logits.dtype())};
  visit_floating("cross_entropy", logits.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* share = out.shares.mutable_data<T>();
    T* count = out.counts.mutable_data<T>();
    const T* w = weight.defined() ? weight.data<T>() : nullptr;
    const T smooth = static_cast<T>(options.label_smoothing / static_cast<double>(classes));
    for (Index i = 0; i < rows; ++i) {
      const std::int64_t target = ids.data<std::int64_t>()[i];
      if (target == options.ignore_index) continue;
      count[i] = w ? w[target] : T{1};
      for (Index c = 0; c < classes; ++c) share[i * classes + c] = smooth * (w ? w[c] : T{1});
      share[i * classes + target] += static_cast<T>(1 - options.label_smoothing) * count[i];
    }
  });
  return out;
}

}  // namespace

Tensor cross_entropy_plain(const Tensor& logits, const Tensor& targets,
                           const CrossEntropyOptions& options) {
  check(logits, targets, options);
  const Targets target = spread(logits, targets, options);
  // A class that a row does not count for must not bring 0 * infinity in.
  const Tensor counted =
      kernels::compare(kernels::Compare::ne, target.shares, Array::zeros(Shape{}, logits.dtype()));
  const Tensor zero = tensor(0, logits.dtype());
  const Tensor terms = where(counted, Tensor(target.shares) * log_softmax(logits, 1), zero);
  const Tensor losses = -sum(terms, {1});
  if (options.reduction == Reduction::none) return losses;
  const Tensor total = sum(losses);
  if (options.reduction == Reduction::sum) return total;
  const double count = sum(Tensor(target.counts)).item();
  return count == 0 ? total * 0 : total / count;
}

Tensor cross_entropy(const Tensor& logits, const Tensor& targets,
                     const CrossEntropyOptions& options) {
  check(logits, targets, options);
  const kernels::CrossEntropy kernel(targets.array(),
                                     options.weight.defined() ? options.weight.array() : Array(),
                                     options.ignore_index, options.label_smoothing);
  const kernels::CrossEntropy::Result result = kernel.forward(logits.array());
  Tensor losses =
      record(Op::cross_entropy, result.losses, {logits},
             [logits = Saved(logits), targets = Saved(targets), weight = Saved(options.weight),
              options, kernel, norms = result.log_norms](const Tensor& g) {
               targets();  // the kernel holds both: were they written to since?
               weight();
               if (!recording()) return Tensor(kernel.backward(logits.array(), norms, g.array()));
               // Differentiate the definition instead; its own graph carries the second order.
               CrossEntropyOptions each = options;
               each.reduction = Reduction::none;
               const Targets target = spread(logits(), targets(), each);
               const Tensor share = target.shares;
               const Tensor p = softmax(logits(), 1);
               return unsqueeze(g, 1) * (p * sum(share, {1}, true) - share);
             });
  if (options.reduction == Reduction::none) return losses;
  const Tensor total = sum(losses);
  if (options.reduction == Reduction::sum) return total;
  return result.count == 0 ? total * 0 : total / result.count;
}

}  // namespace heed
