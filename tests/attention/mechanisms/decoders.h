// What holds for every decoder over a source: its steps are its run over all words, beams carry on,
// targets may end before others, and a row without a source is decoded without one.
#pragma once

#include <gtest/gtest.h>

#include "../../../attention/mechanisms/decoders/decoder.h"
#include "../../../autograd/backward.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "plain.h"

namespace heed::attention {

/// Steps from `state` over words [B, T, E] give what stands in `all`; so do beams that follow
/// `rows` from step `turn` on, and a batch of its first row alone that becomes three beams.
template <Decoder D>
void expect_steps(const D& made, typename D::State state, const Tensor& words,
                  const StackOutput& all, Index turn, const std::vector<Index>& rows) {
  const Tensor order(Array::from(rows));
  const Terms terms{.need_weights = true};
  const Tensor first(Array::from(std::vector<Index>{0}));
  const Tensor thrice(Array::from(std::vector<Index>{0, 0, 0}));
  auto alone = state;
  alone.reorder(first, true);
  const auto expect = [&](const StackOutput& now, Index t, const auto& of) {
    EXPECT_LT(difference(now.output, of(select(all.output, 1, t))), 1e-12);
    ASSERT_EQ(now.weights.size(), all.weights.size());
    for (std::size_t i = 0; i < now.weights.size(); ++i) {
      const Tensor& whole = all.weights[i];  // [B, T, K], of heads [B, H, T, K]
      const Tensor step = select(whole, whole.rank() - 2, t);
      EXPECT_LT(difference(now.weights[i], of(step)), 1e-12);
    }
  };
  for (Index t = 0; t < words.size(1); ++t) {
    const Tensor word = select(words, 1, t);
    if (t == turn) {
      auto beams = state;
      beams.reorder(order, true);
      expect(made.step(index_select(word, 0, order), beams, terms), t,
             [&](const Tensor& x) { return index_select(x, 0, order); });
    }
    expect(made.step(word, state, terms), t, [](const Tensor& x) { return x; });
    if (t == turn + 1) alone.reorder(thrice, true);
    const Tensor& on = t > turn ? thrice : first;
    const auto of_first = [&](const Tensor& x) { return index_select(x, 0, on); };
    expect(made.step(of_first(word), alone, terms), t, of_first);
  }
}

/// decode(words), which gives tensors, and its gradients do not look at words behind `lengths`.
template <class Decode>
void expect_ends(const nn::Module& made, const Tensor& words, const std::vector<Index>& lengths,
                 const Decode& decode) {
  plain::expect_hidden([&](double value) {
    const Tensor there = plain::spoiled(words, lengths, value);
    return plain::bits_of(plain::leaves_of(made, {}), [&] { return decode(there); });
  });
}

/// Row 1 has no place to look at: no weight there, and no gradient of its context in the source.
inline void expect_unseen(const Tensor& context, const std::vector<Tensor>& weights,
                          const Tensor& source) {
  for (const Tensor& each : weights) EXPECT_EQ(sum(abs(select(each, 0, 1))).item(), 0);
  sum(select(context, 0, 1) * 1e9).backward();
  EXPECT_EQ(sum(abs(source.grad())).item(), 0);
}

}  // namespace heed::attention
