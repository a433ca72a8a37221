#include "bimpm.h"

#include <fmt/format.h>

#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/comparison.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "bimpm";

const BiMPMOptions& checked(const BiMPMOptions& o) {
  if (o.width > 0 && o.hidden > 0) return o;
  throw ValueError(
      fmt::format("{}: width {} and hidden {} must be positive", kOp, o.width, o.hidden));
}

nn::LSTMOptions both_ways(Index input, const BiMPMOptions& o) {
  return {.input = input, .hidden = o.hidden, .bidirectional = true, .dtype = o.dtype};
}

MultiPerspectiveOptions strategies(const BiMPMOptions& o) {
  return {.hidden = o.hidden,
          .perspectives = o.perspectives,
          .full = o.full,
          .max_pooling = o.max_pooling,
          .attentive = o.attentive,
          .max_attentive = o.max_attentive,
          .dtype = o.dtype};
}

}  // namespace

BiMPM::BiMPM(const BiMPMOptions& o)
    : dropout(child<nn::Dropout>("dropout", checked(o).dropout)),
      encoder(child<nn::LSTM>("encoder", both_ways(o.width, o))),
      matching(child<MultiPerspectiveMatching>("matching", strategies(o))),
      aggregation(child<nn::LSTM>("aggregation", both_ways(matching.width(), o))) {}

PairOutput BiMPM::operator()(const Tensor& premise, const Tensor& hypothesis,
                             const std::vector<Index>& premise_lengths,
                             const std::vector<Index>& hypothesis_lengths,
                             bool need_weights) const {
  const Scope scope(*this);
  const auto [P, Q] = sequence_pair(kOp, premise, premise_lengths, hypothesis, hypothesis_lengths,
                                    encoder.options().input, parameters().front().dtype());
  const MultiPerspectiveOutput m = matching(encoder(dropout(P.x), premise_lengths).output,
                                            encoder(dropout(Q.x), hypothesis_lengths).output,
                                            P.real.defined() ? Mask(P.real) : Mask(),
                                            Q.real.defined() ? Mask(Q.real) : Mask(), need_weights);
  const nn::LSTM& read = aggregation;
  const LstmResult v_p = read(dropout(m.premise), premise_lengths);
  const LstmResult v_q = read(dropout(m.hypothesis), hypothesis_lengths);
  PairOutput out;
  out.context = forwarded(v_q.output);
  out.premise = v_p.output;
  std::vector<Tensor> last;
  for (const Tensor& states : {v_p.h_n, v_q.h_n}) {
    for (const Index direction : {0, 1}) last.push_back(select(states, 0, direction));
  }
  out.pair = concat(last, -1);
  if (need_weights) {
    out.weights = mean(m.hypothesis_weights, {1});
    out.premise_weights = mean(m.premise_weights, {1});
  }
  return out;
}

}  // namespace heed::attention
