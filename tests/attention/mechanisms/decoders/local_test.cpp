#include "../../../../attention/mechanisms/decoders/local.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../attention/biases/alibi.h"
#include "../../../../attention/normalisers/monotonic.h"
#include "../../../../attention/normalisers/sigmoid.h"
#include "../../../../attention/positions/relative.h"
#include "../../../../attention/scores/additive.h"
#include "../../../../attention/scores/general.h"
#include "../../../../attention/scores/location.h"
#include "../../../../autograd/backward.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/gradcheck.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../../borrowed.h"
#include "../../numbers.h"
#include "../../query_keys_values.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kQ = 7, kK = 11, kE = 5, kV = 3;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Inputs : QueryKeysValues {
  Inputs() : QueryKeysValues(5, {kB, kQ, kE}, {kB, kK, kE}, {kB, kK, kV}) {}
};

// The definition, element by element, with dot products; positions [B, Q].
Attended reference(const Inputs& in, const std::vector<double>& positions,
                   const std::vector<Index>& lengths, Index D, bool gaussian) {
  const auto q = numbers(in.query), k = numbers(in.keys), v = numbers(in.values);
  std::vector<double> context(kB * kQ * kV, 0.0), weights(kB * kQ * kK, 0.0);
  for (Index row = 0; row < kB * kQ; ++row) {
    const Index b = row / kQ;
    const double p = at(positions, row);
    double total = 0;
    for (const bool last : {false, true}) {
      for (Index s = 0; s < lengths[static_cast<std::size_t>(b)]; ++s) {
        if (std::abs(static_cast<double>(s) - std::floor(p)) > static_cast<double>(D)) continue;
        double score = 0;
        for (Index e = 0; e < kE; ++e) {
          score += at(q, row * kE + e) * at(k, (b * kK + s) * kE + e) / std::sqrt(5.0);
        }
        if (!last) {
          total += std::exp(score);
          continue;
        }
        const double sigma = static_cast<double>(D) / 2, far = static_cast<double>(s) - p;
        const double weight =
            std::exp(score) / total * (gaussian ? std::exp(-far * far / (2 * sigma * sigma)) : 1.0);
        weights[static_cast<std::size_t>(row * kK + s)] = weight;
        for (Index e = 0; e < kV; ++e) {
          context[static_cast<std::size_t>(row * kV + e)] += weight * at(v, (b * kK + s) * kV + e);
        }
      }
    }
  }
  return {tensor(context, {kB, kQ, kV}, DType::f64), tensor(weights, {kB, kQ, kK}, DType::f64)};
}

void expect_equal(const Attended& have, const Attended& want) {
  EXPECT_THAT(numbers(have.context), near(want.context, 1e-10));
  EXPECT_THAT(numbers(have.weights), near(want.weights, 1e-10));
}

LocalOptions predictive(Index D) {
  return {.kind = LocalKind::predictive,
          .half_width = D,
          .query_width = kE,
          .hidden = 2,
          .dtype = DType::f64};
}

TEST(Local, MonotonicIsTheDefinition) {
  const Inputs in;
  for (const bool gaussian : {false, true}) {
    for (const Index D : {1, 3, 20}) {
      const Local local({.half_width = D, .gaussian = gaussian});
      std::vector<double> positions;
      for (Index i = 0; i < kB * kQ; ++i) positions.push_back(static_cast<double>(i % kQ + 2));
      // Row 1's last windows lie wholly beyond its end.
      expect_equal(local(in.query, in.keys, in.values, {kK, 4},
                         {.first = 2, .terms = {.need_weights = true}}),
                   reference(in, positions, {kK, 4}, D, gaussian));
      const Tensor places = rand({kB, kQ}, DType::f64) * 22.0 - 5.0;
      expect_equal(local(in.query, in.keys, in.values, {kK, 4},
                         {.positions = places, .terms = {.need_weights = true}}),
                   reference(in, numbers(places), {kK, 4}, D, gaussian));
    }
  }
}

TEST(Local, PredictiveIsTheDefinition) {
  const Inputs in;
  for (const Index D : {1, 4, 30}) {
    Local local(predictive(D));
    nn::normal_(local.position_vector, 0, 2);
    const auto w = numbers(local.position_projection->weight), v = numbers(local.position_vector);
    const auto q = numbers(in.query);
    const std::vector<Index> lengths = {kK, 6};
    std::vector<double> positions;
    for (Index row = 0; row < kB * kQ; ++row) {
      double sum = 0;
      for (Index h = 0; h < 2; ++h) {
        double unit = 0;
        for (Index e = 0; e < kE; ++e) unit += at(w, h * kE + e) * at(q, row * kE + e);
        sum += at(v, h) * std::tanh(unit);
      }
      positions.push_back(static_cast<double>(lengths[static_cast<std::size_t>(row / kQ)]) /
                          (1 + std::exp(-sum)));
    }
    expect_equal(local(in.query, in.keys, in.values, lengths, {.terms = {.need_weights = true}}),
                 reference(in, positions, lengths, D, true));
  }
}

TEST(Local, AWindowAsWideAsTheSentenceIsGlobal) {
  const Inputs in;
  General general(kE, kE, DType::f64);
  Additive additive(kE, kE, 4, true, DType::f64);
  ScaledDot scaled_dot;
  for (Score* score : std::vector<Score*>{&scaled_dot, &general, &additive}) {
    const Local local({.half_width = std::numeric_limits<Index>::max(), .score = borrowed(*score)});
    expect_equal(local(in.query, in.keys, in.values, {kK, 6}, {.terms = {.need_weights = true}}),
                 attend(*score, in.query, in.keys, in.values,
                        {.mask = Mask::lengths({kK, 6}, kK), .need_weights = true}));
  }
}

// A score's reach is of the source's places, not of those in a window.
TEST(Local, LooksAsFarAsItsScoreReaches) {
  const Inputs in;
  LocationBased few(kE, 3, DType::f64), many(kE, kK, DType::f64);
  many.weight.set_array(concat({few.weight, randn({kK - 3, kE}, DType::f64)}, 0).array());
  const Local near_by({.half_width = 2, .score = borrowed(few)});
  const Local far({.half_width = 2, .score = borrowed(many)});
  const LocalCall call{.terms = {.need_weights = true}};
  expect_equal(near_by(in.query, in.keys, in.values, {kK, 2}, call),
               far(in.query, in.keys, in.values, {3, 2}, call));
}

TEST(Local, StepByStepIsAllAtOnce) {
  const Inputs in;
  Additive additive(kE, kE, 4, true, DType::f64);
  LocalOptions options = predictive(2);
  options.score = borrowed(additive);
  for (const LocalOptions& each :
       {options, LocalOptions{.half_width = 2, .score = borrowed(additive)}}) {
    const Local local(each);
    const Tensor want = local(in.query, in.keys, in.values, {kK, 6}).context;
    const Memory source = local.prepare(in.keys, in.values, {kK, 6});
    for (Index t = 0; t < kQ; ++t) {
      const Tensor step = local.attend_to(narrow(in.query, 1, t, 1), source, {.first = t}).context;
      EXPECT_THAT(numbers(step), near(narrow(want, 1, t, 1)));
    }
  }
}

TEST(Local, GradientsReachGivenPositionsThroughTheGaussian) {
  const Inputs in;
  Local local({.half_width = 3, .gaussian = true});
  Tensor places = rand({kB, kQ}, DType::f64) * 9.0;
  const auto run = [&] {
    return local(in.query, in.keys, in.values, {kK, 6}, {.positions = places}).context;
  };
  const std::vector<NamedLeaf> leaves = {{"positions", places.set_requires_grad()}};
  const auto first = nn::gradcheck(local, run, {.step = 1e-4}, leaves);
  EXPECT_TRUE(first) << first.text();
  const auto second = nn::gradgradcheck(local, run, {.step = 1e-4}, leaves);
  EXPECT_TRUE(second) << second.text();
}

TEST(Local, APositionAtTheVeryEndSeesTheLastPlaces) {
  const Inputs in;
  Local local(predictive(1));
  // tanh is 1 in each unit where the query's first feature is large: the sigmoid is 1 exactly.
  nn::constant_(local.position_vector, 100);
  Array weight = Array::zeros(Shape{2, kE}, DType::f64);
  weight.mutable_data<double>()[0] = weight.mutable_data<double>()[kE] = 1;
  local.position_projection->weight.set_array(weight);
  const Tensor query = full({kB, kQ, kE}, 50, DType::f64);
  const Tensor weights =
      local(query, in.keys, in.values, {kK, 6}, {.terms = {.need_weights = true}}).weights;
  EXPECT_GT(amin(narrow(narrow(weights, 0, 0, 1), 2, kK - 2, 2)).item(), 0);
  EXPECT_GT(amin(narrow(narrow(weights, 0, 1, 1), 2, 4, 2)).item(), 0);
  EXPECT_EQ(sum(narrow(narrow(weights, 0, 1, 1), 2, 0, 4)).item(), 0);
}

// Key 8 stands in the windows of the queries 6 and on.
TEST(Local, WhatStandsOutsideTheWindowChangesNoBit) {
  const Inputs in;
  Additive additive(kE, kE, 4, true, DType::f64);
  for (const bool gaussian : {false, true}) {
    const Local local({.half_width = 2, .gaussian = gaussian, .score = borrowed(additive)});
    const auto run = [&](double there) {
      Array dirty_keys = in.keys.array().clone(), dirty_values = in.values.array().clone();
      dirty_keys.mutable_data<double>()[8 * kE + 1] = there;
      dirty_values.mutable_data<double>()[8 * kV + 1] = there;
      Tensor keys(dirty_keys), values(dirty_values);
      keys.set_requires_grad();
      values.set_requires_grad();
      additive.zero_grad();
      const Tensor context = local(in.query, keys, values).context;
      const Tensor seen = narrow(context, 1, 0, 6);
      sum(seen * seen).backward();
      std::vector<double> bits = numbers(seen);
      for (const Tensor& leaf : {keys, values, additive.query_projection.weight,
                                 additive.key_projection.weight, additive.score_vector}) {
        for (const double x : numbers(leaf.grad())) bits.push_back(x);
      }
      EXPECT_EQ(std::isnan(sum(select(context, 1, 6)).item()), std::isnan(there));
      return bits;
    };
    EXPECT_TRUE(run(kNaN) == run(0));
  }
}

TEST(Local, ParametersThatAreNoNumbersGiveNone) {
  const Inputs in;
  Local local(predictive(2));
  nn::constant_(local.position_vector, kNaN);
  for (const double x : numbers(local(in.query, in.keys, in.values, {kK, 6}).context)) {
    EXPECT_TRUE(std::isnan(x));
  }
}

// A window's weights under another normaliser, and dropped as those of all places would be.
TEST(Local, TakesTheTermsOfAWindow) {
  manual_seed(29);
  const Tensor query = randn({2, 5, 3}, DType::f64), keys = randn({2, 7, 3}, DType::f64);
  const Tensor values = randn({2, 7, 4}, DType::f64);
  const Local made({.half_width = 2, .dtype = DType::f64});
  const NormalisedSigmoid smooth;
  const Attended local =
      made(query, keys, values, {}, {.terms = {.normaliser = &smooth, .need_weights = true}});
  const Mask window = Mask::window(2, 2);
  const Attended whole =
      attend(narrow(query, 1, 0, 5), narrow(keys, 1, 0, 5), narrow(values, 1, 0, 5),
             {.normaliser = &smooth, .mask = window, .need_weights = true});
  // The first three queries do not reach beyond the fifth place.
  expect_equal({narrow(local.context, 1, 0, 3), narrow(narrow(local.weights, 1, 0, 3), 2, 0, 5)},
               {narrow(whole.context, 1, 0, 3), narrow(whole.weights, 1, 0, 3)});
  Generator draws(5);
  const Attended none =
      made(query, keys, values, {}, {.terms = {.dropout = 1, .generator = &draws}});
  EXPECT_EQ(sum(abs(none.context)).item(), 0);

  const Alibi slopes(1, DType::f64);
  const RelativePositions relative({.key_width = 3});
  const Monotonic monotonic;
  const std::vector<std::pair<Terms, const char*>> refused = {
      {{.mask = Mask::causal()}, "mask"},
      {{.bias = zeros({5, 7}, DType::f64)}, "bias"},
      {{.offset_bias = zeros({11}, DType::f64)}, "offset_bias"},
      {{.position_bias = &slopes}, "position_bias"},
      {{.relative = &relative}, "relative positions"},
      {{.map = score_map([](auto s, auto) { return s; })}, "score map"},
      {{.sinks = zeros({}, DType::f64)}, "sinks"},
      {{.need_statistics = true}, "statistics"},
      {{.need_log_sums = true}, "log_sums"},
      {{.normaliser = &monotonic}, "normaliser that goes on"}};
  for (const auto& [terms, what] : refused) {
    EXPECT_ERROR_WITH(ValueError, std::string("local: takes no ") + what,
                      made(query, keys, values, {}, {.terms = terms}));
  }
}

TEST(Local, RefusesWhatDoesNotFit) {
  const auto refuses = [](const LocalOptions& options, const char* text) {
    EXPECT_ERROR_WITH(ValueError, text, Local local(options));
  };
  refuses({.half_width = -1}, "local: half_width -1 must not be negative");
  refuses({.half_width = 0, .gaussian = true}, "local: half_width 0 must be positive: sigma is");
  refuses({.kind = LocalKind::predictive}, "local: predictive places need a positive query_width");
  LocationAware back({.query_width = 5, .key_width = 5, .hidden = 3, .kernel = 3});
  refuses({.score = borrowed(back)}, "local: a score that looks back");

  const Inputs in;
  const Local local(LocalOptions{.half_width = 2}), predicts(predictive(2));
  const auto call = [&](const Tensor& query, const Tensor& keys, const Tensor& values,
                        const std::vector<Index>& lengths, const LocalCall& more = {}) {
    return [=, &local] { local(query, keys, values, lengths, more); };
  };
  EXPECT_ERROR_WITH(ShapeError, "length 12 of row 1 is not in [0, 11]",
                    call(in.query, in.keys, in.values, {kK, 12})());
  EXPECT_ERROR_WITH(ShapeError, "length -1 of row 1",
                    call(in.query, in.keys, in.values, {kK, -1})());
  EXPECT_ERROR_WITH(ShapeError, "local: 1 lengths for 2 rows of keys",
                    call(in.query, in.keys, in.values, {kK})());
  EXPECT_ERROR_WITH(ShapeError, "local: 1 rows of queries and 2 of keys",
                    call(narrow(in.query, 0, 0, 1), in.keys, in.values, {})());
  EXPECT_ERROR_WITH(ShapeError, "differ in rows or places",
                    call(in.query, in.keys, narrow(in.values, 1, 0, 5), {})());
  EXPECT_ERROR_WITH(ShapeError, "query must be [B, n, width], not f64[2, 5]",
                    call(select(in.query, 1, 0), in.keys, in.values, {})());
  EXPECT_ERROR_WITH(DTypeError, "query and values differ in dtype",
                    call(zeros({kB, kQ, kE}), in.keys, in.values, {})());
  EXPECT_ERROR_WITH(ShapeError, "keys must be [.., n, 5]",
                    call(in.query, in.values, in.values, {})());
  EXPECT_ERROR_WITH(GradError, "local: query is undefined",
                    call(Tensor(), in.keys, in.values, {})());
  EXPECT_ERROR_WITH(
      ShapeError, "positions must be f64[2, 7], not f64[2]",
      call(in.query, in.keys, in.values, {}, {.positions = zeros({kB}, DType::f64)})());
  EXPECT_ERROR_WITH(
      ValueError, "local: position nan is not finite",
      call(in.query, in.keys, in.values, {}, {.positions = full({kB, kQ}, kNaN, DType::f64)})());
  EXPECT_ERROR_WITH(
      ValueError, "this one predicts its own",
      predicts(in.query, in.keys, in.values, {}, {.positions = zeros({kB, kQ}, DType::f64)}));
  EXPECT_ERROR_WITH(ShapeError, "local: query must be [.., n, 5]",
                    predicts(zeros({kB, kQ, 4}, DType::f64), in.keys, in.values));
}

}  // namespace
}  // namespace heed::attention
