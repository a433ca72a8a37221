#include "mixture_of_depths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/compare.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/index/sort.h"
#include "../../../autograd/ops/losses/binary_cross_entropy.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "mixture_of_depths";

const MixtureOfDepthsOptions& checked(const MixtureOfDepthsOptions& o) {
  if (!(o.capacity > 0 && o.capacity <= 1)) {
    throw ValueError(fmt::format("{}: capacity {} is not in (0, 1]", kOp, o.capacity));
  }
  if (o.hidden < 0) throw ValueError(fmt::format("{}: hidden {} is negative", kOp, o.hidden));
  if (o.block.rotary) {
    throw ValueError(fmt::format("{}: rotary positions would count the chosen tokens alone", kOp));
  }
  return o;
}

// Over the real tokens, whose number is not 0.
Tensor mean_loss(const Tensor& logits, const Tensor& chosen, const Tensor& real) {
  const Tensor counts =
      real.defined() ? heed::to(real, logits.dtype()) : ones(logits.shape(), logits.dtype());
  return binary_cross_entropy_with_logits(logits, heed::to(chosen, logits.dtype()),
                                          {.weight = counts, .reduction = Reduction::sum}) /
         maximum(sum(counts), 1);
}

}  // namespace

MixtureOfDepths::MixtureOfDepths(const MixtureOfDepthsOptions& o)
    : options_(checked(o)),
      block(child<TransformerEncoderLayer>("block", o.block, o.layer)),
      router(child<nn::Linear>("router", o.block.width, 1, false, o.block.dtype)),
      predictor1(child<nn::Linear>("predictor1", o.block.width,
                                   o.hidden == 0 ? o.block.width : o.hidden, true, o.block.dtype)),
      predictor2(child<nn::Linear>("predictor2", o.hidden == 0 ? o.block.width : o.hidden, 1, true,
                                   o.block.dtype)) {}

MixtureOfDepthsOutput MixtureOfDepths::operator()(const Tensor& given,
                                                  const std::vector<Index>& lengths,
                                                  bool both_ways) const {
  const Scope scope(*this);
  check_batch(kOp, "x", given);
  check_rows(kOp, "x", given, options_.block.width, router.weight.dtype());
  const MaskedSequence read = masked_sequence(kOp, "x", given, lengths);
  const Tensor& x = read.x;
  const Index B = x.size(0), T = x.size(1), E = x.size(2);
  const Tensor r = squeeze(router(x), 2);  // [B, T]
  const auto capacity = [&](Index n) {
    const auto k = static_cast<Index>(std::floor(options_.capacity * static_cast<double>(n)));
    return n == 0 ? 0 : std::max<Index>(k, 1);
  };
  std::vector<Index> ks(static_cast<std::size_t>(B), capacity(T));
  for (std::size_t b = 0; b < lengths.size(); ++b) ks[b] = capacity(lengths[b]);
  const Index k = capacity(T);

  // The chosen of each row in their order, T in the place of those that are none.
  Tensor places;
  {
    const NoGrad off;
    const Tensor prefers =
        read.real.defined() ? where(read.real, r, -std::numeric_limits<double>::infinity()) : r;
    const Tensor best = topk(prefers.detach(), k, -1).indices;
    const Tensor counts = Mask::lengths(ks, k).tensor(Shape{B, k}, kOp);
    places = sort(counts.defined() ? where(counts, best, T) : best, -1).values;
  }
  const Tensor is = places < static_cast<double>(T);  // [B, k]
  const Tensor rows = flatten(where(is, places, 0) + reshape(arange(B) * T, Shape{B, 1}));
  const Tensor all = reshape(x, Shape{B * T, E});
  const Tensor in = reshape(index_select(all, 0, rows), Shape{B, k, E});
  const Mask real = Mask::lengths(ks, k);
  const TransformerLayerOutput seen = block(in, {.mask = both_ways ? real : Mask::causal() & real});
  const Tensor f = seen.context - in;
  const Tensor share = reshape(index_select(flatten(r), 0, rows), Shape{B, k, 1});
  const Tensor added = where(unsqueeze(is, -1), share * f, 0);

  MixtureOfDepthsOutput out;
  out.routed = seen.routed;
  const Tensor marks =
      index_add(zeros({B * T}, x.dtype()), 0, rows, flatten(heed::to(is, x.dtype())));
  out.chosen = reshape(marks, Shape{B, T}) > 0.5;
  out.router_loss = mean_loss(r, out.chosen, read.real);
  const Tensor said = squeeze(predictor2(relu(predictor1(x.detach()))), 2);
  out.prediction_loss = mean_loss(said, out.chosen, read.real);
  const Tensor y = index_add(all, 0, rows, reshape(added, Shape{B * k, E}));
  out.output = forwarded(reshape(y, Shape{B, T, E}));
  return out;
}

void MixtureOfDepths::State::reorder(const Tensor& rows) {
  past.reorder(rows);
  if (chosen.defined()) chosen = index_select(chosen, 0, rows);
}

Tensor MixtureOfDepths::by_prediction(const Tensor& x, State& state) const {
  const Scope scope(*this);
  check_batch(kOp, "x", x);
  check_rows(kOp, "x", x, options_.block.width, router.weight.dtype());
  if (recording()) throw GradError(fmt::format("{}: steps are made under NoGrad", kOp));
  const Tensor named = squeeze(predictor2(relu(predictor1(x))), 2) > 0;  // [B, T]
  if (x.numel() == 0 || !any(named).item<bool>()) return x;
  const Tensor chosen = state.chosen.defined() ? concat({state.chosen, named}, 1) : named;
  const Terms terms{.mask = Mask::causal() & Mask::key_padding(chosen)};
  const Tensor f = block(x, terms, &state.past).context - x;
  state.chosen = chosen;
  return forwarded(where(unsqueeze(named, -1), x + router(x) * f, x));
}

}  // namespace heed::attention
