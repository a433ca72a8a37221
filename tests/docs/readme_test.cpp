// What README.md shows of attention.
#include <gtest/gtest.h>

#include "../../attention/attention.h"
#include "../../autograd/autograd.h"

namespace heed {
namespace {

TEST(Readme, Algebra) {
  const Tensor queries = randn({2, 7, 5}), keys = randn({2, 7, 3}), values = randn({2, 7, 11});
  const std::vector<Index> lengths = {7, 4};
  // [docs: algebra]
  const attention::Additive score(5, 3, 64);  // query width, key width, hidden
  const auto mask = attention::Mask::lengths(lengths, 7) & attention::Mask::window(2, 2);
  const attention::Sparsemax sparsemax;  // left out: softmax
  const attention::Attended seen = attention::attend(
      score, queries, keys, values, {.normaliser = &sparsemax, .mask = mask, .need_weights = true});
  // seen.context [.., Q, dv], seen.weights [.., Q, K]
  // [end]
  EXPECT_EQ(seen.context.shape(), (Shape{2, 7, 11}));
  EXPECT_EQ(seen.weights.shape(), (Shape{2, 7, 7}));
}

TEST(Readme, Heads) {
  Tensor x = randn({2, 7, 256});
  const Tensor cap = tensor({20.0}, {1}).set_requires_grad();
  // [docs: heads]
  const attention::MultiHead self({.width = 256, .heads = 8, .kv_heads = 2, .rotary = true});
  const auto mask =
      attention::Mask::rule([](auto q, auto k) { return k <= q && (q - k < 256 || k < 4); });
  const auto soft = score_map([](auto s, auto, auto c) { return c * tanh(s / c); }, cap);
  x = self(x, {.mask = mask, .map = soft}).context;  // in tiles: no block of queries by keys
  // [end]
  EXPECT_EQ(x.shape(), (Shape{2, 7, 256}));
}

}  // namespace
}  // namespace heed
