#include "../../../../attention/mechanisms/decoders/location_aware_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "../../../../attention/mechanisms/decoders/coverage.h"
#include "../../../../attention/normalisers/monotonic.h"
#include "../../../../attention/normalisers/sigmoid.h"
#include "../../../../attention/normalisers/sparse.h"
#include "../../../../attention/normalisers/temperature.h"
#include "../../../../attention/scores/additive.h"
#include "../../../../attention/scores/feature_wise.h"
#include "../../../../attention/scores/monotonic_energy.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/cumulative.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../decoders.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kT = 5, kK = 11, kE = 3, kDk = 4, kH = 6, kFilters = 2, kKernel = 5;
const std::vector<Index> kLengths = {kK, 7};

LocationAwareDecoderOptions options(Index window, std::shared_ptr<Normaliser> normaliser) {
  return {.word_width = kE,
          .annotation_width = kDk,
          .state_width = kH,
          .hidden = 7,
          .readout = 2,
          .filters = kFilters,
          .kernel = kKernel,
          .window = window,
          .normaliser = normaliser,
          .dtype = DType::f64};
}

struct Inputs {
  Tensor words = randn({kB, kT, kE}, DType::f64), source = randn({kB, kK, kDk}, DType::f64);
  Mask mask = Mask::lengths(kLengths, kK);
};

// The paper's formulas; `weigh` makes a weight of a score before they are divided by their sum.
void expect_definition(Index window, std::shared_ptr<Normaliser> normaliser,
                       double (*weigh)(double)) {
  manual_seed(3);
  const Inputs in;
  const LocationAwareDecoder made(options(window, normaliser));
  for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.7);
  const StackOutput all = made(in.words, in.source, in.mask, {.need_weights = true});
  const Block words(in.words), source(in.source);
  const Block filter = plain::parameter(made, "score.location.weight");
  const Numbers v = plain::parameter(made, "score.score_vector").values();
  Numbers outs, weights;
  for (Index b = 0; b < kB; ++b) {
    Numbers s(kH, 0.0), c(kDk, 0.0), a(kK, 0.0);
    for (Index t = 0; t < kT; ++t) {
      s = plain::gru(made, "cell", plain::join({words.row({b, t}), c}), s);
      double sum = 0;
      Index median = 0;
      const double all_of_it = [&] {
        double total = 0;
        for (const double each : a) total += each;
        return total;
      }();
      for (Index j = 0; t > 0 && j < kK; ++j) {
        sum += a[static_cast<std::size_t>(j)];
        if (sum >= all_of_it / 2) {
          median = j;
          break;
        }
      }
      Numbers e(kK, 0.0);
      double total = 0;
      for (Index j = 0; j < kLengths[static_cast<std::size_t>(b)]; ++j) {
        if (window > 0 && (j < median - window || j > median + window - 1)) continue;
        Numbers f;
        for (Index k = 0; k < kFilters; ++k) {
          double feature = 0;
          for (Index r = 0; r < kKernel; ++r) {
            const Index place = j + r - kKernel / 2;
            if (t > 0 && place >= 0 && place < kK) {
              feature += filter(k, 0, r) * a[static_cast<std::size_t>(place)];
            }
          }
          f.push_back(feature);
        }
        const Numbers inside =
            plain::add(plain::add(plain::affine(made, "score.query_projection", s),
                                  plain::affine(made, "score.key_projection", source.row({b, j}))),
                       plain::affine(made, "score.location_projection", f));
        e[static_cast<std::size_t>(j)] = weigh(plain::dot(v, plain::tanh(inside)));
        total += e[static_cast<std::size_t>(j)];
      }
      for (double& each : e) each /= total;
      a = e;
      c = plain::weighed(a, source, b);
      const Numbers out = plain::maxout(plain::affine(made, "readout.linear", plain::join({s, c})));
      outs.insert(outs.end(), out.begin(), out.end());
      weights.insert(weights.end(), a.begin(), a.end());
    }
  }
  EXPECT_LT(difference(all.output, outs), 1e-10);
  EXPECT_LT(difference(all.weights.front(), weights), 1e-10);

  expect_steps(made, made.start(in.source, in.mask), in.words, all, 3, {1, 0, 1});
}

double exponential(double e) { return std::exp(e); }
double sharpened(double e) { return std::exp(2.5 * e); }

TEST(LocationAwareDecoder, IsTheDefinition) { expect_definition(0, nullptr, exponential); }
TEST(LocationAwareDecoder, LooksAroundTheMedian) { expect_definition(2, nullptr, exponential); }
TEST(LocationAwareDecoder, Sharpens) {
  const auto normaliser = std::make_shared<Temperature>(2.5);
  expect_definition(3, normaliser, sharpened);
}
TEST(LocationAwareDecoder, Smooths) {
  expect_definition(0, std::make_shared<NormalisedSigmoid>(), plain::sigmoid);
}

// By content alone: what a filter of zeros makes of it.
TEST(LocationAwareDecoder, TakesAnotherScore) {
  manual_seed(17);
  const Inputs in;
  const LocationAwareDecoder blind(options(0, nullptr));
  for (const Tensor& each : blind.parameters()) nn::normal_(each, 0, 0.7);
  nn::zeros_(dynamic_cast<LocationAware&>(blind.score).location.weight);
  auto by_content = options(0, nullptr);
  by_content.score = std::make_shared<Additive>(kH, kDk, 7, true, DType::f64);
  LocationAwareDecoder made(by_content);
  made.load_state_dict(blind.state_dict(), false);
  const Terms weights{.need_weights = true};
  const StackOutput expected = blind(in.words, in.source, in.mask, weights);
  const StackOutput found = made(in.words, in.source, in.mask, weights);
  EXPECT_LT(difference(found.output, expected.output), 1e-12);
  EXPECT_LT(difference(found.weights.front(), expected.weights.front()), 1e-12);
  expect_steps(made, made.start(in.source, in.mask), in.words, found, 3, {1, 0, 1});
}

// Each look goes on from where the last one stopped: those of all queries at once.
TEST(LocationAwareDecoder, TakesANormaliserThatGoesOn) {
  manual_seed(19);
  const Inputs in;
  auto monotonic = options(0, std::make_shared<Monotonic>(1));
  monotonic.score = std::make_shared<MonotonicEnergy>(MonotonicEnergyOptions{
      .query_width = kH, .key_width = kDk, .hidden = 7, .offset = -1, .dtype = DType::f64});
  LocationAwareDecoder made(monotonic);
  const auto look = [&] {
    return made(in.words, in.source, in.mask, {.need_weights = true}).weights.front();
  };
  EXPECT_GT(difference(look(), look()), 0);  // the noise of training
  made.eval();
  const StackOutput all = made(in.words, in.source, in.mask, {.need_weights = true});
  const Tensor weights = all.weights.front();
  EXPECT_EQ(difference(look(), weights), 0);
  // The place only moves on: what has been passed by place j does not grow from step to step.
  const Tensor passed = cumsum(weights, -1);
  const Tensor back = narrow(passed, 1, 1, kT - 1) - narrow(passed, 1, 0, kT - 1);
  EXPECT_LE(amax(back).item(), 1e-12);
  expect_steps(made, made.start(in.source, in.mask), in.words, all, 3, {1, 0, 1});
}

TEST(LocationAwareDecoder, TargetsMayEndBeforeOthers) {
  manual_seed(7);
  const Inputs in;
  const LocationAwareDecoder made(options(2, nullptr));
  expect_ends(made, in.words, {kT, 3}, [&](const Tensor& words) {
    return std::vector{made(words, in.source, in.mask, {}, {kT, 3}).output};
  });
}

TEST(LocationAwareDecoder, ASourceWithoutPlacesIsNotLookedAt) {
  manual_seed(9);
  Inputs in;
  in.source.set_requires_grad();
  for (const Index window : {0, 2}) {
    const LocationAwareDecoder made(options(window, nullptr));
    in.source.zero_grad();
    const StackOutput out =
        made(in.words, in.source, Mask::lengths({kK, 0}, kK), {.need_weights = true});
    expect_unseen(out.output, out.weights, in.source);
  }
}

// What windowing means: all of the source is scored, and a mask hides what is not in the window.
StackOutput masked(const LocationAwareDecoder& made, Index window,
                   std::shared_ptr<Normaliser> normaliser, const Tensor& words,
                   const Tensor& annotations, const Mask& mask) {
  const Memory source(made.score, annotations, annotations, mask);
  Past past;
  const Index B = words.size(0), T = words.size(1), K = annotations.size(1);
  Tensor s = zeros({B, kH}, DType::f64), c = zeros({B, kDk}, DType::f64), a;
  std::vector<Tensor> outs, weights;
  for (Index t = 0; t < T; ++t) {
    s = made.cell(concat({select(words, 1, t), c}, 1), s);
    Array allowed = Array::zeros({B, 1, K}, DType::boolean);
    for (Index b = 0; b < B; ++b) {
      const Numbers row = a.defined() ? Block(a).row({b}) : Numbers(static_cast<std::size_t>(K));
      const double total = std::accumulate(row.begin(), row.end(), 0.0);
      double sum = 0;
      Index median = 0;
      for (Index j = 0; j < K && total > 0; ++j) {
        sum += row[static_cast<std::size_t>(j)];
        median = j;
        if (sum >= total / 2) break;
      }
      for (Index j = 0; j < K; ++j) {
        allowed.mutable_data<bool>()[b * K + j] = j >= median - window && j < median + window;
      }
    }
    const Attended seen = source.step(
        s, past,
        {.normaliser = normaliser.get(), .mask = Mask(Tensor(allowed)), .need_weights = true});
    c = seen.context;
    a = seen.weights;
    weights.push_back(a);
    outs.push_back(made.readout(concat({s, c}, 1)));
  }
  return {stack(outs, 1), {stack(weights, 1)}};
}

// NaN becomes a number of its own.
Tensor told(const Tensor& x) { return where(isfinite(x), x, 1e3); }

TEST(LocationAwareDecoder, AWindowGivesTheNumbersOfAMask) {
  manual_seed(13);
  constexpr Index kLong = 29, kRows = 3;
  Tensor words = randn({kRows, kT, kE}, DType::f64),
         source = randn({kRows, kLong, kDk}, DType::f64);
  words.set_requires_grad();
  const auto compare = [&](Index window, std::shared_ptr<Normaliser> normaliser,
                           Tensor annotations) {
    annotations.set_requires_grad();
    LocationAwareDecoder made(options(window, normaliser));
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.7);
    const Mask mask = Mask::lengths({kLong, 17, 2}, kLong);
    const Tensor random = randn({kRows, kT, 2}, DType::f64);
    std::vector<std::vector<Tensor>> all;
    for (const bool plainly : {true, false}) {
      made.zero_grad();
      words.zero_grad();
      annotations.zero_grad();
      const StackOutput out = plainly ? masked(made, window, normaliser, words, annotations, mask)
                                      : made(words, annotations, mask, {.need_weights = true});
      sum(out.output * random).backward();
      all.push_back({out.output, out.weights.front(), words.grad(), annotations.grad()});
      for (const Tensor& each : made.parameters()) all.back().push_back(each.grad());
    }
    EXPECT_GT(sum(abs(annotations.grad())).item(), 0);
    for (std::size_t i = 0; i < all[0].size(); ++i) {
      EXPECT_LT(difference(told(all[1][i]), told(all[0][i])), 1e-10)
          << "window " << window << ", tensor " << i;
    }
  };
  for (const Index window : {1, 2, 5, 14, 15, 28, 29, 31, 1000}) compare(window, nullptr, source);
  const std::vector<std::shared_ptr<Normaliser>> normalisers = {
      std::make_shared<Temperature>(1.5), std::make_shared<NormalisedSigmoid>(),
      std::make_shared<TopK>(5)};
  for (const auto& each : normalisers) compare(3, each, source.detach());
  Array spoiled = source.array().clone();
  spoiled.mutable_data<double>()[(kLong + 3) * kDk + 1] = std::numeric_limits<double>::quiet_NaN();
  compare(4, nullptr, Tensor(spoiled));  // seen in the second row
}

// From the first place on at which half of the last weights is reached; from place 0 on where they
// were 0 or no numbers.
TEST(LocationAwareDecoder, TheWindowStandsAroundTheFirstMedian) {
  manual_seed(23);
  const Inputs in;
  const LocationAwareDecoder made(options(2, nullptr));
  const auto around = [&](const std::vector<double>& weights) {
    LocationAwareDecoder::State state = made.start(in.source);
    made.step(select(in.words, 1, 0), state);
    EXPECT_EQ(state.past.weights.shape(), (Shape{kB, 1, 4}));
    state.past.weights = expand(tensor(weights, {4}, DType::f64), {kB, 1, 4});
    state.first = tensor(std::vector<Index>{3, 3});
    const Tensor seen =
        made.step(select(in.words, 1, 1), state, {.need_weights = true}).weights.front();
    std::vector<Index> places;
    for (Index j = 0; j < kK; ++j) {
      if (select(select(seen, 0, 1), 0, j).item() > 0) places.push_back(j);
    }
    return places;
  };
  using Places = std::vector<Index>;
  EXPECT_EQ(around({0.25, 0.25, 0.25, 0.25}), (Places{2, 3, 4, 5}));
  EXPECT_EQ(around({0.25, 0.125, 0.25, 0.375}), (Places{3, 4, 5, 6}));
  EXPECT_EQ(around({0.5, 0.5, 0, 0}), (Places{1, 2, 3, 4}));
  EXPECT_EQ(around({0, 0, 0, 1}), (Places{4, 5, 6, 7}));
  EXPECT_EQ(around({0, 0, 0, 0}), (Places{0, 1}));
}

// Beyond the window nothing counts, NaN or not.
TEST(LocationAwareDecoder, TheWindowHides) {
  manual_seed(11);
  const Inputs in;
  const LocationAwareDecoder made(options(2, nullptr));
  const auto first = [&](double hidden) {
    Array dirty = in.source.array().clone();
    dirty.mutable_data<double>()[2 * kDk] = hidden;
    auto state = made.start(Tensor(dirty), in.mask);
    return Block(made.step(select(in.words, 1, 0), state).output).values();
  };
  EXPECT_EQ(first(std::numeric_limits<double>::quiet_NaN()), first(0));
}

// The kernel is that of the score in use.
TEST(LocationAwareDecoder, AWindowTakesAScoreOfAnotherKernel) {
  manual_seed(17);
  const Inputs in;
  LocationAwareDecoderOptions own = options(2, nullptr), other = options(2, nullptr);
  own.kernel = 3;
  other.score = std::make_shared<LocationAware>(LocationAwareOptions{.query_width = kH,
                                                                     .key_width = kDk,
                                                                     .hidden = 7,
                                                                     .filters = kFilters,
                                                                     .kernel = 3,
                                                                     .dtype = DType::f64});
  const LocationAwareDecoder wanted(own);
  LocationAwareDecoder made(other);
  made.load_state_dict(wanted.state_dict());
  const auto outputs = [&](const LocationAwareDecoder& decoder) {
    return Block(decoder(in.words, in.source, in.mask).output).values();
  };
  EXPECT_EQ(outputs(made), outputs(wanted));
}

TEST(LocationAwareDecoder, RefusesWhatDoesNotFit) {
  auto bad = options(0, nullptr);
  bad.kernel = 4;
  EXPECT_ERROR_WITH(ValueError, "location_aware_decoder: kernel 4 must be positive and odd",
                    LocationAwareDecoder made(bad));
  bad = options(-1, nullptr);
  EXPECT_ERROR_WITH(ValueError, "window -1 not negative", LocationAwareDecoder made(bad));
  EXPECT_ERROR_WITH(ValueError, "with a window takes no normaliser that goes on",
                    LocationAwareDecoder made(options(2, std::make_shared<Monotonic>())));
  bad = options(2, nullptr);
  bad.score = std::make_shared<Additive>(kH, kDk, 7, true, DType::f64);
  EXPECT_ERROR_WITH(ValueError, "a window wants a score that uses previous weights",
                    LocationAwareDecoder made(bad));
  bad.score = std::make_shared<CoverageScore>(kH, kDk, 7, DType::f64);
  EXPECT_ERROR(ValueError, "location_aware_decoder: a window wants LocationAware",
               LocationAwareDecoder made(bad));
  bad = options(0, nullptr);
  bad.score = std::make_shared<FeatureWise>(kH, kDk, 7, kDk, DType::f64);
  EXPECT_ERROR_WITH(ValueError, "takes no score for each feature", LocationAwareDecoder made(bad));
  const Inputs in;
  const LocationAwareDecoder made(options(0, nullptr));
  const LocationAwareDecoder windowed(options(2, nullptr));
  EXPECT_ERROR_WITH(ValueError, "location_aware_decoder: takes no mask",
                    windowed(in.words, in.source, in.mask, {.mask = Mask::causal()}));
  EXPECT_ERROR_WITH(ShapeError, "location_aware_decoder: the mask's lengths of [2, 4]",
                    made(in.words, in.source, Mask::lengths({1, 1}, 4)));
  auto state = made.start(in.source);
  EXPECT_ERROR_WITH(ShapeError, "a step's word must be [2, 3]", made.step(in.words, state));
}

}  // namespace
}  // namespace heed::attention
