#include "lstmn_pair.h"

#include "../../../autograd/ops/shape/shape.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"
#include "../pooling/pooling.h"

namespace heed::attention {

LSTMNPair::LSTMNPair(Index input, Index hidden, DType dtype)
    : read(child<LSTMN>("read", LSTMNOptions{.input = input, .hidden = hidden, .dtype = dtype})),
      attend(child<LSTMNDecoder>(
          "attend", LSTMNDecoderOptions{
                        .input = input, .hidden = hidden, .source = hidden, .dtype = dtype})) {}

PairOutput LSTMNPair::operator()(const Tensor& premise_words, const Tensor& hypothesis_words,
                                 const std::vector<Index>& premise_lengths,
                                 const std::vector<Index>& hypothesis_lengths,
                                 bool need_weights) const {
  const Scope scope(*this);
  constexpr const char* kOp = "lstmn_pair";
  check_batch(kOp, "premise", premise_words);
  check_batch(kOp, "hypothesis", hypothesis_words);
  check_rows_of_batch(kOp, "hypothesis", hypothesis_words, premise_words.size(0));
  const Mask at_a = first_places(kOp, "premise", premise_words, premise_lengths);
  const Mask at_b = first_places(kOp, "hypothesis", hypothesis_words, hypothesis_lengths);
  return named(kOp, [&] {
    const LSTMNOutput source = read(premise_words, premise_lengths);
    const LSTMNDecoderOutput found = attend(hypothesis_words, source.output, source.memory, at_a,
                                            {.need_weights = need_weights}, hypothesis_lengths);
    PairOutput out;
    out.context = forwarded(found.output);
    out.premise = source.output;
    out.pair = concat({average_pooling(out.premise, at_a), average_pooling(out.context, at_b)}, -1);
    if (need_weights) out.weights = found.weights.back();
    return out;
  });
}

}  // namespace heed::attention
