#include "../../../../attention/mechanisms/memory/key_value_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/gradcheck.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kQ = 3, kK = 5, kD = 7, kE = 4, kC = 6, kHops = 2;
const std::vector<Index> kLengths = {kK, 3};

// W [out, in] times row r of x.
Numbers times(const Numbers& w, const Numbers& x, Index r, Index in) {
  Numbers out(w.size() / static_cast<std::size_t>(in), 0.0);
  for (std::size_t o = 0; o < out.size(); ++o) {
    for (Index i = 0; i < in; ++i)
      out[o] += at(w, static_cast<Index>(o) * in + i) * at(x, r * in + i);
  }
  return out;
}

TEST(KeyValueMemory, IsTheDefinition) {
  manual_seed(3);
  KeyValueMemory memory({.features = kD, .width = kE, .hops = kHops, .dtype = DType::f64});
  const Tensor query = randn({kB, kQ, kD}, DType::f64), keys = randn({kB, kK, kD}, DType::f64);
  const Tensor values = randn({kB, kK, kD}, DType::f64), y = randn({kC, kD}, DType::f64);
  const Numbers x = numbers(query), k = numbers(keys), v = numbers(values);
  const Numbers a = numbers(memory.embedding.weight), b = numbers(memory.answers.weight);
  Numbers queries, scores;
  std::vector<Numbers> weights(kHops);
  for (Index n = 0; n < kB; ++n) {
    for (Index i = 0; i < kQ; ++i) {
      Numbers q = times(a, x, n * kQ + i, kD);
      for (Index hop = 0; hop < kHops; ++hop) {
        Numbers p(kK, 0.0), sum = q;
        double total = 0;
        for (Index j = 0; j < kLengths[static_cast<std::size_t>(n)]; ++j) {
          const Numbers key = times(a, k, n * kK + j, kD);
          double score = 0;
          for (Index e = 0; e < kE; ++e) score += at(q, e) * at(key, e);
          at(p, j) = std::exp(score);
          total += at(p, j);
        }
        for (Index j = 0; j < kK; ++j) {
          at(p, j) /= total;
          const Numbers value = times(a, v, n * kK + j, kD);
          for (Index e = 0; e < kE; ++e) at(sum, e) += at(p, j) * at(value, e);
        }
        q = times(numbers(memory.turns[static_cast<std::size_t>(hop)].weight), sum, 0, kE);
        auto& seen = weights[static_cast<std::size_t>(hop)];
        seen.insert(seen.end(), p.begin(), p.end());
      }
      queries.insert(queries.end(), q.begin(), q.end());
      for (Index c = 0; c < kC; ++c) {
        const Numbers answer = times(b, numbers(y), c, kD);
        double score = 0;
        for (Index e = 0; e < kE; ++e) score += at(q, e) * at(answer, e);
        scores.push_back(score);
      }
    }
  }
  const Mask mask = Mask::lengths(kLengths, kK);
  const KeyValueMemoryOutput read = memory(query, keys, values, mask, true);
  EXPECT_THAT(numbers(read.query), near(queries, 1e-10));
  ASSERT_EQ(read.weights.size(), static_cast<std::size_t>(kHops));
  for (std::size_t hop = 0; hop < kHops; ++hop) {
    EXPECT_THAT(numbers(read.weights[hop]), near(weights[hop], 1e-10));
  }
  EXPECT_THAT(numbers(memory.scores(read.query, y)), near(scores, 1e-10));
  EXPECT_TRUE(memory(query, keys, values, mask).weights.empty());

  const auto answer = [&] { return memory.scores(memory(query, keys, values, mask).query, y); };
  const auto first = nn::gradcheck(memory, answer);
  EXPECT_TRUE(first) << first.text();
  const auto second = nn::gradgradcheck(memory, answer, {.step = 1e-4});
  EXPECT_TRUE(second) << second.text();
}

TEST(KeyValueMemory, SaysWhatIsWrong) {
  EXPECT_ERROR(ValueError, "KeyValueMemory: features 3, width 2 and hops 0 must be positive",
               KeyValueMemory({.features = 3, .width = 2, .hops = 0}));
  const KeyValueMemory memory({.features = kD, .width = kE});
  const Tensor query = zeros({kB, kQ, kD}), slots = zeros({kB, kK, kD});
  EXPECT_ERROR(ShapeError, "KeyValueMemory: 2 rows of queries and 3 of values",
               memory(query, slots, zeros({3, kK, kD})));
  EXPECT_ERROR_WITH(ShapeError, "KeyValueMemory: attend: keys must be",
                    memory(query, slots, zeros({kB, kK + 1, kD})));
  EXPECT_ERROR_WITH(GradError, "KeyValueMemory: keys is undefined", memory(query, Tensor(), slots));
  EXPECT_ERROR(ShapeError,
               "KeyValueMemory: candidates must be [C, D] or [2, C, D], not f32[3, 6, 7]",
               memory.scores(zeros({kB, kQ, kE}), zeros({3, kC, kD})));
  EXPECT_ERROR_WITH(ShapeError, "KeyValueMemory: query must be",
                    memory.scores(zeros({kB, kQ, kD}), zeros({kC, kD})));
}

}  // namespace
}  // namespace heed::attention
