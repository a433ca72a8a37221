#include "../../attention/attend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../attention/normalisers/sparse.h"
#include "../../attention/scores/additive.h"
#include "../../attention/scores/feature_wise.h"
#include "../../attention/scores/general.h"
#include "../../attention/scores/location.h"
#include "../../autograd/backward.h"
#include "../../autograd/ops/attention/attention.h"
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

using testing::Each;
using testing::IsNan;

constexpr Index kB = 2, kH = 5, kQ = 3, kK = 7, kD = 11, kDv = 13;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const ScaledDot plain_score;

struct Inputs : QueryKeysValues {
  Inputs() : QueryKeysValues(8, {kB, kH, kQ, kD}, {kB, kH, kK, kD}, {kB, kH, kK, kDv}) {}
};

TEST(Attend, IsScaledDotProductAttention) {
  const Inputs in;
  const Attended out = attend(in.query, in.keys, in.values, {.need_weights = true});
  ASSERT_EQ(out.context.shape(), (Shape{kB, kH, kQ, kDv}));
  ASSERT_EQ(out.weights.shape(), (Shape{kB, kH, kQ, kK}));
  const auto row = [](const Tensor& x, Index b, Index h, Index i) {
    return numbers(select(select(select(x, 0, b), 0, h), 0, i));
  };
  for (Index b = 0; b < kB; ++b) {
    for (Index h = 0; h < kH; ++h) {
      for (Index i = 0; i < kQ; ++i) {
        const Numbers q = row(in.query, b, h, i);
        Numbers weights, context(kDv, 0.0);
        double total = 0;
        for (Index j = 0; j < kK; ++j) {
          const Numbers k = row(in.keys, b, h, j);
          double e = 0;
          for (std::size_t d = 0; d < kD; ++d) e += q[d] * k[d];
          weights.push_back(std::exp(e / std::sqrt(11.0)));
          total += weights.back();
        }
        for (Index j = 0; j < kK; ++j) {
          const Numbers v = row(in.values, b, h, j);
          weights[static_cast<std::size_t>(j)] /= total;
          for (std::size_t d = 0; d < kDv; ++d) {
            context[d] += weights[static_cast<std::size_t>(j)] * v[d];
          }
        }
        EXPECT_THAT(row(out.weights, b, h, i), near(weights));
        EXPECT_THAT(row(out.context, b, h, i), near(context));
      }
    }
  }
}

// The same in tiles, with everything that the kernels take.
TEST(Attend, TilesEqualThePlainForm) {
  Inputs in;
  for (Tensor* leaf : {&in.query, &in.keys, &in.values}) leaf->set_requires_grad();
  const General general(kD, kD, DType::f64);
  const Additive additive(kD, kD, 3, true, DType::f64);
  const LocationBased location(kD, kK, DType::f64);
  const ScaledDot scaled(0.7);
  Array real = Array::full({kB, kK}, 1, DType::boolean);
  real.mutable_data<bool>()[3] = false;
  const std::vector<Mask> masks = {Mask(),
                                   Mask::causal(),
                                   Mask::window(1, 2),
                                   Mask::lengths({4, 0}, kK),
                                   Mask::lengths({5}, kK),
                                   Mask::key_padding(real),
                                   Mask::block(3) & Mask::block(5),
                                   Mask::block(3) & Mask::lengths({2, 7}, kK) & Mask::causal()};
  Tensor bias = randn({kH, 1, kK}, DType::f64);
  bias.set_requires_grad();
  Tensor offset_bias = randn({kH, kQ + kK - 1}, DType::f64);
  offset_bias.set_requires_grad();
  for (const Score* score :
       std::initializer_list<const Score*>{&plain_score, &scaled, &general, &additive, &location}) {
    for (const Mask& mask : masks) {
      Terms options{.mask = mask, .bias = bias, .offset_bias = offset_bias};
      const auto run = [&](bool need_weights) {
        options.need_weights = need_weights;
        const Tensor context = attend(*score, in.query, in.keys, in.values, options).context;
        Generator generator(3);
        const Tensor g(generator.normal(context.shape(), 0, 1, DType::f64));
        std::vector<Tensor> out = {context};
        for (const Tensor& gradient :
             grad({sum(context * g)}, {in.query, in.values, bias, offset_bias})) {
          out.push_back(gradient);
        }
        return out;
      };
      const auto tiled = run(false), plain = run(true);
      for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_THAT(numbers(tiled[i]), near(plain[i]));
    }
  }
}

// One example without a batch: lengths of one.
// Their sum overflows, their mean does not.
TEST(Attend, TakesTheMeanOfValuesNearTheLargestNumber) {
  manual_seed(23);
  for (const DType dtype : {DType::f32, DType::f64}) {
    const double most = dtype == DType::f32 ? 3e38 : 1.7e308;
    const Tensor query = rand({kQ, kD}, dtype), keys = rand({701, kD}, dtype);
    const Tensor values = rand({701, kDv}, dtype);
    const Tensor wanted = to(attend(query, keys, values).context, DType::f64);
    for (const bool weights : {false, true}) {
      const Tensor found = attend(query, keys, values * most, {.need_weights = weights}).context;
      EXPECT_THAT(numbers(to(found / most, DType::f64)),
                  near(wanted, dtype == DType::f32 ? 1e-6 : 1e-14))
          << name(dtype) << " " << weights;
    }
  }
}

TEST(Attend, TakesMatricesWithoutABatch) {
  const Inputs in;
  const auto one = [](const Tensor& x) { return select(select(x, 0, 1), 0, 2); };
  const Tensor out = attend(one(in.query), one(in.keys), one(in.values),
                            {.mask = Mask::causal() & Mask::lengths({6}, kK)})
                         .context;
  const Tensor all =
      attend(in.query, in.keys, in.values, {.mask = Mask::causal() & Mask::lengths({6, 6}, kK)})
          .context;
  EXPECT_THAT(numbers(out), near(one(all)));
}

TEST(Attend, FeaturesHaveWeightsOfTheirOwn) {
  const Inputs in;
  const FeatureWise score(kD, kD, 3, kDv, DType::f64);
  const Attended out = attend(score, in.query, in.keys, in.values, {.need_weights = true});
  ASSERT_EQ(out.weights.shape(), (Shape{kB, kH, kQ, kK, kDv}));
  for (Index d = 0; d < kDv; ++d) {
    const Tensor context =
        matmul(select(out.weights, -1, d), unsqueeze(select(in.values, -1, d), -1));
    EXPECT_THAT(numbers(select(out.context, -1, d)), near(squeeze(context, -1)));
  }
}

TEST(Attend, DropsWeightsOfWhichItReturnsAll) {
  const Inputs in;
  Generator generator(5), again(5);
  const Attended out = attend(in.query, in.keys, in.values,
                              {.dropout = 0.4, .generator = &generator, .need_weights = true});
  EXPECT_THAT(numbers(sum(out.weights, {-1})), Each(testing::DoubleNear(1, 1e-12)));
  EXPECT_THAT(numbers(out.context),
              near(matmul(attention_dropout(out.weights, 0.4, &again), in.values)));
  EXPECT_EQ(numbers(attend(in.query, in.keys, in.values, {.dropout = 1}).context),
            Numbers(kB * kH * kQ * kDv, 0.0));
}

TEST(Attend, DropsWeightsOfEachFeatureByItself) {
  const Inputs in;
  const FeatureWise score(kD, kD, 3, kDv, DType::f64);
  Generator generator(5), again(5);
  const Attended out = attend(score, in.query, in.keys, in.values,
                              {.dropout = 0.4, .generator = &generator, .need_weights = true});
  EXPECT_THAT(numbers(sum(out.weights, {-2})), Each(testing::DoubleNear(1, 1e-12)));
  const Tensor kept = dropout(out.weights, 0.4, again);
  EXPECT_THAT(numbers(out.context), near(sum(kept * unsqueeze(in.values, 2), {-2})));
  EXPECT_EQ(numbers(attend(score, in.query, in.keys, in.values, {.dropout = 1}).context),
            Numbers(kB * kH * kQ * kDv, 0.0));
}

// A query that may see what is no number gets none; the others never know.
TEST(Attend, NotANumberReachesThoseWhoMaySeeIt) {
  for (const bool need_weights : {false, true}) {
    const Inputs in;
    const auto spoil = [](const Tensor& x, Index row) {
      Array array = x.array().clone();
      for (Index i = 0; i < kB * kH; ++i) {
        array.mutable_data<double>()[(i * x.size(2) + row) * x.size(3)] = kNaN;
      }
      return Tensor(array);
    };
    const Terms options{.mask = Mask::causal(), .need_weights = need_weights};
    const Attended clean = attend(in.query, in.keys, in.values, options);
    const Index last = kK - 1;  // the last query's alone
    const Attended by_key = attend(in.query, spoil(in.keys, last), in.values, options);
    const auto first = [](const Tensor& x) { return narrow(x, 2, 0, kQ - 1); };
    EXPECT_EQ(numbers(first(by_key.context)), numbers(first(clean.context)));
    EXPECT_THAT(numbers(select(by_key.context, 2, kQ - 1)), Each(IsNan()));
    if (need_weights) {
      EXPECT_EQ(numbers(first(by_key.weights)), numbers(first(clean.weights)));
      EXPECT_THAT(numbers(select(by_key.weights, 2, kQ - 1)), Each(IsNan()));
    }
    const Attended by_value = attend(in.query, in.keys, spoil(in.values, last), options);
    EXPECT_EQ(numbers(first(by_value.context)), numbers(first(clean.context)));
    EXPECT_THAT(numbers(select(select(by_value.context, 2, kQ - 1), 2, 0)), Each(IsNan()));
    EXPECT_EQ(numbers(narrow(by_value.context, 3, 1, kDv - 1)),
              numbers(narrow(clean.context, 3, 1, kDv - 1)));
    const Attended by_query = attend(spoil(in.query, 1), in.keys, in.values, options);
    EXPECT_THAT(numbers(select(by_query.context, 2, 1)), Each(IsNan()));
    EXPECT_EQ(numbers(select(by_query.context, 2, 0)), numbers(select(clean.context, 2, 0)));
    // And a query that may see nothing is nothing, whatever it was.
    const Mask none = Mask::lengths({0, 0}, kK);
    const Attended empty = attend(spoil(in.query, 1), spoil(in.keys, 0), spoil(in.values, 4),
                                  {.mask = none, .need_weights = need_weights});
    EXPECT_EQ(sum(abs(empty.context)).item(), 0);
  }
}

TEST(Attend, StatisticsSeeTheWeightsThatWereNotMade) {
  const Inputs in;
  const Additive additive(kD, kD, 3, false, DType::f64);
  const Sparsemax sparsemax;
  const Mask mask = Mask::causal() & Mask::lengths({0, 6}, kK);
  const Tensor rows(Array::from<std::int64_t>({2, 0}));
  for (const Score* score : std::initializer_list<const Score*>{&plain_score, &additive}) {
    for (const Normaliser* normaliser :
         std::initializer_list<const Normaliser*>{nullptr, &sparsemax}) {
      Terms options{.normaliser = normaliser, .mask = mask, .need_statistics = true};
      const Attended out = attend(*score, in.query, in.keys, in.values, options);
      EXPECT_FALSE(out.weights.defined());
      options.need_weights = true;
      const Tensor weights = attend(*score, in.query, in.keys, in.values, options).weights;
      EXPECT_THAT(numbers(out.statistics.rows(rows)), near(index_select(weights, 2, rows)));
      EXPECT_THAT(numbers(out.statistics.received()), near(sum(weights, {2})));
      const Tensor logs = log(where(weights > 0, weights, 1));
      EXPECT_THAT(numbers(out.statistics.entropies()), near(-sum(weights * logs, {-1})));
    }
  }
  EXPECT_ERROR_WITH(GradError, "Terms::need_statistics was not set",
                    attend(in.query, in.keys, in.values).statistics.received());
  const Attended out = attend(in.query, in.keys, in.values, {.need_statistics = true});
  EXPECT_ERROR_WITH(IndexError, "3", out.statistics.rows(Tensor(Array::from<std::int64_t>({kQ}))));
}

// 2,048 queries and keys: one block of them would be 16 MB.
TEST(Attend, MakesNoBlockOfQueriesByKeys) {
  constexpr Index kLong = 2048, kReal = 2000;
  Array array = Array::zeros({1, kLong, kD}, DType::f32);
  std::fill_n(array.mutable_data<float>() + kReal * kD, (kLong - kReal) * kD,
              std::numeric_limits<float>::quiet_NaN());
  Tensor padded(array);
  padded.set_requires_grad();
  const General general(kD, kD);
  const Additive additive(kD, kD, 3);
  const Tensor rows(Array::from<std::int64_t>({0, kReal - 1}));
  release_cached_memory();
  set_memory_limit(memory_stats().reserved_bytes + (8 << 20));
  for (const Score* score :
       std::initializer_list<const Score*>{&plain_score, &general, &additive}) {
    for (const Mask& mask :
         {Mask::lengths({kReal}, kLong), Mask::causal(), Mask::block(96) & Mask::causal()}) {
      const Tensor query = narrow(padded, 1, 0, kReal);
      const Tensor keys = mask.has_lengths() ? padded : query;
      Tensor offset_bias = zeros({1, query.size(1) + keys.size(1) - 1});
      offset_bias.set_requires_grad();
      const Attended out =
          attend(*score, query, keys, keys,
                 {.mask = mask, .offset_bias = offset_bias, .need_statistics = true});
      sum(square(out.context)).backward();
      EXPECT_EQ(offset_bias.grad().shape(), offset_bias.shape());
      EXPECT_NEAR(sum(out.statistics.received()).item(), kReal, 1);
      EXPECT_EQ(out.statistics.rows(rows).size(1), 2);
    }
  }
  set_memory_limit(0);
  EXPECT_TRUE(std::isfinite(sum(abs(padded.grad())).item()));
}

TEST(Attend, RefusesWhatDoesNotFit) {
  const Tensor q = zeros({kB, kQ, kD}), k = zeros({kB, kK, kD}), v = zeros({kB, kK, kDv});
  EXPECT_ERROR_WITH(ShapeError, "scaled_dot: keys must be [.., n, 11], not f32[2, 7, 13]",
                    attend(q, zeros({kB, kK, kDv}), v));
  EXPECT_ERROR_WITH(ShapeError,
                    "attend: keys must be [.., K, dk] and values [.., K, dv], not f32[2, 7, 11] "
                    "and f32[2, 3, 13]",
                    attend(q, k, zeros({kB, kQ, kDv})));
  EXPECT_ERROR_WITH(ShapeError, "attend", attend(q, k, zeros({5, kK, kDv})));
  EXPECT_ERROR_WITH(ShapeError, "attend", attend(zeros({5, kQ, kD}), k, v));
  EXPECT_ERROR_WITH(ShapeError, "attend: query must be [.., Q, dq]", attend(zeros({kD}), k, v));
  EXPECT_ERROR_WITH(GradError, "attend: query is undefined", attend(Tensor(), k, v));
  EXPECT_ERROR_WITH(GradError, "attend: values is undefined", attend(q, k, Tensor()));
  EXPECT_ERROR_WITH(DTypeError, "attend: keys and values differ in dtype",
                    attend(q, k, to(v, DType::f64)));
  EXPECT_ERROR_WITH(DTypeError, "attend: query and keys differ in dtype",
                    attend(to(q, DType::f64), k, v));
  EXPECT_ERROR_WITH(ShapeError, "lengths of [3, 7] do not fit scores [2, 3, 7]",
                    attend(q, k, v, {.mask = Mask::lengths({1, 2, 3}, kK)}));
  EXPECT_ERROR_WITH(ShapeError, "mask bool[3, 3] does not broadcast to scores",
                    attend(q, k, v, {.mask = Mask(Array::full({kQ, kQ}, 1, DType::boolean))}));
  EXPECT_ERROR_WITH(DTypeError, "mask: Mask takes bool (true: may attend)",
                    attend(q, k, v, {.mask = Mask(zeros({kQ, kK}))}));
  EXPECT_ERROR_WITH(ShapeError, "attend: bias f32[7, 3] does not broadcast to scores [2, 3, 7]",
                    attend(q, k, v, {.bias = zeros({kK, kQ})}));
  EXPECT_ERROR_WITH(DTypeError, "attend: sinks must be f32, not f64[2]",
                    attend(q, k, v, {.sinks = zeros({kB}, DType::f64)}));
  EXPECT_ERROR_WITH(DTypeError, "attend: bias must be f32, not f64[3, 7]",
                    attend(q, k, v, {.bias = zeros({kQ, kK}, DType::f64)}));
  EXPECT_ERROR_WITH(ShapeError,
                    "attend: offset_bias must be [.., 9] for scores [2, 3, 7], not f32[10]",
                    attend(q, k, v, {.offset_bias = zeros({kQ + kK})}));
  EXPECT_ERROR_WITH(ShapeError,
                    "attend: offset_bias f32[5, 9] does not broadcast to scores [2, 3, 7]",
                    attend(q, k, v, {.offset_bias = zeros({5, kQ + kK - 1})}));
  EXPECT_ERROR_WITH(ValueError, "attend: dropout 1.5 is not in [0, 1]",
                    attend(q, k, v, {.dropout = 1.5}));
  EXPECT_ERROR_WITH(ShapeError, "a step's query must be [.., dq]", Memory(k, v).step(tensor(1.0)));
  EXPECT_ERROR_WITH(ShapeError,
                    "memory: places f32[2, 3] of keys f32[2, 7, 11] must be i64 [2, ..]",
                    Memory(k, v).places(zeros({2, 3})));
  EXPECT_ERROR_WITH(IndexError, "memory: place 7 is out of range [0, 7)",
                    Memory(k, v).places(Tensor(Array::full({2, 3}, kK, DType::i64))));
  const FeatureWise score(kD, kD, 3, kDv + 1);
  EXPECT_ERROR_WITH(ShapeError, "attend: 14 features have scores, values are f32[2, 7, 13]",
                    attend(score, q, k, v));
  EXPECT_ERROR_WITH(DTypeError, "attend", attend(q, Tensor(Array::zeros({2, 3}, DType::i64)), v));
}

}  // namespace
}  // namespace heed::attention
