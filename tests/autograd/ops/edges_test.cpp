// Operators at the edges of what they take: equal numbers, one class, no axis, sizes of one.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../autograd/autograd.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../support/numbers.h"
#include "../../support/throws.h"

namespace heed {
namespace {

Tensor line(const Numbers& values) {
  return tensor(values, {static_cast<Index>(values.size())}, DType::f64);
}

TEST(Edges, OfClosenessCount) {
  EXPECT_TRUE(allclose(line({1}), line({1.5}), 0, 0.5));
  EXPECT_FALSE(allclose(line({1}), line({1.5}), 0, 0.4999));
  EXPECT_TRUE(allclose(line({3}), line({4}), 0.25, 0));  // of the second
  EXPECT_FALSE(allclose(line({4}), line({3}), 0.25, 0));
  const Tensor a = tensor({10, 100}), b = tensor({11, 109});
  EXPECT_FALSE(allclose(a, b, 0, 0));
  EXPECT_TRUE(allclose(a, b, 0.1, 0));
  EXPECT_FALSE(allclose(a, b, 0, 1));
  EXPECT_TRUE(allclose(a, b, 0, 9));
  EXPECT_TRUE(allclose(a, a, 0, 0));
  EXPECT_FALSE(equal(zeros({2, 3}), zeros({3, 2})));
}

TEST(Edges, OfAClampGetTheGradient) {
  const Tensor x = line({1, 2, 3}).set_requires_grad();
  const Tensor two = line({2, 2, 2});
  EXPECT_EQ(numbers(grad(sum(clamp(x, Tensor(), two)), x)), (Numbers{1, 1, 0}));
  EXPECT_EQ(numbers(grad(sum(clamp(x, two, Tensor())), x)), (Numbers{0, 1, 1}));
  EXPECT_EQ(numbers(grad(sum(clamp(x, two, two)), x)), (Numbers{0, 1, 0}));
  EXPECT_EQ(numbers(grad(sum(clamp(x, {}, 2)), x)), (Numbers{1, 1, 0}));
  EXPECT_EQ(numbers(grad(sum(clamp(x, 2, {})), x)), (Numbers{0, 1, 1}));
  // Where the bounds cross, the upper one decides.
  const Tensor low = line({5, 5, 5}).set_requires_grad(), high = two.clone().set_requires_grad();
  const Tensor y = clamp(x, low, high);
  EXPECT_EQ(numbers(y), (Numbers{2, 2, 2}));
  const auto g = grad({sum(y)}, {x, low, high});
  EXPECT_EQ(numbers(g[0]), (Numbers{0, 0, 0}));
  EXPECT_EQ(numbers(g[1]), (Numbers{0, 0, 0}));
  EXPECT_EQ(numbers(g[2]), (Numbers{1, 1, 1}));
}

TEST(Edges, AnAxisOfOneMayHaveAnyStride) {
  const Tensor x = expand(line({1, 2, 3}), {1, 3});
  fill_(x, 7);
  EXPECT_EQ(numbers(x), (Numbers{7, 7, 7}));
  EXPECT_THROW(fill_(expand(line({1, 2, 3}), {2, 3}), 7), ShapeError);
  fill_(expand(zeros({1, 3}, DType::f64), {0, 3}), 7);  // has no place that could be written twice
  fill_(zeros({0, 3}), 7);
}

TEST(Edges, OneClassIsEnough) {
  EXPECT_EQ(one_hot(zeros({3}, DType::i64)).shape(), (Shape{3, 1}));
  EXPECT_EQ(one_hot(zeros({3}, DType::i64), 1).shape(), (Shape{3, 1}));
  EXPECT_EQ(bincount(tensor({0})).shape(), (Shape{1}));
  EXPECT_EQ(bincount(zeros({0}, DType::i64)).shape(), (Shape{0}));
  EXPECT_EQ(bincount(zeros({0}, DType::i64), 2).shape(), (Shape{2}));
  EXPECT_EQ(cross_entropy(zeros({2, 1}), zeros({2}, DType::i64)).item(), 0);
}

TEST(Edges, BucketsOfWhatIsNoNumberStandBehindAll) {
  const double nan = std::nan("");
  const Tensor bounds = line({1, 3, nan});
  const Tensor x = line({0, 1, 3, 9, nan, INFINITY});
  EXPECT_EQ(bucketize(x, bounds).array().to_vector<Index>(),
            (std::vector<Index>{0, 0, 1, 2, 2, 2}));
  EXPECT_EQ(bucketize(x, bounds, true).array().to_vector<Index>(),
            (std::vector<Index>{0, 1, 2, 2, 3, 2}));
  EXPECT_EQ(bucketize(tensor({1, 4}), tensor({1, 3})).array().to_vector<Index>(),
            (std::vector<Index>{0, 2}));
  EXPECT_EQ(bucketize(x, zeros({0}, DType::f64)).sum().item(), 0);
}

TEST(Edges, AResultMayHaveAsManyAxesAsThereCanBe) {
  const Tensor x = ones({1, 2, 1, 1, 1, 1, 1, 3}, DType::f64);
  EXPECT_EQ(einsum("abcdefgh->hgfedcba", x).shape(), (Shape{3, 1, 1, 1, 1, 1, 2, 1}));
  EXPECT_ERROR_WITH(ShapeError, "the result would have rank 9, above 8",
                    einsum("abcdefgh,i->abcdefghi", x, ones({2}, DType::f64)));
}

TEST(Edges, OfOffsetsInSeveralRows) {
  const Tensor rows = tensor({{1.0, 2.0, 3.0, 4.0}, {5.0, 6.0, 7.0, 8.0}}, DType::f64);
  const Tensor block = offset_block(rows, 2, 3);
  EXPECT_EQ(block.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(numbers(block), (Numbers{2, 3, 4, 1, 2, 3, 6, 7, 8, 5, 6, 7}));
  EXPECT_EQ(offset_block(zeros({5, 2}), 0, 3).shape(), (Shape{5, 0, 3}));
  EXPECT_EQ(offset_block(zeros({5, 1}), 2, 0).shape(), (Shape{5, 2, 0}));
  EXPECT_EQ(offset_block(zeros({0}), 0, 0).shape(), (Shape{0, 0}));
}

TEST(Edges, AttentionDropoutOfAllAndOfNothing) {
  const Tensor weights = full({2, 3, 5}, 0.2, DType::f64);
  const auto before = default_generator().state().offset;
  EXPECT_TRUE(attention_dropout(weights, 0).is_same(weights));
  EXPECT_EQ(default_generator().state().offset, before);
  EXPECT_EQ(sum(abs(attention_dropout(weights, 1))).item(), 0);
  EXPECT_EQ(attention_dropout(ones({1, 1}), 0.5).shape(), (Shape{1, 1}));
}

TEST(Edges, MapsOfScoresWithoutBatchOrHeads) {
  const auto places = [](const Shape& scores) {
    return numbers(score_map([](auto s, auto at) {
      return s + 1000.0 * at.batch + 100.0 * at.head + 10.0 * at.q + at.k;
    })(zeros(scores, DType::f64)));
  };
  EXPECT_EQ(places({2, 3}), (Numbers{10, 11, 12, 20, 21, 22}));  // the last stand together
  EXPECT_EQ(places({2, 1, 2}), (Numbers{10, 11, 1010, 1011}));
  EXPECT_EQ(places({1, 2, 1, 2}), (Numbers{10, 11, 110, 111}));
  EXPECT_EQ(places({1, 1, 2, 1, 2}), (Numbers{10, 11, 110, 111}));
}

TEST(Edges, MapsSayWhatTheyCannotCapture) {
  const Tensor scores = zeros({2, 3, 5, 7}, DType::f64);
  const auto number = [&](const Tensor& c) {
    score_map([](auto s, auto, auto x) { return s * x; }, c)(scores);
  };
  const auto each = [&](const Tensor& c) {
    score_map([](auto s, auto, auto x) { return s * x; }, each_place(c))(scores);
  };
  const std::string of = " of scores [2, 3, 5, 7], not ";
  EXPECT_ERROR(
      ShapeError,
      "score_map: a captured number must be one for all or [3], one a head," + of + "f64[2]",
      number(zeros({2}, DType::f64)));
  EXPECT_ERROR(
      ShapeError,
      "score_map: a captured number must be one for all or [3], one a head," + of + "f64[3, 1]",
      number(zeros({3, 1}, DType::f64)));
  EXPECT_ERROR(DTypeError, "score_map: a captured tensor must be f64 as the scores, not f32[3]",
               number(zeros({3})));
  EXPECT_ERROR(ShapeError, "score_map: each_place must broadcast to the shape" + of + "f64[5, 2]",
               each(zeros({5, 2}, DType::f64)));
  EXPECT_ERROR(ShapeError,
               "score_map: each_place must broadcast to the shape" + of + "f64[1, 2, 3, 5, 7]",
               each(zeros({1, 2, 3, 5, 7}, DType::f64)));
  EXPECT_ERROR(GradError,
               "score_map: each_place f64[7] requires a gradient, and gets none: add it to the "
               "scores as a bias",
               each(zeros({7}, DType::f64).set_requires_grad()));
  EXPECT_NO_THROW(each(zeros({7}, DType::i64)));
  EXPECT_ERROR(
      ShapeError,
      "score_map: a table must have axes to be read along, whatever the shape" + of + "f64[]",
      score_map([](auto s, auto at, auto t) { return s + t(at.q); },
                as_table(tensor(1, DType::f64)))(scores));
  EXPECT_ERROR(ShapeError, "score_map: 2 indices into a table [5]",
               score_map([](auto s, auto at, auto t) { return s + t(at.q, at.k); },
                         as_table(zeros({5}, DType::f64)))(scores));
  EXPECT_ERROR(ShapeError, "score_map: scores must be [.., Q, K], not f64[3]",
               score_map([](auto s, auto) { return s; })(zeros({3}, DType::f64)));
  EXPECT_TRUE(ScoreMap()(scores).is_same(scores));
}

// Heads in groups read what their own head captured.
TEST(Edges, MapsInGroupsKeepTheirHeads) {
  Generator generator(5);
  const Tensor scores = Tensor(generator.normal({2, 6, 5, 7}, 0, 1, DType::f64));
  for (const Shape& shape : {Shape{6, 5, 7}, Shape{2, 6, 1, 7}, Shape{1, 5, 1}, Shape{5, 7}}) {
    const Tensor x = Tensor(generator.normal(shape, 0, 1, DType::f64));
    const ScoreMap map = score_map([](auto s, auto, auto c) { return s * c; }, each_place(x));
    const Tensor grouped = map.in_groups(3)(reshape(scores, {2, 2, 3, 5, 7}));
    EXPECT_EQ(numbers(grouped), numbers(map(scores))) << to_string(shape);
  }
  EXPECT_FALSE(ScoreMap().in_groups(3).defined());
}

// Whichever form is asked for: nothing without dropout, as much for all of it as for a part.
TEST(Edges, AttentionDrawsAsItsDefinitionDoes) {
  const Tensor q = ones({2, 3, 4}), k = ones({2, 5, 4}), v = ones({2, 5, 7});
  const auto start = Generator(7).state().offset;
  for (const double p : {0.0, 0.25, 1.0}) {
    Generator fused(7), plain(7);
    AttentionOptions options;
    options.dropout = p;
    options.generator = &fused;
    dot_attention(q, k, v, options);
    options.generator = &plain;
    dot_attention_plain(q, k, v, options);
    EXPECT_EQ(fused.state().offset, plain.state().offset) << p;
    EXPECT_EQ(fused.state().offset == start, p == 0) << p;
  }
}

TEST(Edges, ATableOfOneNumberIsReadAtItsOnlyPlace) {
  const ScoreMap map = score_map([](auto s, auto at, auto t) { return s + t(at.k); },
                                 as_table(full({1}, 5, DType::f64)));
  const Numbers found = numbers(map(zeros({2, 3}, DType::f64)));
  EXPECT_EQ(found[0], 5);
  EXPECT_TRUE(std::isnan(found[1]) && std::isnan(found[2]));
}

TEST(Edges, AMeanOfOneIsNotTheSameMemory) {
  const Tensor x = tensor({1, 2, 3}, {3, 1}, DType::f64);
  for (const bool keepdim : {false, true}) fill_(mean(x, {1}, keepdim), 7);
  EXPECT_EQ(numbers(x), (Numbers{1, 2, 3}));
}

// The limit of z log z is 0; its slope there, which is none, counts as 0.
TEST(Edges, OfADivergenceIsATargetOfZero) {
  const Tensor input = line({-1, -2}), target = line({0, 0.5}).set_requires_grad();
  const Tensor loss = kl_div(input, target, Reduction::sum);
  EXPECT_DOUBLE_EQ(loss.item(), 0.5 * (std::log(0.5) + 2));
  const Numbers g = numbers(grad({loss}, {target})[0]);
  EXPECT_EQ(g[0], 0);
  EXPECT_DOUBLE_EQ(g[1], std::log(0.5) + 1 + 2);
}

}  // namespace
}  // namespace heed
