#include "../../attention/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "../../attention/attend.h"
#include "../../attention/normalisers/sparse.h"
#include "../../attention/scores/additive.h"
#include "../../attention/scores/feature_wise.h"
#include "../../attention/scores/general.h"
#include "../../attention/scores/location.h"
#include "../../autograd/backward.h"
#include "../../autograd/ops/elementwise/dropout.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/allocator.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"
#include "numbers.h"
#include "query_keys_values.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kH = 5, kQ = 3, kK = 7, kD = 11, kDv = 13;

struct Inputs : QueryKeysValues {
  Inputs() : QueryKeysValues(8, {kB, kH, kQ, kD}, {kB, kH, kK, kD}, {kB, kH, kK, kDv}) {}
};

class CountingScore : public Dot {
 public:
  Tensor prepare(const Tensor& keys) const override {
    ++prepared;
    return keys * 2;
  }
  bool prepares() const override { return true; }
  mutable int prepared = 0;
};

TEST(Memory, PreparesItsKeysOnce) {
  const Inputs in;
  const CountingScore score;
  const Dot dot;
  const Memory memory(score, in.keys, in.values, Mask::lengths({6, 2}, kK));
  const Attended whole =
      attend(dot, in.query, in.keys * 2, in.values, {.mask = Mask::lengths({6, 2}, kK)});
  for (Index i = 0; i < kQ; ++i) {
    const Attended step = memory.step(select(in.query, 2, i));
    EXPECT_THAT(numbers(step.context), near(select(whole.context, 2, i)));
    EXPECT_FALSE(step.weights.defined());
  }
  EXPECT_THAT(numbers(memory.attend(in.query).context), near(whole.context));
  EXPECT_EQ(score.prepared, 1);
}

TEST(Memory, AddsTheBiasOfAStep) {
  const Inputs in;
  const Tensor all = randn({kK}, DType::f64), own = randn({kB, kH, kK}, DType::f64);
  const Memory memory(in.keys, in.values);
  const Attended step = memory.step(select(in.query, 2, 0), {.bias = all + own});
  const Attended whole =
      attend(narrow(in.query, 2, 0, 1), in.keys, in.values, {.bias = all + unsqueeze(own, 2)});
  EXPECT_THAT(numbers(step.context), near(whole.context));
}

// Places 4 and 1 of each row, of which a score with a reach of 3 sees the second alone.
TEST(Memory, PlacesBeyondTheReachStayHidden) {
  const Inputs in;
  LocationBased score(kD, 3, DType::f64);
  const auto head = [](const Tensor& x) { return select(x, 1, 0); };
  const Memory memory(score, head(in.keys), head(in.values));
  const Memory near_by = memory.places(indices({4, 1, 4, 1}, {kB, 2}));
  const Attended seen = near_by.step(select(head(in.query), 1, 0), {.need_weights = true});
  EXPECT_EQ(numbers(seen.weights), (Numbers{0, 1, 0, 1}));
  EXPECT_THAT(numbers(seen.context), near(select(head(in.values), 1, 1)));
  const Attended last = memory.places(indices({2, 2}, {kB, 1})).attend(head(in.query));
  EXPECT_THAT(numbers(select(last.context, 1, 0)), near(select(head(in.values), 1, 2)));
}

// Also where the step after has no mask.
TEST(Memory, StepsGoOnFromOneThatWasNoNumber) {
  const Inputs in;
  const LocationAware score({.query_width = kD,
                             .key_width = kD,
                             .hidden = 3,
                             .filters = 2,
                             .kernel = 3,
                             .dtype = DType::f64});
  const Memory memory(score, select(in.keys, 1, 0), select(in.values, 1, 0));
  const Tensor query = select(select(in.query, 1, 0), 1, 0);
  const Tensor bad = where(unsqueeze(arange(kB) == 0, 1), NAN, query);
  Past past;
  memory.step(bad, past, {.mask = Mask::lengths({5, 5}, kK)});
  const Tensor after = memory.step(query, past).context;
  for (const double each : numbers(select(after, 0, 0))) EXPECT_TRUE(std::isnan(each));
  for (const double each : numbers(select(after, 0, 1))) EXPECT_TRUE(std::isfinite(each));
}

// Laid out once, places are of the keys and values that the memory has now.
TEST(Memory, PlacesAreThoseOfWhatItHolds) {
  const Inputs in;
  const auto head = [](const Tensor& x) { return select(x, 1, 0); };
  Memory memory(head(in.keys), head(in.values));
  memory.lay_out_places();
  const Tensor index = indices({4, 1, 0, 6}, {kB, 2});
  const auto expect = [&](const Memory& of, const Tensor& at) {
    const Memory found = of.places(at);
    for (Index b = 0; b < at.size(0); ++b) {
      const Tensor row = select(at, 0, b);
      EXPECT_EQ(numbers(select(found.keys(), 0, b)),
                numbers(index_select(select(of.keys(), 0, b), 0, row)));
      EXPECT_EQ(numbers(select(found.values(), 0, b)),
                numbers(index_select(select(of.values(), 0, b), 0, row)));
    }
  };
  expect(memory, index);
  expect(memory.with(head(in.keys) * 3, head(in.values) - 1), index);
  expect(memory.weighted(unsqueeze(arange(kK, DType::f64), 1)), index);
  EXPECT_EQ(numbers(memory.weighted(tensor(2.0, DType::f64)).values()),
            numbers(memory.values() * 2));
  expect(memory.rows(indices({1, 0}, {2})), index);
  expect(memory.rows(indices({1}, {1})), indices({3, 5}, {1, 2}));
  const Memory none = memory.rows(indices({}, {0})).places(indices({}, {0, 2}));
  EXPECT_EQ(none.keys().shape(), (Shape{0, 2, kD}));
  EXPECT_ERROR(IndexError, "memory: place 7 is out of range [0, 7)",
               memory.places(indices({0, 7}, {kB, 1})));
  EXPECT_ERROR(IndexError, "memory: place -1 is out of range [0, 7)",
               memory.places(indices({0, -1}, {kB, 1})));
}

TEST(Memory, TakesOnlyKeysAndValuesOfOneSequence) {
  const Memory memory(zeros({2, 5, 3}), zeros({2, 5, 3}));
  const std::string text =
      "attend: keys must be [.., K, dk] and values [.., K, dv], not f32[2, 5, 3] and f32[2, 7, 3]";
  EXPECT_ERROR(ShapeError, text, Memory(zeros({2, 5, 3}), zeros({2, 7, 3})));
  EXPECT_ERROR(ShapeError, text, memory.with(zeros({2, 5, 3}), zeros({2, 7, 3})));
  EXPECT_ERROR(DTypeError, "attend: keys and values differ in dtype: f32[2, 5, 3] and f64[2, 5, 3]",
               memory.with(zeros({2, 5, 3}), zeros({2, 5, 3}, DType::f64)));
  EXPECT_ERROR(DTypeError, "attend: takes f32 or f64, not i64",
               memory.with(indices({1, 2}, {1, 2}), indices({1, 2}, {1, 2})));
  EXPECT_ERROR(ShapeError, "memory: places i64[3, 1] of keys f32[2, 5, 3] must be i64 [2, ..]",
               memory.places(indices({1, 2, 3}, {3, 1})));
  EXPECT_ERROR(ShapeError, "memory: places i64[] of keys f32[2, 5, 3] must be i64 [2, ..]",
               memory.places(tensor(Index{1})));
  EXPECT_ERROR(ShapeError, "memory: places f32[2, 1] of keys f32[2, 5, 3] must be i64 [2, ..]",
               memory.places(zeros({2, 1})));
}

// Of no key at all.
class Blind : public Dot {
 public:
  Index reach() const override { return 0; }
};

TEST(Memory, AScoreThatReachesNoKeySeesNone) {
  const Inputs in;
  const Blind blind;
  for (const bool need_weights : {false, true}) {
    const Attended seen =
        attend(blind, in.query, in.keys, in.values, {.need_weights = need_weights});
    EXPECT_EQ(sum(abs(seen.context)).item(), 0);
  }
}

TEST(Memory, OfNothingSaysSo) {
  EXPECT_ERROR(GradError, "attend: a memory of nothing", Memory().attend(zeros({2, 3})));
}

}  // namespace
}  // namespace heed::attention
