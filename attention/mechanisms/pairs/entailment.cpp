#include "entailment.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

Index checked(const char* op, Index width) {
  if (width > 0) return width;
  throw ValueError(fmt::format("{}: width {} must be positive", op, width));
}

}  // namespace

ConditionalEncoding::ConditionalEncoding(Index input, Index hidden, DType dtype)
    : premise(child<nn::LSTM>("premise",
                              nn::LSTMOptions{.input = checked("conditional_encoding", input),
                                              .hidden = checked("conditional_encoding", hidden),
                                              .dtype = dtype})),
      hypothesis(child<nn::LSTM>(
          "hypothesis", nn::LSTMOptions{.input = input, .hidden = hidden, .dtype = dtype})) {}

ConditionalEncodingOutput ConditionalEncoding::operator()(
    const Tensor& premise_words, const Tensor& hypothesis_words,
    const std::vector<Index>& premise_lengths, const std::vector<Index>& hypothesis_lengths) const {
  const Scope scope(*this);
  constexpr const char* kOp = "conditional_encoding";
  const Index input = premise.options().input;
  const DType dtype = premise.parameters().front().dtype();
  check_batch(kOp, "premise", premise_words);
  check_rows(kOp, "premise", premise_words, input, dtype);
  check_batch(kOp, "hypothesis", hypothesis_words);
  check_rows(kOp, "hypothesis", hypothesis_words, input, dtype);
  check_rows_of_batch(kOp, "hypothesis", hypothesis_words, premise_words.size(0));
  first_places(kOp, "premise", premise_words, premise_lengths);  // for its checks
  first_places(kOp, "hypothesis", hypothesis_words, hypothesis_lengths);
  return named(kOp, [&] {
    const LstmResult first = premise(premise_words, premise_lengths);
    const LstmResult second =
        hypothesis(hypothesis_words, hypothesis_lengths, {.h = Tensor(), .c = first.c_n});
    return ConditionalEncodingOutput{forwarded(first.output), second.output,
                                     squeeze(second.h_n, 0)};
  });
}

EntailmentPair::EntailmentPair(Index width, DType dtype)
    : premise(child<nn::Linear>("premise", width, width, false, dtype)),
      hypothesis(child<nn::Linear>("hypothesis", width, width, false, dtype)) {}

Tensor EntailmentPair::operator()(const Tensor& r, const Tensor& last) const {
  const Scope scope(*this);
  return forwarded(tanh(premise(r) + hypothesis(last)));
}

WordByWord::WordByWord(Index width, DType dtype)
    : score(child<Additive>("score", 2 * Checked("word_by_word", checked("word_by_word", width)),
                            width, width, false, dtype)),
      carry(child<nn::Linear>("carry", width, width, false, dtype)),
      pair(child<EntailmentPair>("pair", width, dtype)) {}

EntailmentOutput WordByWord::operator()(const Tensor& premise, const Tensor& hypothesis,
                                        const Mask& premise_mask,
                                        const std::vector<Index>& hypothesis_lengths,
                                        bool need_weights) const {
  const Scope scope(*this);
  constexpr const char* kOp = "word_by_word";
  const Index k = carry.weight.size(0);
  const DType dtype = carry.weight.dtype();
  check_batch(kOp, "premise", premise);
  check_rows(kOp, "premise", premise, k, dtype);
  check_batch(kOp, "hypothesis", hypothesis);
  const Index B = premise.size(0), L = premise.size(1), T = hypothesis.size(1);
  const auto [h, real] =
      masked_sequence(kOp, "hypothesis", hypothesis, k, dtype,
                      first_places(kOp, "hypothesis", hypothesis, hypothesis_lengths));
  check_rows_of_batch(kOp, "hypothesis", hypothesis, B);
  const Tensor places = real_places(kOp, "premise", premise_mask, B, L);
  const Memory memory(score, premise, premise, of_places(places));
  Tensor r = zeros(Shape{B, k}, dtype), last = r;
  std::vector<Tensor> contexts, weights;
  for (Index t = 0; t < T; ++t) {
    const Tensor h_t = select(h, 1, t);
    const Attended seen = memory.step(concat({h_t, r}, -1), {.need_weights = need_weights});
    const Tensor now = seen.context + tanh(carry(r));
    // A row that has ended stays where it was.
    const Tensor goes_on = real.defined() ? narrow(real, 1, t, 1) : real;  // [B, 1]
    r = goes_on.defined() ? where(goes_on, now, r) : now;
    last = goes_on.defined() ? where(goes_on, h_t, last) : h_t;
    contexts.push_back(r);
    if (need_weights) {
      weights.push_back(goes_on.defined() ? where(goes_on, seen.weights, 0) : seen.weights);
    }
  }
  EntailmentOutput out;
  out.context = forwarded(T > 0 ? stack(contexts, 1) : zeros(Shape{B, 0, k}, dtype));
  if (need_weights) out.weights = T > 0 ? stack(weights, 1) : zeros(Shape{B, 0, L}, dtype);
  out.pair = pair(r, last);
  return out;
}

OneShotAttention::OneShotAttention(Index width, DType dtype)
    : score(child<Additive>("score", checked("one_shot_attention", width), width, width, false,
                            dtype)),
      pair(child<EntailmentPair>("pair", width, dtype)) {}

EntailmentOutput OneShotAttention::operator()(const Tensor& premise, const Tensor& last,
                                              const Mask& premise_mask, bool need_weights) const {
  const Scope scope(*this);
  constexpr const char* kOp = "one_shot_attention";
  const Index k = score.score_vector.size(0);
  const DType dtype = score.score_vector.dtype();
  check_batch(kOp, "premise", premise);
  check_rows(kOp, "premise", premise, k, dtype);
  check_rows(kOp, "last", last, k, dtype);
  const Index B = premise.size(0);
  if (last.rank() != 2 || last.size(0) != B) {
    throw ShapeError(fmt::format("{}: last must be [{}, {}], not {}", kOp, B, k, describe(last)));
  }
  const Tensor places = real_places(kOp, "premise", premise_mask, B, premise.size(1));
  const Attended seen = attend(score, unsqueeze(last, 1), premise, premise,
                               {.mask = of_places(places), .need_weights = need_weights});
  EntailmentOutput out;
  out.context = forwarded(squeeze(seen.context, 1));
  if (need_weights) out.weights = squeeze(seen.weights, 1);
  out.pair = pair(out.context, last);
  return out;
}

}  // namespace heed::attention
