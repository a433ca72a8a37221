#include "decomposable.h"

#include <fmt/format.h>

#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../nn/dropout.h"
#include "../../../nn/linear.h"
#include "../../detail/comparison.h"
#include "../../detail/masked_sequence.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "decomposable_attention";

const DecomposableOptions& checked(const DecomposableOptions& o) {
  if (o.width > 0 && o.hidden > 0) return o;
  throw ValueError(
      fmt::format("{}: width {} and hidden {} must be positive", kOp, o.width, o.hidden));
}

}  // namespace

DecomposableAttention::DecomposableAttention(const DecomposableOptions& o)
    : options_(checked(o)),
      attend(child<nn::Sequential>("attend", nn::Dropout(o.dropout),
                                   nn::Linear(o.width, o.hidden, true, o.dtype), nn::ReLU(),
                                   nn::Dropout(o.dropout),
                                   nn::Linear(o.hidden, o.hidden, true, o.dtype), nn::ReLU())),
      compare(child<nn::Sequential>(
          "compare", nn::Dropout(o.dropout),
          nn::Linear((o.differences ? 4 : 2) * Checked(kOp, o.width), o.hidden, true, o.dtype),
          nn::ReLU(), nn::Dropout(o.dropout), nn::Linear(o.hidden, o.hidden, true, o.dtype),
          nn::ReLU())) {}

PairOutput DecomposableAttention::operator()(const Tensor& premise, const Tensor& hypothesis,
                                             const std::vector<Index>& premise_lengths,
                                             const std::vector<Index>& hypothesis_lengths,
                                             bool need_weights) const {
  const Scope scope(*this);
  const auto [a, b] = sequence_pair(kOp, premise, premise_lengths, hypothesis, hypothesis_lengths,
                                    options_.width, attend.parameters().front().dtype());
  const SoftAlignment found =
      soft_alignment({attend(a.x), a.x, a.real}, {attend(b.x), b.x, b.real}, need_weights);
  const auto compared = [&](const MaskedSequence& own, const Tensor& other) {
    const Tensor both =
        options_.differences ? compare_by_differences(own.x, other) : concat({own.x, other}, -1);
    return zero_elsewhere(compare(both), own.real);
  };
  PairOutput out;
  out.context = forwarded(compared(b, found.hypothesis.context));
  out.premise = compared(a, found.premise.context);
  out.pair = concat({sum(out.premise, {1}), sum(out.context, {1})}, -1);
  out.weights = found.hypothesis.weights;
  out.premise_weights = found.premise.weights;
  return out;
}

}  // namespace heed::attention
