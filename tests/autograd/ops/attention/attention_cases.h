// Calls of tiled attention for its tests: either score, tiled or by its definition, on the same
// list of operands, with all gradients.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/ops/attention/attention.h"
#include "../../../../core/generator.h"
#include "../../../support/numbers.h"

namespace heed::attention_cases {

using Tensors = std::vector<Tensor>;

/// The operands are q, k, v, then the score vector of an additive one.
enum class Score { dot, additive };

inline Tensor attend(Score score, const Tensors& x, const AttentionOptions& options) {
  if (score == Score::dot) return dot_attention(x[0], x[1], x[2], options);
  return additive_attention(x[0], x[1], x[3], x[2], options);
}
inline Tensor attend_plain(Score score, const Tensors& x, const AttentionOptions& options) {
  if (score == Score::dot) return dot_attention_plain(x[0], x[1], x[2], options);
  return additive_attention_plain(x[0], x[1], x[3], x[2], options);
}

struct Sizes {
  const char* name;
  Shape q, k, v;
};

inline Tensors drawn(Score score, const Sizes& sizes, DType dtype = DType::f64) {
  Generator draw(7);
  Tensors x = {draw.normal(sizes.q, 0, 1, dtype), draw.normal(sizes.k, 0, 1, dtype),
               draw.normal(sizes.v, 0, 1, dtype)};
  if (score == Score::additive) x.push_back(draw.normal({sizes.q.at(-1)}, 0, 1, dtype));
  return x;
}

// The result, then the gradients of all operands and of the bias.
template <class Attend>
Tensors all(const Attend& call, Score score, const Tensors& from, AttentionOptions options,
            Tensor g = Tensor()) {
  Tensors x, leaves;
  for (const Tensor& operand : from) {
    x.push_back(operand.detach());
    leaves.push_back(x.back().set_requires_grad());
  }
  if (options.bias.defined()) {
    options.bias = options.bias.detach();
    leaves.push_back(options.bias.set_requires_grad());
  }
  const Tensor out = call(score, x, options);
  Generator draw(11);
  if (!g.defined()) g = Tensor(draw.normal(out.shape(), 0, 1, DType::f64).to(out.dtype()));
  Tensors results = {out.detach()};
  const Tensors gradients = grad({out}, leaves, {g});
  results.insert(results.end(), gradients.begin(), gradients.end());
  return results;
}

inline void expect_near(const Tensors& found, const Tensors& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_LE(relative_difference(found[i], expected[i]), tolerance) << "result " << i;
  }
}

inline void expect_same_bits(const Tensors& found, const Tensors& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(same_bits(found[i], expected[i])) << "result " << i;
  }
}

/// True where at() says so of the row-major place.
inline Tensor flags(const Shape& shape, bool (*at)(Index)) {
  Array out = Array::zeros(shape, DType::boolean);
  for (Index i = 0; i < out.numel(); ++i) out.mutable_data<bool>()[i] = at(i);
  return out;
}

/// Tests for either score.
class AttentionTest : public testing::TestWithParam<Score> {};

inline std::string name_of(const testing::TestParamInfo<Score>& entry) {
  return entry.param == Score::dot ? "dot" : "additive";
}

}  // namespace heed::attention_cases
