// Each normaliser against its formula, and where one becomes another.
#include "../../attention/normaliser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>

#include "../../attention/normalisers/by_count.h"
#include "../../attention/normalisers/monotonic.h"
#include "../../attention/normalisers/sigmoid.h"
#include "../../attention/normalisers/sparse.h"
#include "../../attention/normalisers/temperature.h"
#include "../../autograd/backward.h"
#include "../../autograd/ops/elementwise/compare.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"
#include "numbers.h"

namespace heed::attention {
namespace {

constexpr Index kQ = 3, kK = 7;

Tensor scores() {
  Generator generator(4);
  return generator.normal({2, kQ, kK}, 0, 2, DType::f64);
}

// What each normaliser makes of the scores of the places allowed, in order; rows one by one.
template <class Reference>
void expect_rows(const Normaliser& normaliser, Reference reference) {
  const Tensor e = scores();
  const Tensor allowed(Array::from<bool>({true, true, false, true, true, true, false}, {kK}));
  for (const bool masked : {false, true}) {
    const Numbers got = numbers(normaliser(e, masked ? allowed : Tensor()));
    const Numbers in = numbers(e);
    for (std::size_t at = 0; at < in.size(); at += kK) {
      Numbers row, wanted(kK, 0.0);
      for (std::size_t j = 0; j < kK; ++j) {
        if (!masked || (j != 2 && j != 6)) row.push_back(in[at + j]);
      }
      const Numbers out = reference(row);
      std::size_t next = 0;
      for (std::size_t j = 0; j < kK; ++j) {
        if (!masked || (j != 2 && j != 6)) wanted[j] = out[next++];
      }
      EXPECT_THAT(
          Numbers(got.begin() + static_cast<Index>(at), got.begin() + static_cast<Index>(at) + kK),
          near(wanted));
    }
  }
}

Numbers normalised(Numbers x) {
  const double sum = std::accumulate(x.begin(), x.end(), 0.0);
  for (double& value : x) value /= sum;
  return x;
}
double logistic(double x) { return 1 / (1 + std::exp(-x)); }

TEST(Normaliser, AreTheirFormulas) {
  const auto map = [](auto f) {
    return [f](Numbers x) {
      std::transform(x.begin(), x.end(), x.begin(), f);
      return x;
    };
  };
  const auto exponential = [](double x) { return std::exp(x); };
  expect_rows(Softmax(), [&](const Numbers& x) { return normalised(map(exponential)(x)); });
  expect_rows(Sigmoid(), map(logistic));
  expect_rows(NormalisedSigmoid(), [&](const Numbers& x) { return normalised(map(logistic)(x)); });
  for (const bool learned : {false, true}) {
    expect_rows(Temperature(2.5, learned, DType::f64), [&](const Numbers& x) {
      return normalised(map([](double e) { return std::exp(2.5 * e); })(x));
    });
  }
  expect_rows(TopK(3), [](const Numbers& x) {
    Numbers sorted = x;
    std::sort(sorted.rbegin(), sorted.rend());
    Numbers out;
    for (const double e : x) out.push_back(e >= sorted[2] ? std::exp(e) : 0);
    return normalised(out);
  });
}

// [(alpha - 1) e - tau]_+^(1 / (alpha - 1)), tau found by bisection.
Numbers entmax_by_bisection(const Numbers& x, double alpha) {
  const double top = *std::max_element(x.begin(), x.end()) * (alpha - 1);
  double low = top - 1, high = top;
  Numbers p;
  for (int step = 0; step < 200; ++step) {
    const double tau = (low + high) / 2;
    p.clear();
    for (const double e : x) {
      p.push_back(std::pow(std::max((alpha - 1) * e - tau, 0.0), 1 / (alpha - 1)));
    }
    (std::accumulate(p.begin(), p.end(), 0.0) > 1 ? low : high) = tau;
  }
  return p;
}

TEST(Normaliser, SparseOnesSumToOneOverFewPlaces) {
  expect_rows(Sparsemax(), [](const Numbers& x) { return entmax_by_bisection(x, 2); });
  for (const double alpha : {1.2, 1.5, 3.0}) {
    for (const bool learned : {false, true}) {
      expect_rows(Entmax({.alpha = alpha, .learned = learned, .dtype = DType::f64}),
                  [&](const Numbers& x) { return entmax_by_bisection(x, alpha); });
    }
  }
}

TEST(Normaliser, SparsemaxIsEntmaxAtTwoAndSoftmaxAtOne) {
  const Tensor e = scores();
  EXPECT_THAT(numbers(Entmax({.alpha = 2})(e)), near(Sparsemax()(e)));
  EXPECT_THAT(numbers(Entmax({.alpha = 1 + 1e-6})(e)), near(Softmax()(e), 1e-5));
  EXPECT_THAT(numbers(TopK(kK + 4)(e)), near(Softmax()(e)));
  EXPECT_THAT(numbers(Temperature(1)(e)), near(Softmax()(e)));
}

TEST(Normaliser, EachHeadHasItsAlpha) {
  const Entmax entmax({.alpha = 1.5, .learned = true, .heads = kQ, .dtype = DType::f64});
  EXPECT_EQ(entmax.alpha().shape(), (Shape{kQ, 1, 1}));
  entmax.log_excess.detach().copy_from(
      tensor({std::log(0.2), 0, std::log(0.7)}, {kQ, 1, 1}, DType::f64));
  const Tensor e = scores().array().reshape({2, kQ, 1, kK});
  const Tensor out = entmax(e);
  EXPECT_THAT(numbers(select(out, 1, 1)), near(Sparsemax()(select(e, 1, 1))));
  EXPECT_THAT(numbers(select(out, 1, 2)), near(Entmax({.alpha = 1.7})(select(e, 1, 2))));
  const Tensor by_feature = unsqueeze(e, -1);  // [2, H, 1, K, 1]
  EXPECT_THAT(numbers(entmax(by_feature, Tensor(), -2)), near(out));
}

// A row of very negative scores still has a largest.
TEST(Normaliser, NormalisedSigmoidOfVanishingScores) {
  const Tensor e = tensor({-2000, -2001, -2003}, {1, 3}, DType::f64);
  EXPECT_THAT(numbers(NormalisedSigmoid()(e)), near(Softmax()(e)));
}

TEST(Normaliser, TopKTakesTheFirstOfEqualsAndAllOfFew) {
  const Tensor e = tensor({1, 2, 2, 2, 0}, {1, 5}, DType::f64);
  EXPECT_EQ(numbers(TopK(2)(e)), (Numbers{0, 0.5, 0.5, 0, 0}));
  const Tensor one(Array::from<bool>({false, false, false, false, true}, {5}));
  EXPECT_EQ(numbers(TopK(2)(e, one)), (Numbers{0, 0, 0, 0, 1}));
}

// Raffel et al., place by place: p_j prod over l = k .. j - 1 of (1 - p_l), from each
// place k where the last query may have stopped.
Numbers monotonic(const Numbers& e, const Numbers& last) {
  Numbers out(e.size(), 0.0);
  for (std::size_t k = 0; k < e.size(); ++k) {
    double arrive = last[k];
    for (std::size_t j = k; j < e.size(); ++j) {
      out[j] += arrive * logistic(e[j]);
      arrive *= 1 - logistic(e[j]);
    }
  }
  return out;
}

TEST(Normaliser, MonotonicIsTheExpectedPlace) {
  const Tensor e = scores();
  const Numbers in = numbers(e);
  Numbers wanted;
  for (Index b = 0; b < 2; ++b) {
    Numbers last(kK, 0.0);
    last[0] = 1;
    for (Index i = 0; i < kQ; ++i) {
      const auto begin = in.begin() + (b * kQ + i) * kK;
      last = monotonic(Numbers(begin, begin + kK), last);
      wanted.insert(wanted.end(), last.begin(), last.end());
    }
  }
  EXPECT_THAT(numbers(Monotonic()(e)), near(wanted));
}

TEST(Normaliser, MonotonicIsStableWhereProbabilitiesAreZeroAndOne) {
  Tensor e = tensor({-800, 800, -800, 800, 800, -800, -800, 800}, {2, 4}, DType::f64);
  e.set_requires_grad();
  const Tensor out = Monotonic()(e);
  EXPECT_EQ(numbers(out), (Numbers{0, 1, 0, 0, 0, 0, 0, 1}));
  sum(out * randn(out.shape(), DType::f64)).backward();
  EXPECT_TRUE(std::isfinite(sum(abs(e.grad())).item()));
}

TEST(Normaliser, MonotonicKeepsWhatPassesAnAllButCertainStop) {
  // 1 - sigmoid(60) is 0 in doubles; what passes is sigmoid(-60), with all its digits.
  const Numbers out = numbers(Monotonic()(tensor({60, -3, 0}, {1, 3}, DType::f64)));
  EXPECT_DOUBLE_EQ(out[1], logistic(-60) * logistic(-3));
  EXPECT_DOUBLE_EQ(out[2], logistic(-60) * logistic(3) / 2);
}

TEST(Normaliser, HardMonotonicStopsOnceAndGoesOnFromThere) {
  Monotonic hard;
  hard.hard = true;
  Tensor state;
  const auto step = [&](const Numbers& e) {
    return numbers(hard(tensor(e, {1, 4}, DType::f64), Tensor(), -1, &state));
  };
  EXPECT_EQ(step({-1, 2, 3, -1}), (Numbers{0, 1, 0, 0}));
  EXPECT_EQ(step({9, -1, -1, 1}), (Numbers{0, 0, 0, 1}));
  EXPECT_EQ(step({9, 9, 9, -1}), (Numbers{0, 0, 0, 0})) << "walked past the end";
  // The expected form of certain scores is the hard one.
  const Tensor certain = where(scores() > 0, 900, full({2, kQ, kK}, -900, DType::f64));
  EXPECT_THAT(numbers(hard(certain)), near(Monotonic()(certain)));
}

TEST(Normaliser, MonotonicWalksPastMaskedPlacesAndWaitsInEmptyRows) {
  const Tensor e = narrow(scores(), 0, 0, 1);
  Array allowed = Array::full({1, kQ, kK}, 1, DType::boolean);
  for (Index i = 0; i < kQ; ++i) allowed.mutable_data<bool>()[i * kK + 2] = false;
  std::fill_n(allowed.mutable_data<bool>() + kK, kK, false);
  const Tensor out = Monotonic()(e, allowed);
  const auto without = [](const Tensor& x) {
    return concat({narrow(x, -1, 0, 2), narrow(x, -1, 3, kK - 3)}, -1);
  };
  const Tensor rows = concat({narrow(e, 1, 0, 1), narrow(e, 1, 2, 1)}, 1);
  const Tensor kept = concat({narrow(out, 1, 0, 1), narrow(out, 1, 2, 1)}, 1);
  EXPECT_THAT(numbers(without(kept)), near(Monotonic()(without(rows))));
  EXPECT_EQ(sum(select(out, 1, 1)).item(), 0);
}

// A value that leaves its range beside the incoming gradient is no one's where it is masked.
TEST(Normaliser, MonotonicOnesHaveGradientsBesideInfiniteOnesThatAreMasked) {
  const Tensor allowed = arange(kK) != 2;
  const Tensor beside = full({kK}, 1.5, DType::f64);
  const auto gradient = [&](const Normaliser& normaliser, double masked) {
    Tensor e = scores().detach().set_requires_grad();
    sum(normaliser(e, allowed) * where(allowed, beside, masked)).backward();
    return numbers(e.grad());
  };
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(gradient(Monotonic(), infinity), gradient(Monotonic(), 0));
  EXPECT_EQ(gradient(Mocha(3), infinity), gradient(Mocha(3), 0));
}

TEST(Normaliser, HardMonotonicDropsNoScoreThatIsNotANumber) {
  Monotonic monotonic;
  monotonic.hard = true;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor scores = tensor({-1, nan, 2, -1, -1, 3}, {2, 3}, DType::f64);
  const Numbers weights = numbers(monotonic(scores));
  EXPECT_EQ(weights[0], 0);
  EXPECT_TRUE(std::isnan(weights[1]) && std::isnan(weights[2]));
  // Where it is masked it is nothing.
  const Tensor allowed(Array::from<bool>({true, false, true}, {3}));
  EXPECT_EQ(numbers(monotonic(scores, allowed)), (Numbers{0, 0, 1, 0, 0, 1}));
}

TEST(Normaliser, NoiseComesInTrainingOnly) {
  Monotonic noisy(1);
  const Tensor e = scores();
  EXPECT_NE(numbers(noisy(e)), numbers(Monotonic()(e)));
  noisy.eval();
  EXPECT_EQ(numbers(noisy(e)), numbers(Monotonic()(e)));
}

// Chiu & Raffel, term by term.
TEST(Normaliser, MochaSpreadsOverChunks) {
  constexpr Index kChunk = 3;
  Generator generator(6);
  const Tensor u(generator.normal({2, kQ, kK}, 0, 1, DType::f64));
  const Mocha mocha(kChunk);
  const Tensor alpha = Monotonic()(scores());
  const Numbers a = numbers(alpha), x = numbers(u);
  Numbers wanted(a.size(), 0.0);
  for (Index row = 0; row < 2 * kQ; ++row) {
    const auto at = [&](Index j) { return static_cast<std::size_t>(row * kK + j); };
    for (Index j = 0; j < kK; ++j) {
      for (Index k = j; k < std::min(j + kChunk, kK); ++k) {
        double sum = 0;
        for (Index l = std::max<Index>(k - kChunk + 1, 0); l <= k; ++l) sum += std::exp(x[at(l)]);
        wanted[at(j)] += a[at(k)] * std::exp(x[at(j)]) / sum;
      }
    }
  }
  EXPECT_THAT(numbers(mocha.spread(alpha, u)), near(wanted));
  EXPECT_THAT(numbers(mocha(scores())), near(mocha.spread(alpha, scores())));
  EXPECT_THAT(numbers(Mocha(1)(scores())), near(alpha));
}

// A score of -infinity has no weight, and no share in the gradient of beta: as if it were masked.
TEST(Normaliser, ALearnedTemperatureTakesInfiniteScores) {
  const Temperature sharp(1.7, true, DType::f64);
  const Tensor far = arange(kK) == 2, factor = exp(scores());
  const auto run = [&](const Tensor& e, const Tensor& allowed) {
    Tensor leaf = e.detach();
    leaf.set_requires_grad();
    sharp.log_beta.zero_grad();
    const Tensor w = sharp(leaf, allowed);
    sum(w * factor).backward();
    Numbers out = numbers(w);
    out.push_back(sharp.log_beta.grad().item());
    for (const double each : numbers(leaf.grad())) out.push_back(each);
    return out;
  };
  const Numbers wanted = run(scores(), logical_not(far));
  EXPECT_THAT(run(where(far, -INFINITY, scores()), Tensor()), near(wanted));
}

// One row without the axis of queries, keys along an axis before others, and no axis at all.
TEST(Normaliser, TakeARowAloneAndRefuseOneNumber) {
  const Softmax softmax;
  const SoftmaxPlusOne plus_one;
  const NormalisedSigmoid smooth;
  const Sparsemax sparse;
  const Entmax entmax, learned({.learned = true, .dtype = DType::f64});
  const TopK top(2);
  const Temperature sharp(1.7);
  const ByCount count;
  const Tensor row = select(select(scores(), 0, 1), 0, 2), number = tensor(0.3, DType::f64);
  const Tensor allowed(Array::from<bool>({true, true, false, true, true, true, false}, {kK}));
  for (const Normaliser* each : std::initializer_list<const Normaliser*>{
           &softmax, &plus_one, &smooth, &sparse, &entmax, &learned, &top, &sharp, &count}) {
    for (const Tensor& may : {Tensor(), allowed}) {
      const Tensor wanted = (*each)(unsqueeze(row, 0), may), alone = (*each)(row, may);
      ASSERT_EQ(alone.shape(), Shape{kK}) << each->class_name();
      EXPECT_THAT(numbers(alone), near(wanted, 0)) << each->class_name();
      EXPECT_THAT(numbers((*each)(row, may, 0)), near(wanted, 0)) << each->class_name();
      const Tensor column = (*each)(unsqueeze(row, 1), may.defined() ? unsqueeze(may, 1) : may, 0);
      EXPECT_THAT(numbers(column), near(wanted, 1e-15)) << each->class_name();
    }
    EXPECT_ERROR_WITH(ShapeError, "axis -1 is out of range for rank 0", (*each)(number));
    EXPECT_ERROR_WITH(ShapeError, "axis 5 is out of range for rank 1", (*each)(row, Tensor(), 5));
  }
  EXPECT_ERROR(ShapeError, "softmax_plus_one: axis -1 is out of range for rank 0",
               plus_one(number));
  EXPECT_ERROR_WITH(ShapeError, "monotonic: axis -1 is out of range for rank 0",
                    Monotonic()(number));
  EXPECT_EQ(Sigmoid()(number).item(), logistic(0.3));
  const Tensor none = plus_one(zeros({0}, DType::f64));
  EXPECT_EQ(none.shape(), Shape{0});
}

TEST(Normaliser, RefusesWhatMakesNoSense) {
  EXPECT_ERROR_WITH(ValueError, "entmax: alpha 1 must be above 1", Entmax entmax({.alpha = 1}));
  EXPECT_ERROR_WITH(ValueError, "must be above 1", Entmax entmax({.alpha = std::nan("")}));
  EXPECT_ERROR_WITH(ValueError, "heads -1", Entmax entmax({.learned = true, .heads = -1}));
  EXPECT_ERROR_WITH(ValueError, "top_k: k 0", TopK top(0));
  EXPECT_ERROR_WITH(ValueError, "temperature: beta 0 must be positive", Temperature sharp(0));
  EXPECT_ERROR_WITH(ValueError, "beta -1", Temperature sharp(-1, true));
  EXPECT_ERROR_WITH(ValueError, "mocha: chunk 0", Mocha mocha(0));
  EXPECT_ERROR_WITH(ValueError, "noise -1", Monotonic noisy(-1));
  EXPECT_ERROR_WITH(ShapeError, "monotonic: scores must be [.., Q, K]", Monotonic()(zeros({3})));
  EXPECT_ERROR_WITH(ShapeError, "axis 0", Monotonic()(zeros({2, 3, 5}), Tensor(), 0));
  EXPECT_ERROR_WITH(GradError, "top_k", TopK(2)(Tensor()));
  EXPECT_ERROR_WITH(ShapeError, "softmax",
                    Softmax()(zeros({2, 3}), Tensor(Array::full({4}, 1, DType::boolean))));
  EXPECT_ERROR_WITH(DTypeError, "sparsemax", Sparsemax()(zeros({2, 3}), ones({3})));
}

}  // namespace
}  // namespace heed::attention
