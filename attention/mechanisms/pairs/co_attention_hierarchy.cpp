#include "co_attention_hierarchy.h"

#include <fmt/format.h>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/pad.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "co_attention_hierarchy";
constexpr Index kLongestPhrase = 3;

Index checked(const CoAttentionHierarchyOptions& o) {
  if (o.width > 0 && o.answers > 0 && o.hidden >= 0) return o.width;
  throw ValueError(
      fmt::format("{}: width {} and answers {} must be positive, hidden {} not negative", kOp,
                  o.width, o.answers, o.hidden));
}

}  // namespace

CoAttentionHierarchy::CoAttentionHierarchy(const CoAttentionHierarchyOptions& o)
    : phrases(child<nn::ModuleListOf<nn::Conv1d>>("phrases")),
      question(child<nn::LSTM>(
          "question", nn::LSTMOptions{.input = checked(o), .hidden = o.width, .dtype = o.dtype})),
      levels(child<nn::ModuleListOf<CoAttention>>("levels")),
      word_answer(child<nn::Linear>("word_answer", o.width, o.width, false, o.dtype)),
      phrase_answer(
          child<nn::Linear>("phrase_answer", 2 * Checked(kOp, o.width), o.width, false, o.dtype)),
      question_answer(
          child<nn::Linear>("question_answer", 2 * Checked(kOp, o.width), o.width, false, o.dtype)),
      out(child<nn::Linear>("out", o.width, o.answers, false, o.dtype)) {
  for (Index size = 1; size <= kLongestPhrase; ++size) {
    phrases.add(o.width, o.width, size, Conv1dOptions{}, false, o.dtype);
    const CoAttentionOptions each{.question_width = o.width,
                                  .image_width = o.width,
                                  .hidden = o.hidden == 0 ? o.width : o.hidden,
                                  .dtype = o.dtype};
    if (o.kind == CoAttentionKind::parallel) {
      levels.add<ParallelCoAttention>(each);
    } else {
      levels.add<AlternatingCoAttention>(each);
    }
  }
}

CoAttentionHierarchyOutput CoAttentionHierarchy::operator()(const Tensor& words,
                                                            const Tensor& image,
                                                            const std::vector<Index>& lengths,
                                                            const Mask& image_mask,
                                                            bool need_weights) const {
  const Scope scope(*this);
  check_batch(kOp, "words", words);
  check_batch(kOp, "image", image);
  const Index T = words.size(1);
  const Mask real = first_places(kOp, "words", words, lengths);
  const Tensor x =
      masked_sequence(kOp, "words", words, out.weight.size(1), out.weight.dtype(), real).x;
  const auto level = [&](std::size_t i, const Tensor& y) {
    return named(kOp, [&] { return levels[i](y, image, real, image_mask, need_weights); });
  };
  CoAttentionHierarchyOutput all;
  all.levels.push_back(level(0, x));  // which refuses images that do not fit
  Tensor phrase = x;
  if (T > 0 && x.size(0) > 0) {
    const Tensor features = transpose(x, 1, 2);  // [B, d, T]
    Index beyond = 0;
    std::vector<Tensor> sizes;
    for (const nn::Conv1d& words_to_phrase : phrases) {
      sizes.push_back(tanh(words_to_phrase(pad(features, {0, beyond++}))));
    }
    phrase = transpose(amax(stack(sizes), {0}), 1, 2);
  }
  all.levels.push_back(level(1, phrase));
  all.levels.push_back(level(2, question(phrase, lengths).output));

  const auto seen = [&](std::size_t i) {
    return all.levels[i].question.context + all.levels[i].image.context;
  };
  Tensor h = tanh(word_answer(seen(0)));
  h = tanh(phrase_answer(concat({seen(1), h}, -1)));
  h = tanh(question_answer(concat({seen(2), h}, -1)));
  all.logits = forwarded(out(h));
  return all;
}

}  // namespace heed::attention
