#include "gated_matching.h"

#include <fmt/format.h>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"

namespace heed::attention {
namespace {

constexpr const char* kGated = "gated_matching";
constexpr const char* kSelf = "self_matching";

GatedMatchingOptions checked(GatedMatchingOptions o) {
  if (o.question_width == 0) o.question_width = o.width;
  if (o.width > 0 && o.question_width > 0 && o.hidden > 0) return o;
  throw ValueError(fmt::format("{}: width {}, question_width {} and hidden {} must be positive",
                               kGated, o.width, o.question_width, o.hidden));
}
const SelfMatchingOptions& checked(const SelfMatchingOptions& o) {
  if (o.width > 0 && o.hidden > 0) return o;
  throw ValueError(
      fmt::format("{}: width {} and hidden {} must be positive", kSelf, o.width, o.hidden));
}

// What a word is and what it found, as far as the gate lets it through.
Tensor gated(const nn::Linear& gate, const Tensor& word, const Tensor& found) {
  const Tensor both = concat({word, found}, -1);
  return sigmoid(gate(both)) * both;
}

}  // namespace

GatedMatching::GatedMatching(const GatedMatchingOptions& o)
    : score(child<Additive>("score", Checked(kGated, checked(o).width) + o.hidden,
                            checked(o).question_width, o.hidden, false, o.dtype)),
      gate(child<nn::Linear>("gate", Checked(kGated, o.width) + checked(o).question_width,
                             Checked(kGated, o.width) + checked(o).question_width, false, o.dtype)),
      cell(child<nn::GRUCell>("cell", Checked(kGated, o.width) + checked(o).question_width,
                              o.hidden, true, o.dtype)) {}

Attended GatedMatching::operator()(const Tensor& passage, const Tensor& question,
                                   const std::vector<Index>& lengths, const Mask& question_mask,
                                   bool need_weights) const {
  const Scope scope(*this);
  const Index H = cell.weight_hh.size(1), dq = score.key_projection.weight.size(1);
  const Index d = score.query_projection.weight.size(1) - H;
  const DType dtype = score.score_vector.dtype();
  check_batch(kGated, "passage", passage);
  const auto [words, real] = masked_sequence(kGated, "passage", passage, d, dtype,
                                             first_places(kGated, "passage", passage, lengths));
  const auto asked = masked_sequence(kGated, "question", question, dq, dtype, question_mask);
  const Index B = passage.size(0), T = passage.size(1), J = question.size(1);
  check_rows_of_batch(kGated, "question", question, B);
  const Memory memory(score, asked.x, asked.x, of_places(asked.real));
  Tensor h = zeros(Shape{B, H}, dtype);
  std::vector<Tensor> states, weights;
  for (Index t = 0; t < T; ++t) {
    const Tensor word = select(words, 1, t);
    const Attended seen = memory.step(concat({word, h}, -1), {.need_weights = need_weights});
    const Tensor now = cell(gated(gate, word, seen.context), h);
    const Tensor goes_on = real.defined() ? narrow(real, 1, t, 1) : real;  // [B, 1]
    h = goes_on.defined() ? where(goes_on, now, h) : now;
    states.push_back(goes_on.defined() ? where(goes_on, now, 0) : now);
    if (need_weights) {
      weights.push_back(goes_on.defined() ? where(goes_on, seen.weights, 0) : seen.weights);
    }
  }
  Attended out;
  out.context = forwarded(T > 0 ? stack(states, 1) : zeros(Shape{B, 0, H}, dtype));
  if (need_weights) out.weights = T > 0 ? stack(weights, 1) : zeros(Shape{B, 0, J}, dtype);
  return out;
}

SelfMatching::SelfMatching(const SelfMatchingOptions& o)
    : score(child<Additive>("score", checked(o).width, o.width, o.hidden, false, o.dtype)),
      gate(child<nn::Linear>("gate", 2 * Checked(kSelf, o.width), 2 * Checked(kSelf, o.width),
                             false, o.dtype)),
      reader(child<nn::GRU>("reader", nn::GRUOptions{.input = 2 * Checked(kSelf, o.width),
                                                     .hidden = o.hidden,
                                                     .bidirectional = true,
                                                     .dtype = o.dtype})) {}

Attended SelfMatching::operator()(const Tensor& passage, const std::vector<Index>& lengths,
                                  bool need_weights) const {
  const Scope scope(*this);
  check_batch(kSelf, "passage", passage);
  const auto [words, real] =
      masked_sequence(kSelf, "passage", passage, score.key_projection.weight.size(1),
                      score.score_vector.dtype(), first_places(kSelf, "passage", passage, lengths));
  Attended out =
      attend(score, words, words, words, {.mask = of_places(real), .need_weights = need_weights});
  out.context = forwarded(reader(gated(gate, words, out.context), lengths).output);
  return out;
}

}  // namespace heed::attention
