#include "within_buckets.h"

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/index/sort.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../attend.h"
#include "../../merge.h"

namespace heed::attention {
namespace {

// Of a place's score with itself: as good as none beside any other.
constexpr double kItself = 1e5;

ScoreMap itself_last() {
  return score_map([](auto s, auto at) { return where(at.q == at.k, s - kItself, s); });
}

// Rows of x [N, T, ..] in the order that `index`, i64 [N, T], says.
Tensor taken(const Tensor& x, const Tensor& index) {
  return x.rank() == 3 ? take_along(x, unsqueeze(index, -1), 1) : take_along(x, index, 1);
}

Mask same(const Tensor& buckets) {
  return Mask::rule([](auto q, auto k, auto b) { return b(q) == b(k); }, buckets);
}

// The pairs that round r is the first to see, among places that stand in this order.
Mask first_seen(const std::vector<Tensor>& rounds, std::size_t r, const Tensor& order,
                bool causal) {
  const Tensor own = taken(rounds[r], order);
  Mask mask = same(own) & Mask::rule([](auto, auto k, auto b) { return b(k) >= 0; }, own);
  for (std::size_t before = 0; before < r; ++before) {
    mask = mask & !same(taken(rounds[before], order));
  }
  if (!causal) return mask;
  return mask & Mask::rule([](auto q, auto k, auto place) { return place(k) <= place(q); }, order);
}

Attended one_round(const Tensor& q, const Tensor& k, const Tensor& v,
                   const std::vector<Tensor>& rounds, std::size_t r, bool causal) {
  const Tensor order = argsort(rounds[r], 1), back = argsort(order, 1);
  Attended out = attend(taken(q, order), taken(k, order), taken(v, order),
                        {.mask = first_seen(rounds, r, order, causal),
                         .map = itself_last(),
                         .need_log_sums = rounds.size() > 1});
  out.context = taken(out.context, back);
  if (rounds.size() > 1) out.log_sums = taken(out.log_sums, back);
  return out;
}

Tensor weights_of(const Tensor& q, const Tensor& k, const Tensor& v,
                  const std::vector<Tensor>& rounds, bool causal) {
  Mask any = same(rounds[0]);
  for (std::size_t r = 1; r < rounds.size(); ++r) any = any | same(rounds[r]);
  Mask mask = any & Mask::rule([](auto, auto k_at, auto b) { return b(k_at) >= 0; }, rounds[0]);
  if (causal) mask = mask & Mask::causal();
  return attend(q, k, v, {.mask = mask, .map = itself_last(), .need_weights = true}).weights;
}

}  // namespace

Attended attend_within(const Tensor& q, const Tensor& k, const Tensor& v,
                       const std::vector<Tensor>& rounds, bool causal, bool need_weights) {
  std::vector<Attended> parts;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    parts.push_back(one_round(q, k, v, rounds, r, causal));
  }
  Attended out = parts.size() == 1 ? parts[0] : merge(parts);
  if (need_weights) out.weights = weights_of(q, k, v, rounds, causal);
  return out;
}

Tensor real_buckets(const Tensor& buckets, const Tensor& real) {
  if (!real.defined()) return buckets;
  return (buckets + 1) * to(real, DType::i64) - 1;
}

}  // namespace heed::attention
