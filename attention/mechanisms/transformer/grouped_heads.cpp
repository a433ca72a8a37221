#include "grouped_heads.h"

#include <optional>

#include "../../../autograd/ops/shape/shape.h"

namespace heed::attention {
namespace {

// Something that broadcasts to [B, H, ..] with `behind` axes behind the heads, for
// [B, H / groups, groups, ..].
Tensor grouped(const Tensor& x, Index groups, Index behind) {
  if (!x.defined() || x.rank() <= behind) return x;
  const Index axis = x.rank() - behind - 1;
  if (x.size(axis) == 1) return unsqueeze(x, axis);
  Shape out(x.shape().begin(), axis);
  out.push_back(x.size(axis) / groups);
  out.push_back(groups);
  for (Index a = axis + 1; a < x.rank(); ++a) out.push_back(x.size(a));
  return reshape(x, out);
}

// A normaliser that sees the heads side by side, as one with a parameter a head wants them.
class SideBySide : public Normaliser {
 public:
  explicit SideBySide(const Normaliser& inner) : inner_(inner) {}
  bool is_stateful() const override { return inner_.is_stateful(); }
  bool is_softmax_plus_one() const override { return inner_.is_softmax_plus_one(); }
  Tensor operator()(const Tensor& scores, const Tensor& allowed, Index axis,
                    Tensor* state) const override {
    const auto heads = [](const Tensor& x) { return flatten(x, 1, 2); };
    Tensor may = allowed;
    if (may.defined()) may = heads(expand(may, scores.shape()));
    return reshape(inner_(heads(scores), may, axis, state), scores.shape());
  }

 private:
  const Normaliser& inner_;
};

}  // namespace

Attended attend_in_groups(const Tensor& q, const Memory& memory, const Terms& given) {
  const Index B = q.size(0), H = q.size(1), Q = q.size(2), D = q.size(3);
  const Index shared = memory.keys().size(1), K = memory.keys().size(2), groups = H / shared;
  Terms terms = given;
  const Shape scores{B, H, Q, K};
  terms.mask =
      given.mask.with_rest(grouped(given.mask.rest(scores, "multi_head"), groups, 2), scores);
  terms.map = given.map.in_groups(groups);
  terms.sinks = grouped(given.sinks, groups, 0);
  terms.bias = grouped(given.bias, groups, 2);
  terms.offset_bias = grouped(given.offset_bias, groups, 1);
  std::optional<SideBySide> normaliser;
  if (given.normaliser != nullptr && !given.normaliser->is_softmax()) {
    terms.normaliser = &normaliser.emplace(*given.normaliser);
  }
  const Memory apart = memory.beside_groups();
  Attended out = apart.attend(reshape(q, Shape{B, shared, groups, Q, D}), terms);
  out.context = reshape(out.context, Shape{B, H, Q, out.context.size(-1)});
  if (out.weights.defined()) out.weights = flatten(out.weights, 1, 2);  // [B, H, Q, K, ..]
  if (out.log_sums.defined()) out.log_sums = reshape(out.log_sums, Shape{B, H, Q});
  if (given.need_statistics) out.statistics = out.statistics.side_by_side();
  return out;
}

}  // namespace heed::attention
