#include "esim.h"

#include <fmt/format.h>

#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/comparison.h"
#include "../pooling/pooling.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "esim";

const EsimOptions& checked(const EsimOptions& o) {
  if (o.width > 0 && o.hidden > 0) return o;
  throw ValueError(
      fmt::format("{}: width {} and hidden {} must be positive", kOp, o.width, o.hidden));
}

nn::LSTMOptions both_ways(Index input, const EsimOptions& o) {
  return {.input = input, .hidden = o.hidden, .bidirectional = true, .dtype = o.dtype};
}

Mask places(const Tensor& real) { return real.defined() ? Mask(real) : Mask(); }

}  // namespace

ESIM::ESIM(const EsimOptions& o)
    : dropout(child<nn::Dropout>("dropout", checked(o).dropout)),
      encoder(child<nn::LSTM>("encoder", both_ways(o.width, o))),
      projection(
          child<nn::Linear>("projection", 8 * Checked(kOp, o.hidden), o.hidden, true, o.dtype)),
      composition(child<nn::LSTM>("composition", both_ways(o.hidden, o))) {}

PairOutput ESIM::operator()(const Tensor& premise, const Tensor& hypothesis,
                            const std::vector<Index>& premise_lengths,
                            const std::vector<Index>& hypothesis_lengths, bool need_weights) const {
  const Scope scope(*this);
  const auto [a, b] = sequence_pair(kOp, premise, premise_lengths, hypothesis, hypothesis_lengths,
                                    encoder.options().input, projection.weight.dtype());
  const Tensor a_bar = encoder(dropout(a.x), premise_lengths).output;
  const Tensor b_bar = encoder(dropout(b.x), hypothesis_lengths).output;
  const SoftAlignment found =
      soft_alignment({a_bar, a_bar, a.real}, {b_bar, b_bar, b.real}, need_weights);
  const auto composed = [&](const Tensor& own, const Tensor& other,
                            const std::vector<Index>& lengths) {
    const Tensor m = relu(projection(dropout(compare_by_differences(own, other))));
    return composition(dropout(m), lengths).output;
  };
  PairOutput out;
  out.context = forwarded(composed(b_bar, found.hypothesis.context, hypothesis_lengths));
  out.premise = composed(a_bar, found.premise.context, premise_lengths);
  const Mask in_a = places(a.real), in_b = places(b.real);
  out.pair = concat({average_pooling(out.premise, in_a), max_pooling(out.premise, in_a),
                     average_pooling(out.context, in_b), max_pooling(out.context, in_b)},
                    -1);
  out.weights = found.hypothesis.weights;
  out.premise_weights = found.premise.weights;
  return out;
}

}  // namespace heed::attention
