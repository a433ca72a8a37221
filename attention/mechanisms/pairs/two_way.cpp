#include "two_way.h"

#include "../../../autograd/ops/shape/shape.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"

namespace heed::attention {

TwoWay::TwoWay(Index input, Index hidden, DType dtype)
    : read(child<ConditionalEncoding>("read", input, hidden, dtype)),
      attend(child<WordByWord>("attend", hidden, dtype)) {}

PairOutput TwoWay::operator()(const Tensor& premise_words, const Tensor& hypothesis_words,
                              const std::vector<Index>& premise_lengths,
                              const std::vector<Index>& hypothesis_lengths,
                              bool need_weights) const {
  const Scope scope(*this);
  constexpr const char* kOp = "two_way";
  const auto way = [&](const Tensor& first, const std::vector<Index>& first_lengths,
                       const Tensor& second, const std::vector<Index>& second_lengths) {
    const ConditionalEncodingOutput states = read(first, second, first_lengths, second_lengths);
    return attend(states.premise, states.hypothesis,
                  first_places(kOp, "premise", states.premise, first_lengths), second_lengths,
                  need_weights);
  };
  return named(kOp, [&] {
    EntailmentOutput there =
        way(premise_words, premise_lengths, hypothesis_words, hypothesis_lengths);
    there.context = forwarded(there.context);
    const EntailmentOutput back =
        way(hypothesis_words, hypothesis_lengths, premise_words, premise_lengths);
    return PairOutput{there.context, back.context, concat({there.pair, back.pair}, -1),
                      there.weights, back.weights};
  });
}

}  // namespace heed::attention
