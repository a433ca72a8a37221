// Words of PyTorch's users in nn: each beside what it means.
#include <gtest/gtest.h>

#include "../../autograd/autograd.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../nn/nn.h"
#include "../support/throws.h"

namespace heed::nn {
namespace {

using Numbers = std::vector<double>;
Numbers numbers(const Tensor& x) { return x.array().to(DType::f64).to_vector<double>(); }

TEST(Words, LayersAreMadeByTheirOptions) {
  const Linear linear(LinearOptions{.in = 3, .out = 5, .bias = false, .dtype = DType::f64});
  EXPECT_EQ(linear.weight.shape(), (Shape{5, 3}));
  EXPECT_EQ(linear.weight.dtype(), DType::f64);
  EXPECT_FALSE(linear.bias.defined());
  EXPECT_TRUE(Linear({.in = 3, .out = 5}).bias.defined());
  EXPECT_THROW(Linear({.in = 3}), ValueError);
  EXPECT_THROW(Linear({.out = 5}), ValueError);
  EXPECT_THROW(Embedding({.count = 7}), ValueError);
  EXPECT_THROW(Embedding({.width = 3}), ValueError);
  EXPECT_THROW(GRU({.input = 3}), ValueError);
  EXPECT_THROW(GRU({.hidden = 5}), ValueError);
  EXPECT_THROW(RNN({.input = 3}), ValueError);
  EXPECT_THROW(RNN({.hidden = 5}), ValueError);
  const Embedding padded(7, 3, {.padding = 2});
  EXPECT_EQ(padded.weight.shape(), (Shape{7, 3}));
  EXPECT_EQ(numbers(padded.weight[2]), (Numbers{0, 0, 0}));
  EXPECT_EQ(CrossEntropyLoss(Reduction::none)(zeros({2, 3}), tensor({0, 1})).shape(), (Shape{2}));
}

TEST(Words, ModulesSayWhatTheyAre) {
  Sequential net(Linear(3, 4), ReLU());
  EXPECT_TRUE(net.is_training());
  net.eval();
  EXPECT_FALSE(net.is_training());
  ASSERT_EQ(net.named_children().size(), 2U);
  EXPECT_EQ(net.named_children()[0].first, "0");
}

TEST(Words, ActivationsAreTheirFunctions) {
  manual_seed(3);
  const Tensor x = 3.0 * randn({5, 7});
  EXPECT_EQ(numbers(SELU()(x)), numbers(selu(x)));
  EXPECT_EQ(numbers(Hardsigmoid()(x)), numbers(hardsigmoid(x)));
  EXPECT_EQ(numbers(Hardswish()(x)), numbers(hardswish(x)));
  Sequential net(SELU{}, Hardsigmoid{}, Hardswish{});
  EXPECT_EQ(numbers(net(x)), numbers(hardswish(hardsigmoid(selu(x)))));
}

TEST(Words, LossesAreTheirFunctions) {
  manual_seed(5);
  const Tensor a = randn({5, 3}), b = randn({5, 3}), c = randn({5, 3});
  const Tensor y = where(randn({5, 3}) > 0, 1.0, -1.0);
  EXPECT_EQ(MarginRankingLoss()(a, b, y).item(), margin_ranking_loss(a, b, y, 0).item());
  EXPECT_EQ(MarginRankingLoss(0.5, Reduction::sum)(a, b, y).item(),
            margin_ranking_loss(a, b, y, 0.5, Reduction::sum).item());
  EXPECT_EQ(TripletMarginLoss()(a, b, c).item(), triplet_margin_loss(a, b, c, 1).item());
  EXPECT_EQ(TripletMarginLoss(0.5, Reduction::sum)(a, b, c).item(),
            triplet_margin_loss(a, b, c, 0.5, Reduction::sum).item());
  EXPECT_EQ(numbers(CosineSimilarity()(a, b)), numbers(cosine_similarity(a, b, 1, 1e-8)));
  EXPECT_EQ(numbers(CosineSimilarity(0, 0.5)(a, b)), numbers(cosine_similarity(a, b, 0, 0.5)));
  EXPECT_ERROR_WITH(ValueError, "MarginRankingLoss: margin", MarginRankingLoss(1.0 / 0.0));
  EXPECT_ERROR_WITH(ValueError, "TripletMarginLoss: margin", TripletMarginLoss(1.0 / 0.0));
}

TEST(Words, CellsTakeBothStates) {
  manual_seed(7);
  const LSTMCell cell(3, 5);
  const Tensor x = randn({2, 3}), h = randn({2, 5}), c = randn({2, 5});
  EXPECT_EQ(numbers(cell(x, h, c).h), numbers(cell(x, {h, c}).h));
  EXPECT_EQ(numbers(cell(x, h, c).c), numbers(cell(x, {h, c}).c));
}

TEST(Words, BeginWithOnesOnTheDiagonal) {
  const Tensor x = randn({3, 5});
  init::eye_(x);
  EXPECT_EQ(numbers(x), numbers(eye(3, 5)));
}

TEST(Words, AnAxisIsCutByItsOwnSize) {
  const Tensor none = zeros({0, 6});
  EXPECT_EQ(Unflatten(1, {2, -1})(none).shape(), (Shape{0, 2, 3}));
  EXPECT_EQ(none.unflatten(-1, {-1, 3}).shape(), (Shape{0, 2, 3}));
  EXPECT_EQ(Unflatten(0, {-1, 7})(none).shape(), (Shape{0, 7, 6}));
  EXPECT_ERROR(ShapeError, "Unflatten: axis 1 of [0, 6] cannot be cut into [5, 7]",
               Unflatten(1, {5, 7})(none));
  for (const Shape& sizes : {Shape{4, -1}, Shape{0, -1}, Shape{-1, -1}, Shape{-2, -3}, Shape{}}) {
    EXPECT_THROW(none.unflatten(1, sizes), ShapeError);
    EXPECT_THROW(Unflatten(1, sizes)(none), ShapeError);
  }
}

TEST(Words, OnesOnTheDiagonalAreOfAMatrix) {
  const Tensor matrix = full({2, 3}, 7.0);
  init::eye_(matrix);
  EXPECT_EQ(numbers(matrix), (Numbers{1, 0, 0, 0, 1, 0}));
  const Tensor deep = full({2, 3, 5}, 7.0);
  EXPECT_ERROR(ShapeError, "eye_: no matrix: f32[2, 3, 5]", init::eye_(deep));
  EXPECT_EQ(numbers(deep), Numbers(30, 7));
}

}  // namespace
}  // namespace heed::nn
