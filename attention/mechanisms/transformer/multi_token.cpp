#include "multi_token.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/losses/cross_entropy.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "multi_token";
constexpr Index kIgnored = -100;

// Those of another dtype are cross_entropy's to refuse.
bool any_counts(const Array& targets) {
  if (targets.dtype() != DType::i64) return targets.numel() > 0;
  const std::vector<Index> all = targets.to_vector<Index>();
  return std::any_of(all.begin(), all.end(), [](Index target) { return target != kIgnored; });
}

std::vector<Index> shorter(std::vector<Index> lengths, Index by) {
  for (Index& length : lengths) length = std::max<Index>(0, length - by);
  return lengths;
}

}  // namespace

Tensor MultiTokenOutput::balance() const { return TransformerOutput{{}, routed}.balance(); }

MultiTokenPrediction::MultiTokenPrediction(const MultiTokenOptions& o)
    : options_(o),
      state_norms(child<nn::ModuleListOf<nn::RMSNorm>>("state_norms")),
      token_norms(child<nn::ModuleListOf<nn::RMSNorm>>("token_norms")),
      merges(child<nn::ModuleListOf<nn::Linear>>("merges")),
      layers(child<nn::ModuleListOf<TransformerEncoderLayer>>("layers")) {
  if (o.depth <= 0) throw ValueError(fmt::format("{}: depth {} must be positive", kOp, o.depth));
  const TransformerOptions& t = o.transformer;
  for (Index k = 0; k < o.depth; ++k) {
    state_norms.add(Shape{t.width}, 1e-6, true, t.dtype);
    token_norms.add(Shape{t.width}, 1e-6, true, t.dtype);
    merges.add(2 * Checked(kOp, t.width), t.width, false, t.dtype);
    layers.add(t, k);
  }
}

MultiTokenOutput MultiTokenPrediction::operator()(const Tensor& states, const Tensor& embedded,
                                                  const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  for (const auto& [what, x] : {std::pair{"states", states}, std::pair{"embedded", embedded}}) {
    check_batch(kOp, what, x);
    // A norm's dtype, which stays where the weights of Linears are put into fewer bits.
    check_rows(kOp, what, x, options_.transformer.width, state_norms[0].weight.dtype());
  }
  if (embedded.shape() != states.shape()) {
    throw ShapeError(fmt::format("{}: embedded must be as states, {}, not {}", kOp,
                                 describe(states), describe(embedded)));
  }
  const Mask real = first_places(kOp, "states", states, lengths);
  const Index T = states.size(1);
  const Tensor places = real.tensor(Shape{states.size(0), T});
  Tensor h = zero_elsewhere(states, places);
  const Tensor tokens = zero_elsewhere(embedded, places);
  MultiTokenOutput out;
  for (Index k = 1; k <= options_.depth && k < T; ++k) {
    const auto own = static_cast<std::size_t>(k - 1);
    const Index n = T - k;
    const Tensor before = state_norms[own](narrow(h, 1, 0, n));
    const Tensor token = token_norms[own](narrow(tokens, 1, k, n));
    Terms terms{.mask = Mask::causal()};
    if (!lengths.empty()) terms.mask = terms.mask & Mask::lengths(shorter(lengths, k), n);
    const TransformerLayerOutput seen = named(kOp, [&] {
      return layers[own](merges[own](concat({before, token}, -1)), terms);
    });
    h = k == 1 ? forwarded(seen.context) : seen.context;
    out.foretold.push_back(h);
    if (layers[own].mixture != nullptr) out.routed.push_back(seen.routed);
  }
  return out;
}

Tensor MultiTokenPrediction::loss(const std::vector<Tensor>& foretold, const Tensor& ids,
                                  const std::function<Tensor(const Tensor&)>& head,
                                  const std::vector<Index>& lengths) const {
  if (!lengths.empty() && static_cast<Index>(lengths.size()) != ids.size(0)) {
    throw ShapeError(
        fmt::format("{}: {} lengths for {} rows of ids", kOp, lengths.size(), ids.size(0)));
  }
  Tensor total;
  Index depths = 0;
  for (std::size_t own = 0; own < foretold.size(); ++own) {
    const Tensor& h = foretold[own];
    const Index k = static_cast<Index>(own) + 1, n = h.size(1) - 1;  // the last has no token behind
    if (n <= 0) break;
    Array targets = narrow(ids, 1, k + 1, n).array().clone();
    for (Index b = 0; b < ids.size(0) && !lengths.empty(); ++b) {
      const Index last = std::max<Index>(0, lengths[static_cast<std::size_t>(b)] - k - 1);
      for (Index i = last; i < n; ++i) targets.mutable_data<Index>()[b * n + i] = kIgnored;
    }
    if (!any_counts(targets)) continue;
    const Tensor logits = head(reshape(narrow(h, 1, 0, n), {-1, h.size(2)}));
    const Tensor one = cross_entropy(logits, reshape(Tensor(targets), {-1}));
    total = total.defined() ? total + one : one;
    ++depths;
  }
  if (depths == 0) throw ValueError(fmt::format("{}: there is no token to foretell", kOp));
  return total / static_cast<double>(depths);
}

}  // namespace heed::attention
