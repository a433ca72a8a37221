#include "two_way.h"

#include "../../../autograd/ops/shape/shape.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"

namespace heed::attention {

TwoWay::TwoWay(Index input, Index hidden, DType dtype)
    : read(child<ConditionalEncoding>("read", input, hidden, dtype)),
      attend(child<WordByWord>("attend", hidden, dtype)) {}

TwoWayOutput TwoWay::operator()(const Tensor& premise_words, const Tensor& hypothesis_words,
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
    TwoWayOutput out;
    out.there = way(premise_words, premise_lengths, hypothesis_words, hypothesis_lengths);
    out.there.context = forwarded(out.there.context);
    out.back = way(hypothesis_words, hypothesis_lengths, premise_words, premise_lengths);
    out.pair = concat({out.there.pair, out.back.pair}, -1);
    return out;
  });
}

}  // namespace heed::attention
