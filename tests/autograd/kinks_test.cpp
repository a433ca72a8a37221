// What differences cannot check: gradients at kinks, and past numbers that must not count.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../autograd/backward.h"
#include "../../autograd/ops/conv/pool.h"
#include "../../autograd/ops/elementwise/activation.h"
#include "../../autograd/ops/elementwise/clamp.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/elementwise/power.h"
#include "../../autograd/ops/elementwise/prelu.h"
#include "../../autograd/ops/index/sort.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/losses/margin_losses.h"
#include "../../autograd/ops/losses/regression_losses.h"
#include "../../autograd/ops/normalise/entmax.h"
#include "../../autograd/ops/normalise/normalize.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/normalise/sparsemax.h"
#include "../../autograd/ops/recurrent/rnn.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/reduce/statistics.h"
#include "../../autograd/ops/shape/shape.h"
#include "kinks.h"

namespace heed {
namespace {

using Numbers = std::vector<double>;

TEST(Kinks, AbsAndReluAreFlatAtZero) {
  const Tensor x = leaf({-1, 0, -0.0, 1});
  EXPECT_EQ(gradient(abs(x), x), (Numbers{-1, 0, 0, 1}));
  EXPECT_EQ(gradient(relu(x), x), (Numbers{0, 0, 0, 1}));
}

TEST(Kinks, EqualOperandsShareTheGradient) {
  const Tensor x = leaf({1, 2, 3}), y = leaf({3, 2, 1});
  EXPECT_EQ(gradient(maximum(x, y), x), (Numbers{0, 0.5, 1}));
  EXPECT_EQ(gradient(maximum(x, y), y), (Numbers{1, 0.5, 0}));
  EXPECT_EQ(gradient(minimum(x, y), x), (Numbers{1, 0.5, 0}));
  EXPECT_EQ(gradient(minimum(x, y), y), (Numbers{0, 0.5, 1}));
}

TEST(Kinks, EqualExtremesShareTheGradient) {
  const Tensor x = leaf({7, -3, 7, -3, 7, -3});
  EXPECT_EQ(gradient(amax(x), x), (Numbers{1.0 / 3, 0, 1.0 / 3, 0, 1.0 / 3, 0}));
  EXPECT_EQ(gradient(amin(x), x), (Numbers{0, 1.0 / 3, 0, 1.0 / 3, 0, 1.0 / 3}));
}

TEST(Kinks, ExtremesOfPairs) {
  const Tensor x = leaf({7, 7, -3, 5, 2, 1});
  EXPECT_EQ(gradient(amax(reshape(x, {3, 2}), {1}), x), (Numbers{0.5, 0.5, 0, 1, 1, 0}));
  EXPECT_EQ(gradient(amin(reshape(x, {3, 2}), {1}), x), (Numbers{0.5, 0.5, 1, 0, 0, 1}));
  const Tensor y = leaf({3, 4, std::numeric_limits<double>::quiet_NaN(), 2});
  const Numbers of = grad({amax(reshape(y, {2, 2}), {1})}, {y}, {full({2}, 1, DType::f64)})[0]
                         .array()
                         .to_vector<double>();
  EXPECT_EQ(of[1], 1);
  EXPECT_TRUE(std::isnan(of[2]) && std::isnan(of[3]));
}

TEST(Kinks, EqualExtremesAlongAnAxisTakeTheFirst) {
  const Tensor x = leaf({7, -3, 7, -3});
  EXPECT_EQ(gradient(max(x, 0).values, x), (Numbers{1, 0, 0, 0}));
  EXPECT_EQ(gradient(min(x, 0).values, x), (Numbers{0, 1, 0, 0}));
  EXPECT_EQ(gradient(median(x, 0).values, x), (Numbers{0, 0, 0, 1}));  // the second in order
  EXPECT_EQ(gradient(median(x), x), (Numbers{0, 0, 0, 1}));
}

TEST(Kinks, EqualElementsAreSortedAsTheyStand) {
  const Tensor x = leaf({5, 2, 5, 2});
  const Tensor weights = tensor({1, 2, 3, 4}, {4}, DType::f64);
  EXPECT_EQ(gradient(sort(x).values * weights, x), (Numbers{3, 1, 4, 2}));
  EXPECT_EQ(gradient(sort(x, 0, true).values * weights, x), (Numbers{1, 3, 2, 4}));
  EXPECT_EQ(gradient(topk(x, 1).values, x), (Numbers{1, 0, 0, 0}));
}

TEST(Kinks, EqualElementsOfAWindowGiveToTheFirst) {
  const Tensor x = leaf({4, 4, 1, 6, 6, 6});
  EXPECT_EQ(gradient(max_pool1d(reshape(x, {1, 6}), {.kernel = 3}), x),
            (Numbers{1, 0, 0, 1, 0, 0}));
  const MaxPool2dOptions options{.kernel = {2, 3}};
  EXPECT_EQ(gradient(max_pool2d(reshape(x, {1, 2, 3}), options), x), (Numbers{0, 0, 0, 1, 0, 0}));
  const double third = 1.0 / 3;  // the plain form shares
  EXPECT_EQ(gradient(max_pool2d_plain(reshape(x, {1, 2, 3}), options), x),
            (Numbers{0, 0, 0, third, third, third}));
}

TEST(Kinks, ActivationsHaveTheSlopeFromTheLeft) {
  const Tensor x = leaf({-1, 0, -0.0, 1});
  EXPECT_EQ(gradient(leaky_relu(x, 0.25), x), (Numbers{0.25, 0.25, 0.25, 1}));
  const Numbers of_elu = gradient(elu(x, 2), x);
  EXPECT_EQ((Numbers{of_elu[1], of_elu[2], of_elu[3]}), (Numbers{2, 2, 1}));
  const Tensor slope = leaf({0.5});
  EXPECT_EQ(gradient(prelu(x, slope), x), (Numbers{0.5, 0.5, 0.5, 1}));
  EXPECT_EQ(gradient(prelu(x, slope), slope), (Numbers{-1}));
  const Tensor edge = leaf({2, 3});  // past the threshold softplus is x itself
  const Numbers of_softplus = gradient(softplus(edge, 1, 2), edge);
  EXPECT_DOUBLE_EQ(of_softplus[0], 1 / (1 + std::exp(-2)));
  EXPECT_EQ(of_softplus[1], 1);
}

TEST(Kinks, ClampGivesToItsInputAtABound) {
  const Tensor x = leaf({-2, -1, 0, 1, 2});
  EXPECT_EQ(gradient(clamp(x, -1, 1), x), (Numbers{0, 1, 1, 1, 0}));
  EXPECT_EQ(gradient(clamp(x, -1, std::nullopt), x), (Numbers{0, 1, 1, 1, 1}));
  EXPECT_EQ(gradient(clamp(x, std::nullopt, 1), x), (Numbers{1, 1, 1, 1, 0}));
  const Tensor min = leaf({-1, -1, -1, -1, -1}), max = leaf({1, 1, 1, 1, 1});
  EXPECT_EQ(gradient(clamp(x, min, max), x), (Numbers{0, 1, 1, 1, 0}));
  EXPECT_EQ(gradient(clamp(x, min, max), min), (Numbers{1, 0, 0, 0, 0}));
  EXPECT_EQ(gradient(clamp(x, min, max), max), (Numbers{0, 0, 0, 0, 1}));
}

TEST(Kinks, ClampOfEqualBoundsGivesToItsInputOrTheBoundThatIsPassed) {
  const Tensor x = leaf({0, 1, 2}), min = leaf({1, 1, 1}), max = leaf({1, 1, 1});
  EXPECT_EQ(gradient(clamp(x, min, max), x), (Numbers{0, 1, 0}));
  Numbers both = gradient(clamp(x, min, max), min);
  const Numbers of_max = gradient(clamp(x, min, max), max);
  for (std::size_t i = 0; i < both.size(); ++i) both[i] += of_max[i];
  EXPECT_EQ(both[1], 0);
  EXPECT_EQ(both[2], 1);
}

TEST(Kinks, PowersOfZero) {
  const Tensor x = leaf({0, 0, 0, 0}), y = leaf({0, 1, 2, 0.5});
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(gradient(pow(x, y), x), (Numbers{0, 1, 0, inf}));
  EXPECT_EQ(gradient(pow(x, y), y), (Numbers{0, 0, 0, 0}));
}

TEST(Kinks, SpreadAndLengthAreFlatAtZero) {
  const Tensor same = leaf({3, 3, 3});
  EXPECT_EQ(gradient(stddev(same), same), (Numbers{0, 0, 0}));
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor zero = leaf({0, -0.0, 0});
  for (const double p : {1.0, 1.5, 2.0, 3.0, inf}) {
    EXPECT_EQ(gradient(norm(zero, p), zero), (Numbers{0, 0, 0})) << p;
  }
  const Tensor x = leaf({-2, 0, 2});
  EXPECT_EQ(gradient(norm(x, 1), x), (Numbers{-1, 0, 1}));
  EXPECT_EQ(gradient(norm(x, inf), x), (Numbers{-0.5, 0, 0.5}));
  EXPECT_FALSE(norm(x, 0).requires_grad());
}

TEST(Kinks, VectorsNoLongerThanEpsAreDividedByIt) {
  const Tensor zero = leaf({0, 0});
  EXPECT_EQ(gradient(normalize(zero, 2, 0, 0.5), zero), (Numbers{2, 2}));
  const Tensor at_eps = leaf({0, 0.5});
  EXPECT_EQ(gradient(normalize(at_eps, 2, 0, 0.5), at_eps), (Numbers{2, 2}));
  const Tensor y = leaf({1, 0});
  EXPECT_EQ(gradient(cosine_similarity(zero, y, 0, 0.5), zero), (Numbers{2, 0}));
  EXPECT_EQ(gradient(cosine_similarity(zero, y, 0, 0.5), y), (Numbers{0, 0}));
}

TEST(Kinks, APlaceAtTheEdgeOfTheSupportGetsNothing) {
  const Tensor x = leaf({1, 0, -3});  // sparsemax: tau is 0, the second place about to enter
  const Tensor weights = tensor({3, 5, 7}, {3}, DType::f64);
  EXPECT_EQ(gradient(sparsemax(x, 0) * weights, x), (Numbers{0, 0, 0}));
  EXPECT_EQ(gradient(entmax(x, 0, 2) * weights, x), (Numbers{0, 0, 0}));
  const Tensor equal = leaf({1, 1, 0.5});  // 0.5, 0.5, and one that is about to enter
  EXPECT_EQ(gradient(sparsemax(equal, 0) * weights, equal), (Numbers{-1, 1, 0}));
}

TEST(Kinks, TheReluOfARecurrentLayerIsFlatAtZero) {
  const Tensor x = leaf({-1, 0, 1});
  const Tensor one = full({1, 1}, 1, DType::f64);
  const RnnWeights weights{one, 0 * one, Tensor(), Tensor()};
  for (const auto layer : {rnn, rnn_plain}) {
    const Tensor steps = reshape(x, {1, 3, 1});
    const Tensor out = layer(steps, Tensor(), {weights}, {}, Nonlinearity::relu).output;
    EXPECT_EQ(gradient(out, x), (Numbers{0, 0, 1}));
  }
  const Tensor cell = rnn_cell(reshape(x, {3, 1}), Tensor(), weights, Nonlinearity::relu);
  EXPECT_EQ(gradient(cell, x), (Numbers{0, 0, 1}));
}

TEST(Kinks, AbsoluteLossesAreFlatWhereTheyAreZero) {
  const Tensor x = leaf({1, 2, 3}), y = leaf({2, 2, 2});
  EXPECT_EQ(gradient(l1_loss(x, y, Reduction::sum), x), (Numbers{-1, 0, 1}));
  EXPECT_EQ(gradient(l1_loss(x, y, Reduction::sum), y), (Numbers{1, 0, -1}));
  EXPECT_EQ(gradient(smooth_l1_loss(x, y, 0, Reduction::sum), x), (Numbers{-1, 0, 1}));
  EXPECT_EQ(gradient(smooth_l1_loss(x, y, 1, Reduction::sum), x), (Numbers{-1, 0, 1}));
}

TEST(Kinks, HingeSlopesAtItsMargin) {
  const Tensor x = leaf({0.5, 1, 2, 1});
  const Tensor targets = tensor({-1, -1, -1, 1}, {4}, DType::f64);
  EXPECT_EQ(gradient(hinge_embedding_loss(x, targets, 1, Reduction::sum), x),
            (Numbers{-1, -1, 0, 1}));
}

TEST(Kinks, CosineEmbeddingSlopesAtItsMargin) {
  const Tensor a = leaf({1, 0}), b = leaf({0, 1});  // at right angles: the cosine is 0, the margin
  const Tensor target = tensor(-1, DType::f64);
  const Numbers sloping = gradient(cosine_embedding_loss(a, b, target, 0), a);
  EXPECT_EQ(sloping[0], 0);
  EXPECT_NEAR(sloping[1], 1, 1e-11);  // the length of 1 is made longer by 1e-12
  EXPECT_EQ(gradient(cosine_embedding_loss(a, b, target, 0.25), a), (Numbers{0, 0}));
}

TEST(Kinks, MultiMarginIsFlatAtItsMargin) {
  const Tensor x = leaf({2, 1, 1.5, 0});  // of class 0: at the margin, inside of it, beyond it
  const Tensor target = Tensor(Array::from(std::vector<std::int64_t>{0}, Shape{}));
  EXPECT_EQ(gradient(multi_margin_loss(x, target), x), (Numbers{-0.25, 0, 0.25, 0}));
  EXPECT_EQ(gradient(multi_margin_loss(x, target, {.p = 2}), x), (Numbers{-0.25, 0, 0.25, 0}));
}

TEST(NaN, OnTheSideNotTakenDoesNotCount) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor safe = Tensor(Array::from(std::vector<bool>{false, true, false}));
  const Tensor y = leaf({NAN, 2, inf});
  EXPECT_EQ(gradient(where(safe, y, tensor(0, DType::f64)), y), (Numbers{0, 1, 0}));
  EXPECT_EQ(gradient(masked_fill(y, logical_not(safe), 0), y), (Numbers{0, 1, 0}));
}

TEST(NaN, UnderAMaskDoesNotCount) {
  const Tensor x = leaf({1, NAN, 1, std::numeric_limits<double>::infinity()});
  const Tensor open = Tensor(Array::from(std::vector<bool>{true, false, true, false}));
  const Tensor weights = tensor({1, 5, 3, 7}, {4}, DType::f64);
  EXPECT_EQ(gradient(sum(softmax(x, 0, open) * weights), x), (Numbers{-0.5, 0, 0.5, 0}));
  const Tensor shut = Tensor(Array::zeros({4}, DType::boolean));
  EXPECT_EQ(gradient(sum(softmax(x, 0, shut) * weights), x), (Numbers{0, 0, 0, 0}));
}

TEST(Loss, WithoutAnyTargetIsZeroAndSoIsItsGradient) {
  Tensor logits = tensor({1, 2, 3, 4, 5, 6}, {2, 3}, DType::f64);
  logits.set_requires_grad();
  const Tensor targets = Tensor(Array::from(std::vector<std::int64_t>{-100, -100}));
  const Tensor loss = cross_entropy(logits, targets);
  EXPECT_EQ(loss.item(), 0);
  EXPECT_EQ(gradient(loss, logits), Numbers(6, 0));
}

// Of NaN in x or in a bound, crossed bounds too.
TEST(Kinks, AClampThatIsNaNHasNoGradientButOfItsMax) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Tensor x = leaf({kNan, kNan, 5, 0}), min = leaf({1, 3, kNan, 1}),
               max = leaf({2, 2, 2, kNan});
  for (const Tensor& each : {x, min}) {
    EXPECT_EQ(gradient(clamp(x, min, max), each), Numbers(4, 0));
  }
  EXPECT_EQ(gradient(clamp(x, min, max), max), (Numbers{0, 1, 1, 0}));  // as libtorch's
  EXPECT_EQ(gradient(clamp(x, Tensor(), max), max), (Numbers{0, 0, 1, 0}));
}

}  // namespace
}  // namespace heed
