#include <cmath>

#include "../../../autograd/ops/cross_entropy.h"
#include "../../../core/error.h"
#include "table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;

struct Targets {
  std::vector<Index> classes;
  std::vector<double> weight = {};
  Index ignore_index = -100;
  double label_smoothing = 0;
  Reduction reduction = Reduction::mean;
};

// -sum_c q_c log p_c a row, q the target spread by the smoothing.
Block loss_of(const Block& logits, const Targets& targets) {
  const Index count = logits.size(1);
  const double spread = targets.label_smoothing / static_cast<double>(count);
  std::vector<double> losses;
  double total = 0, weights = 0;
  for (Index i = 0; i < logits.size(0); ++i) {
    const Index target = targets.classes[static_cast<std::size_t>(i)];
    double norm = 0, loss = 0;
    for (Index c = 0; c < count; ++c) norm += std::exp(logits({i, c}));
    for (Index c = 0; c < count && target != targets.ignore_index; ++c) {
      const double weight =
          targets.weight.empty() ? 1 : targets.weight[static_cast<std::size_t>(c)];
      const double q = spread + (c == target ? 1 - targets.label_smoothing : 0);
      loss -= weight * q * (logits({i, c}) - std::log(norm));
      if (c == target) weights += weight;
    }
    losses.push_back(loss);
    total += loss;
  }
  if (targets.reduction == Reduction::none) return Block({logits.size(0)}, losses);
  if (targets.reduction == Reduction::mean) total = weights == 0 ? 0 : total / weights;
  return Block({}, std::vector<double>{total});
}

using Loss = Tensor (*)(const Tensor&, const Tensor&, const CrossEntropyOptions&);

Sample form(const std::string& name, const std::vector<Index>& logits, const Targets& targets,
            Loss loss = cross_entropy) {
  return sample(
      name, {in(logits)},
      [=](X x) {
        CrossEntropyOptions options;
        if (!targets.weight.empty()) {
          options.weight = to_tensor(Block({logits[1]}, targets.weight), x[0].dtype());
        }
        options.ignore_index = targets.ignore_index;
        options.label_smoothing = targets.label_smoothing;
        options.reduction = targets.reduction;
        return loss(x[0], ids(targets.classes), options);
      },
      [=](B x) { return loss_of(x[0], targets); });
}

Row cross_entropy_row() {
  const Targets all{.classes = {1, 0, -7},
                    .weight = {0.5, 2, 0.25, 1, 3},
                    .ignore_index = -7,
                    .label_smoothing = 0.2};
  Targets every = all;
  every.reduction = Reduction::none;
  return {
      Op::cross_entropy,
      {form("mean", {3, 5}, {.classes = {4, 0, 2}}),
       form("sum", {3, 5}, {.classes = {1, 1, 2}, .reduction = Reduction::sum}),
       form("none", {3, 5}, {.classes = {1, 3, 2}, .reduction = Reduction::none}),
       form("smoothed", {3, 5}, {.classes = {4, 0, 2}, .label_smoothing = 0.1}),
       form("weights", {3, 2}, {.classes = {1, 0, 1}, .weight = {0.3, 2}}),
       form("a weight of 0", {3, 2}, {.classes = {1, 0, 1}, .weight = {0, 2}}),
       form("ignored", {3, 5}, {.classes = {4, -100, 2}}), form("everything", {3, 5}, all),
       form("everything, none", {3, 5}, every),
       form("one class", {3, 1}, {.classes = {0, 0, 0}, .reduction = Reduction::none}),
       form("one row", {1, 5}, {.classes = {3}}), form("no rows", {0, 5}, {.classes = {}}),
       form("no rows, none", {0, 5}, {.classes = {}, .reduction = Reduction::none}),
       form("plain, everything", {3, 5}, all, cross_entropy_plain),
       form("plain, none", {3, 5}, every, cross_entropy_plain)},
      {bad<IndexError>("cross_entropy: target 5 at 1 is out of range [0, 5)",
                       [] { cross_entropy(of(2, 5), ids(0, 5)); }),
       bad<IndexError>("cross_entropy: target -1 at 0 is out of range",
                       [] { cross_entropy(of(1, 5), ids(-1)); }),
       bad<ShapeError>("cross_entropy: logits must be [N, C] with C > 0, not f32[5]",
                       [] { cross_entropy(of(5), ids(0)); }),
       bad<ShapeError>("with C > 0, not f32[2, 0]", [] { cross_entropy(of(2, 0), ids(0, 0)); }),
       bad<ShapeError>("cross_entropy: targets are i64[3] for logits f32[2, 5]",
                       [] { cross_entropy(of(2, 5), ids(0, 1, 2)); }),
       bad<DTypeError>("cross_entropy: targets must be i64, not f32[2]",
                       [] { cross_entropy(of(2, 5), of(2)); }),
       bad<DTypeError>("cross_entropy: takes f32 or f64, not i64",
                       [] { cross_entropy(of<DType::i64>(2, 5), ids(0, 1)); }),
       bad<ShapeError>("cross_entropy: weight is f32[3] for 5 classes",
                       [] { cross_entropy(of(2, 5), ids(0, 1), {.weight = of(3)}); }),
       bad<DTypeError>("cross_entropy: weight is f64[5] for logits f32[2, 5]",
                       [] { cross_entropy(of(2, 5), ids(0, 1), {.weight = of<DType::f64>(5)}); }),
       bad<ValueError>(
           "cross_entropy: label_smoothing 1.5 is not in [0, 1]",
           [] { cross_entropy(of(2, 5), ids(0, 1), {.weight = {}, .label_smoothing = 1.5}); }),
       bad<GradError>("undefined", [] { cross_entropy(Tensor(), ids(0)); }),
       bad<GradError>("undefined", [] { cross_entropy(of(2, 5), Tensor()); })}};
}

}  // namespace

std::vector<Row> loss_rows() { return {cross_entropy_row()}; }

}  // namespace heed::table
