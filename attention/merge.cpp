#include "merge.h"

#include <fmt/format.h>

#include <limits>

#include "../autograd/ops/elementwise/compare.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/normalise/softmax.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../autograd/ops/shape/join.h"
#include "../autograd/ops/shape/shape.h"
#include "../autograd/ops/shape/slicing.h"
#include "../core/error.h"

namespace heed::attention {

// w_p = exp(l_p) / sum exp(l),  context = sum w_p context_p,  l = log sum exp(l_p)
Attended merge(const std::vector<Attended>& parts) {
  if (parts.empty()) throw ValueError("merge: no parts");
  std::vector<Tensor> contexts, sums, blocks;
  for (const Attended& part : parts) {
    if (!part.context.defined() || !part.log_sums.defined()) {
      throw ValueError(
          fmt::format("merge: part {} has no log_sums: ask for need_log_sums", sums.size()));
    }
    const Shape rows(part.context.shape().begin(), part.context.rank() - 1);
    if (!(part.context.shape() == parts[0].context.shape()) || !(part.log_sums.shape() == rows)) {
      throw ShapeError(fmt::format("merge: part {}, {} with log_sums {}, differs from {}",
                                   sums.size(), describe(part.context), describe(part.log_sums),
                                   describe(parts[0].context)));
    }
    contexts.push_back(part.context);
    sums.push_back(part.log_sums);
    if (part.weights.defined()) blocks.push_back(part.weights);
  }
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  const Tensor all = stack(sums, 0);                                     // [parts, .., Q]
  const Tensor seen = logical_not(all == kNone), some = any(seen, {0});  // NaN is seen
  const Tensor shares = unsqueeze(softmax(all, 0, seen), -1);
  Attended out;
  out.context = sum(shares * stack(contexts, 0), {0});
  if (blocks.size() == parts.size()) {
    for (std::size_t p = 0; p < blocks.size(); ++p) {
      blocks[p] = blocks[p] * select(shares, 0, static_cast<Index>(p));
    }
    out.weights = concat(blocks, -1);
  }
  const Tensor finite = where(logical_or(seen, logical_not(some)), where(some, all, 0), kNone);
  out.log_sums = where(some, logsumexp(finite, {0}), kNone);
  return out;
}

}  // namespace heed::attention
