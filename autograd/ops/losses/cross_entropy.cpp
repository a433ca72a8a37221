#include "cross_entropy.h"

#include <fmt/format.h>

#include "../../../core/error.h"
#include "../../../core/kernels/elementwise/elementwise.h"
#include "../../../core/kernels/losses/cross_entropy.h"
#include "../../../core/traced.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"
#include "../normalise/softmax.h"
#include "../reduce/reduce.h"
#include "../shape/shape.h"
#include "../shape/widened.h"
#include "loss_operands.h"

namespace heed {
namespace {

// The same problem with a row for every target and the classes last.
struct Rows {
  Tensor logits, targets;  // [N, C], [N]
};

Rows checked_rows(const Tensor& logits, const Tensor& targets, const CrossEntropyOptions& options) {
  const Index axis = check_scores("cross_entropy", "logits", logits, targets, options.weight,
                                  options.ignore_index);
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
    throw ValueError(
        fmt::format("cross_entropy: label_smoothing {} is not in [0, 1]", options.label_smoothing));
  }
  if (logits.rank() == 2) return {logits, targets};
  std::vector<Index> order;
  for (Index i = 0; i < logits.rank(); ++i) {
    if (i != axis) order.push_back(i);
  }
  order.push_back(axis);
  return {reshape(permute(logits, order), {targets.numel(), logits.size(axis)}),
          reshape(targets, {targets.numel()})};
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
  const Rows rows = checked_rows(logits, targets, options);
  const Targets target = spread(rows.logits, rows.targets, options);
  // A class that a row does not count for must not bring 0 * infinity in.
  const Tensor counted =
      kernels::compare(kernels::Compare::ne, target.shares, Array::zeros(Shape{}, logits.dtype()));
  const Tensor zero = tensor(0, logits.dtype());
  const Tensor terms = where(counted, Tensor(target.shares) * log_softmax(rows.logits, 1), zero);
  const Tensor losses = -sum(terms, {1});
  if (options.reduction == Reduction::none) return reshape(losses, targets.shape());
  Tensor total = sum(losses);
  if (options.reduction == Reduction::sum) return total;
  const double count = sum(Tensor(target.counts)).item();
  return count == 0 ? total * 0 : total / count;
}

Tensor cross_entropy(const Tensor& logits, const Tensor& targets,
                     const CrossEntropyOptions& options) {
  if (detail::hold_bf16(logits, options.weight)) {
    CrossEntropyOptions in_f32 = options;
    in_f32.weight = detail::wide(options.weight);
    return cross_entropy(detail::wide(logits), targets, in_f32);
  }
  const Rows rows = checked_rows(logits, targets, options);
  const kernels::CrossEntropy kernel(rows.targets.array(),
                                     options.weight.defined() ? options.weight.array() : Array(),
                                     options.ignore_index, options.label_smoothing);
  const kernels::CrossEntropy::Result result = kernel.forward(rows.logits.array());
  say("targets", rows.targets.array(), "weight",
      options.weight.defined() ? options.weight.array() : Array(), "ignore_index",
      options.ignore_index, "label_smoothing", options.label_smoothing);
  const Tensor losses = record(
      Op::cross_entropy, result.losses, {rows.logits},
      [logits = Saved(rows.logits), targets = Saved(rows.targets), weight = Saved(options.weight),
       options, kernel, norms = result.log_norms](const Tensor& g) {
        targets();  // the kernel holds both: were they written to since?
        weight();
        if (!recording()) {
          // Large vocabularies: no second block of [N, C].
          Array out = kernel.backward(logits.array(), norms, g.array(), logits.expendable());
          out.bump_version();  // it may be the logits' storage
          return Tensor(std::move(out));
        }
        // Differentiate the definition instead; its own graph carries the second order.
        CrossEntropyOptions each = options;
        each.reduction = Reduction::none;
        const Targets target = spread(logits(), targets(), each);
        const Tensor share = target.shares;
        const Tensor p = softmax(logits(), 1);
        return unsqueeze(g, 1) * (p * sum(share, {1}, true) - share);
      });
  if (options.reduction == Reduction::none) {
    return targets.rank() == 1 ? losses : reshape(losses, targets.shape());
  }
  Tensor total = sum(losses);
  if (options.reduction == Reduction::sum) return total;
  return result.count == 0 ? total * 0 : total / result.count;
}

}  // namespace heed
