// The least there can be of something: a mean over one is that one, a mean over none is 0, a width
// of one scales nothing; a batch of one row and one without any.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "../../attention/attention.h"
#include "../../autograd/autograd.h"
#include "../../core/generator.h"
#include "numbers.h"

namespace heed::attention {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(OnesAndNones, OneFeatureIsNotScaledAndNoneScoreNothing) {
  manual_seed(3);
  const ScaledDot dot;
  const Tensor q = randn({2, 5, 1}, DType::f64), k = randn({2, 3, 1}, DType::f64);
  EXPECT_THAT(numbers(dot(q, k)), near(matmul(q, transpose(k, 1, 2))));
  const Tensor none = dot(zeros({2, 5, 0}, DType::f64), zeros({2, 3, 0}, DType::f64));
  EXPECT_EQ(numbers(none), Numbers(30, 0));
  const Tensor v = randn({2, 3, 7}, DType::f64);
  for (const bool need_weights : {false, true}) {
    const Tensor seen = attend(zeros({2, 5, 0}, DType::f64), zeros({2, 3, 0}, DType::f64), v,
                               {.need_weights = need_weights})
                            .context;
    EXPECT_THAT(numbers(seen), near(expand(mean(v, {1}, true), {2, 5, 7})));
  }
}

// Beside a score whose own scale is not known, relative keys are scaled by the queries' width.
TEST(OnesAndNones, RelativeKeysOfOneFeatureAreNotScaled) {
  manual_seed(5);
  const Tensor q = randn({2, 5, 1}, DType::f64), k = randn({2, 5, 1}, DType::f64);
  const Additive score(1, 1, 3, false, DType::f64);
  const RelativePositions relative({.key_width = 1, .clip = 2, .dtype = DType::f64});
  const Terms terms{.relative = &relative, .need_weights = true};
  const Tensor scores = score(q, score.prepare(k)) + relative.scores(q, 5, 1);
  EXPECT_THAT(numbers(attend(score, q, k, k, terms).weights), near(softmax(scores, -1)));
}

TEST(OnesAndNones, AMeanByCountOverOneIsThatOne) {
  manual_seed(7);
  const ByCount by_count;
  const Tensor one = randn({2, 5, 1}, DType::f64), three = randn({2, 5, 3}, DType::f64);
  EXPECT_EQ(numbers(by_count(one)), numbers(one));
  const Tensor second = unsqueeze(arange(3) == 1, 0);
  EXPECT_EQ(numbers(by_count(three, second)), numbers(where(second, three, 0)));
  EXPECT_EQ(numbers(by_count(three, logical_not(second))),
            numbers(where(logical_not(second), three, 0) / 2));
  EXPECT_EQ(numbers(by_count(three, arange(3) > 5)), Numbers(30, 0));
}

TEST(OnesAndNones, APoolOfOnePlaceIsThatPlace) {
  manual_seed(9);
  const Tensor x = randn({2, 5, 3}, DType::f64);
  const Mask mask = Mask::lengths({1, 0}, 5);
  for (const auto pool : {+[](const Tensor&y, const Mask&by) { return average_pooling(y, by); },
                          +[](const Tensor&y, const Mask&by) { return max_pooling(y, by); }}) {
    const Tensor out = pool(x, mask);
    EXPECT_EQ(numbers(select(out, 0, 0)), numbers(select(select(x, 0, 0), 0, 0)));
    EXPECT_EQ(numbers(select(out, 0, 1)), Numbers(3, 0));
  }
}

// As many copies of a point say what it says alone; no point says what zeros say.
TEST(OnesAndNones, AProcessOfOnePointHearsThatPoint) {
  for (const bool latent : {false, true}) {
    manual_seed(11);
    const NeuralProcess process({.input = 2,
                                 .output = 3,
                                 .width = 5,
                                 .attentive = false,
                                 .latent = latent,
                                 .dtype = DType::f64});
    const Tensor x = randn({2, 1, 2}, DType::f64), y = randn({2, 1, 3}, DType::f64),
                 targets = randn({2, 7, 2}, DType::f64);
    const auto mean = [&](const Tensor& at, const Tensor& of, const std::vector<Index>& lengths) {
      Generator generator(1);
      return process(at, of, targets, Tensor(), lengths, false, generator).mean;
    };
    const Tensor alone = mean(x, y, {});
    EXPECT_THAT(numbers(mean(concat({x, x, x}, 1), concat({y, y, y}, 1), {})), near(alone));
    EXPECT_THAT(numbers(mean(concat({x, x * kNaN}, 1), concat({y, y}, 1), {1, 1})), near(alone));
    const Tensor none = mean(zeros({2, 0, 2}, DType::f64), zeros({2, 0, 3}, DType::f64), {});
    EXPECT_THAT(numbers(mean(x, y, {0, 0})), near(none));
    EXPECT_TRUE(all(isfinite(none)));
  }
}

TEST(OnesAndNones, AttentionOverAttentionOfOneRealPlaceIsSure) {
  manual_seed(13);
  const Tensor document = randn({2, 5, 3}, DType::f64), query = randn({2, 4, 3}, DType::f64);
  const AttentionOverAttention over;
  const auto seen = over(document, query, Mask::lengths({1, 5}, 5), Mask(), true);
  EXPECT_NEAR(sum(select(seen.of_queries, 0, 0)).item(), 1, 1e-12);
  EXPECT_NEAR(sum(select(seen.weights, 0, 0)).item(), 1, 1e-12);
}

// A batch of one row, and one of none: words of the vocabulary and copied ones.
TEST(OnesAndNones, ABatchOfOneRowHasItsLikelihoods) {
  manual_seed(15);
  const PointerGenerator made({.word_width = 2,
                               .annotation_width = 3,
                               .state_width = 5,
                               .vocabulary = 7,
                               .dtype = DType::f64});
  const auto likelihood = [&](Index B, const std::vector<Index>& ids,
                              const std::vector<Index>& targets) {
    manual_seed(17);
    const Tensor words = randn({2, 3, 2}, DType::f64), source = randn({2, 4, 3}, DType::f64);
    return made(narrow(words, 0, 0, B), narrow(source, 0, 0, B), indices(ids, {B, 4}))
        .log_likelihood(indices(targets, {B, 3}));
  };
  const Tensor both = likelihood(2, {1, 8, 8, 2, 3, 3, 9, 0}, {8, 1, 5, 9, 3, -1});
  EXPECT_THAT(numbers(likelihood(1, {1, 8, 8, 2}, {8, 1, 5})), near(narrow(both, 0, 0, 1)));
  EXPECT_EQ(likelihood(0, {}, {}).shape(), (Shape{0, 3}));
}

// Two queries share their keys already: what one of them may not see spoils none of its gradients.
TEST(OnesAndNones, OfTwoQueriesEachHasItsOwnKeys) {
  manual_seed(19);
  Tensor q = randn({2, 3}, DType::f64), k = randn({2, 3}, DType::f64),
         v = randn({2, 3}, DType::f64);
  Array spoiled = k.array().clone();
  spoiled.mutable_data<double>()[4] = kNaN;
  k = Tensor(spoiled);
  for (Tensor* each : {&q, &k, &v}) each->set_requires_grad();
  const Tensor context = attend(q, k, v, {.mask = Mask::causal()}).context;
  sum(select(context, 0, 0)).backward();
  EXPECT_THAT(numbers(select(context, 0, 0)), near(select(v, 0, 0)));
  for (const Tensor* each : {&q, &k, &v}) EXPECT_TRUE(all(isfinite(each->grad())));
}

}  // namespace
}  // namespace heed::attention
