// What holds for every decoder over a source: its steps are its run over all words, beams carry on,
// targets may end before others, and a row without a source is decoded without one.
#pragma once

#include <gtest/gtest.h>

#include "../../../attention/attend.h"
#include "../../../autograd/backward.h"
#include "../../../autograd/ops/elementwise.h"
#include "../../../autograd/ops/index.h"
#include "../../../autograd/ops/reduce.h"
#include "../../../autograd/ops/shape.h"
#include "plain.h"

namespace heed::attention {

/// Steps from `state` over words [B, T, E] give what stands in `all`; so do beams that follow
/// `rows` from step `turn` on.
template <class Decoder, class State>
void expect_steps(const Decoder& made, State state, const Tensor& words, const Attended& all,
                  Index turn, const std::vector<Index>& rows) {
  const Tensor order(Array::from(rows));
  for (Index t = 0; t < words.size(1); ++t) {
    const Tensor word = select(words, 1, t);
    const Tensor context = select(all.context, 1, t), weights = select(all.weights, 1, t);
    if (t == turn) {
      State beams = state;
      beams.reorder(order);
      const Attended now = made.step(index_select(word, 0, order), beams, true);
      EXPECT_LT(plain::difference(now.context, index_select(context, 0, order)), 1e-12);
      EXPECT_LT(plain::difference(now.weights, index_select(weights, 0, order)), 1e-12);
    }
    const Attended now = made.step(word, state, true);
    EXPECT_LT(plain::difference(now.context, context), 1e-12);
    EXPECT_LT(plain::difference(now.weights, weights), 1e-12);
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
