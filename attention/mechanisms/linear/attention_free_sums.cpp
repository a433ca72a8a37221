#include "attention_free_sums.h"

#include <algorithm>
#include <vector>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../attend.h"
#include "../../merge.h"

namespace heed::attention {
namespace {

Tensor rows(const Tensor& x, Index from, Index to) { return narrow(x, 0, from, to - from); }

// The last steps' queries over all keys, causal: heads of one feature, whose query is 1.
Attended in_tiles(const Tensor& k, const Tensor& v, const Tensor& w) {
  const auto heads = [](const Tensor& x) { return unsqueeze(transpose(x, 0, 1), -1); };
  const Tensor one = ones(Shape{k.size(1), w.size(0), 1}, k.dtype());
  const Attended seen =
      attend(one, heads(k), heads(v), {.mask = Mask::causal(), .bias = w, .need_log_sums = true});
  return {.context = transpose(seen.context, 0, 1), .log_sums = transpose(seen.log_sums, 0, 1)};
}

Attended joined(const std::vector<Attended>& parts) {
  std::vector<Tensor> contexts, sums;
  for (const Attended& part : parts) {
    contexts.push_back(part.context);
    sums.push_back(part.log_sums);
  }
  return {.context = concat(contexts, 0), .log_sums = concat(sums, 0)};
}

}  // namespace

// With e = exp(k - m) and exp(w - max w) no sum is less than exp(-range of w), as e is 1 somewhere.
bool sums_hold(const Tensor& w) {
  const double most = w.dtype() == DType::f64 ? 600 : 60;
  return (amax(w.detach()) - amin(w.detach())).item() <= most;
}

Attended sums_over_all(const Tensor& k, const Tensor& v, const Tensor& w) {
  const Tensor m = amax(k, {0}, true).detach(), n = amax(w, {1}, true).detach();
  const Tensor e = exp(k - m);
  const Tensor both = matmul(exp(w - n), concat({e * v, e}, 1));
  const auto sums = split(both, {k.size(1), k.size(1)}, 1);
  return {.context = unsqueeze(sums[0] / sums[1], -1), .log_sums = log(sums[1]) + m + n};
}

Attended causal_sums(const Tensor& k, const Tensor& v, const Tensor& w, Index block) {
  const Index T = k.size(0);
  if (T <= block) return in_tiles(k, v, w);
  const Index half = (T / block + 1) / 2 * block;
  const Tensor late = rows(w, half, T), early_k = rows(k, 0, half), early_v = rows(v, 0, half);
  const Tensor own = narrow(late, 1, half, T - half), before = narrow(late, 1, 0, half);
  return joined({causal_sums(early_k, early_v, narrow(rows(w, 0, half), 1, 0, half), block),
                 merge({sums_over_all(early_k, early_v, before),
                        causal_sums(rows(k, half, T), rows(v, half, T), own, block)})});
}

Attended local_sums(const Tensor& k, const Tensor& v, const PlaceBiases& w, Index window,
                    Index block) {
  const Index T = k.size(0), N = k.size(1);
  std::vector<Attended> out;
  Attended far;  // of the first `gone` keys
  Index gone = 0;
  for (Index t = 0; t < T; t += block) {
    const Index end = std::min(t + block, T), near = std::max<Index>(0, t - window + 1);
    if (near > gone) {
      const Tensor none = zeros(Shape{1, near - gone}, k.dtype());
      const Attended more = sums_over_all(rows(k, gone, near), rows(v, gone, near), none);
      far = gone > 0 ? merge({far, more}) : more;
      gone = near;
    }
    const Tensor own = w(t, end - t, near, end - near);
    out.push_back(in_tiles(rows(k, near, end), rows(v, near, end), own));
    if (gone == 0) continue;
    out.back() = merge({out.back(),
                        {.context = expand(far.context, Shape{end - t, N, 1}),
                         .log_sums = expand(far.log_sums, Shape{end - t, N})}});
  }
  return joined(out);
}

}  // namespace heed::attention
