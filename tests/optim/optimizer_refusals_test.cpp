// What optimizers refuse: parameters, gradients and tensors that are not what they were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../nn/embedding.h"
#include "../../nn/linear.h"
#include "../../optim/lion.h"
#include "../support/throws.h"
#include "all_optimizers.h"

namespace heed {
namespace {

using optim::Adam;
using optim::AdamW;
using optim::SGD;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(OptimizerRefusals, ChecksItsParameters) {
  Tensor p = ones({2}).set_requires_grad();
  EXPECT_ERROR(ValueError, "SGD: a group has no parameters", SGD(std::vector<Tensor>{}));
  EXPECT_ERROR(ValueError, "Adam: parameter f32[2] is named twice", Adam({p, p}));
  EXPECT_ERROR(ValueError, "Adam: a parameter is undefined", Adam({p, Tensor()}));
  EXPECT_ERROR(GradError, "AdamW: f32[2] is the result of an operator, not a leaf", AdamW({p + p}));
  EXPECT_ERROR_WITH(DTypeError, "SGD", SGD({Tensor(Array::zeros({2}, DType::i64))}));
}

TEST(OptimizerRefusals, AGradientThatDoesNotFitChangesNothing) {
  Tensor first = ones({2}).set_requires_grad();
  Tensor table = ones({5, 2}).set_requires_grad();
  SGD sgd({first, table}, {.lr = 1});
  first.set_grad(ones({2}));
  const auto refused = [&](const std::vector<std::int64_t>& rows, const Shape& values) {
    table.set_grad(Tensor(SparseRows{Array::from(rows), Array::zeros(values, DType::f32), {5, 2}}));
    const std::string text = message_of<Error>([&] { sgd.step(); });
    EXPECT_THAT(floats(first), ElementsAre(1.0f, 1.0f));
    return text;
  };
  EXPECT_EQ(refused({1, 5}, {2, 2}),
            "SGD: a sparse gradient's row 5 at 1 does not ascend or is out of range [0, 5)");
  EXPECT_THAT(refused({3, 3}, {2, 2}), HasSubstr("row 3 at 1 does not ascend"));
  EXPECT_EQ(refused({1, 2}, {1, 2}),
            "SGD: a sparse gradient's rows i64[2] and values f32[1, 2] do not make [5, 2]");
  EXPECT_THAT(refused({-1, 2}, {2, 2}), HasSubstr("row -1 at 0 does not ascend"));
  EXPECT_THAT(refused({1, 2}, {2, 3}), HasSubstr("values f32[2, 3] do not make"));
  const auto refused_as = [&](const Array& rows, const Array& values) {
    table.set_grad(Tensor(SparseRows{rows, values, {5, 2}}));
    EXPECT_ERROR_WITH(ShapeError, "do not make [5, 2]", sgd.step());
    EXPECT_THAT(floats(first), ElementsAre(1.0f, 1.0f));
  };
  const Array two = Array::from(std::vector<std::int64_t>{1, 7, 3, 7}, {2, 2}).select(1, 0);
  ASSERT_FALSE(two.is_contiguous());
  refused_as(two, Array::zeros({2, 2}, DType::f32));
  refused_as(two.contiguous(), Array::zeros({2, 2}, DType::f32).transpose(0, 1));
  refused_as(two.contiguous().unsqueeze(0), Array::zeros({2, 2}, DType::f32));
}

TEST(OptimizerRefusals, ASparseGradientMayBeOfNumbers) {
  Tensor p = ones({5}).set_requires_grad();
  SGD sgd({p}, {.lr = 1});
  p.set_grad(Tensor(SparseRows{
      Array::from(std::vector<std::int64_t>{1, 4}), Array::from(std::vector<float>{3, 7}), {5}}));
  sgd.step();
  EXPECT_THAT(floats(p), ElementsAre(1.0f, -2.0f, 1.0f, 1.0f, -6.0f));
}

TEST(OptimizerRefusals, ASparseGradientMayHaveNoRows) {
  for (const Index width : {0, 2}) {
    Tensor table = ones({5, width}).set_requires_grad();
    SGD sgd({table}, {.lr = 1, .momentum = 0.5});
    const std::vector<std::int64_t> rows = {1, 3};
    const Index count = width == 0 ? 2 : 0;
    table.set_grad(Tensor(SparseRows{Array::from(rows).slice(0, 0, count),
                                     Array::zeros({count, width}, DType::f32),
                                     {5, width}}));
    sgd.step();
    EXPECT_THAT(floats(table), testing::Each(1.0f)) << width;
    EXPECT_EQ(sgd.state_dict()[1].second.item(), 1);
  }
}

// The gradient is the caller's tensor, which may become another one behind the optimizer's back; so
// may the parameter, between two steps.
TEST(OptimizerRefusals, WhatBecameAnotherTensorChangesNothing) {
  Tensor first = ones({2}).set_requires_grad(), second = ones({5}).set_requires_grad();
  Adam adam({first, second});
  const auto refused = [&](const Array& gradient) {
    const Tensor given = ones({5});
    first.set_grad(ones({2}));
    second.set_grad(given);
    Tensor(given).set_array(gradient);
    const std::string text = message_of<Error>([&] { adam.step(); });
    EXPECT_THAT(floats(first), ElementsAre(1.0f, 1.0f));
    return text;
  };
  EXPECT_EQ(refused(Array::zeros({3}, DType::f32)),
            "Adam: a gradient of f32[3] for a parameter of f32[5]");
  EXPECT_EQ(refused(Array::zeros({5}, DType::f64)),
            "Adam: a gradient of f64[5] for a parameter of f32[5]");
  second.set_grad(ones({5}));
  adam.step();
  const std::vector<float> before = floats(first);
  second.set_array(Array::zeros({7}, DType::f32));
  second.set_grad(ones({7}));
  EXPECT_ERROR(ShapeError, "Adam: a parameter became f32[7], its state is f32[5]", adam.step());
  EXPECT_EQ(floats(first), before);
  Tensor third = ones({3}).set_requires_grad();
  SGD sgd({first, third}, {.momentum = 0.5});
  third.set_grad(ones({3}));
  sgd.step();
  third.set_array(Array::zeros({2}, DType::f32));
  third.set_grad(ones({2}));
  EXPECT_ERROR(ShapeError, "SGD: a parameter became f32[2], its state is f32[3]", sgd.step());
}

TEST(OptimizerRefusals, WhatBecameWholeNumbersChangesNothing) {
  Tensor first = ones({2}).set_requires_grad(), second = ones({3}).set_requires_grad();
  SGD sgd({first, second}, {.lr = 1});
  second.set_requires_grad(false);
  second.set_array(Array::zeros({3}, DType::i64));
  first.set_grad(ones({2}));
  second.set_grad(Array::zeros({3}, DType::i64));
  EXPECT_ERROR_WITH(DTypeError, "SGD", sgd.step());
  EXPECT_THAT(floats(first), ElementsAre(1.0f, 1.0f));
}

TEST(OptimizerRefusals, NoGroups) {
  EXPECT_ERROR(ValueError, "SGD: there are no groups",
               SGD(std::vector<optim::ParameterGroup<optim::SGDOptions>>{}));
}

TEST(OptimizerRefusals, AStateOfOtherGroups) {
  const Tensor a = ones({2}).set_requires_grad(), b = ones({2}).set_requires_grad(),
               c = ones({2}).set_requires_grad();
  using Groups = std::vector<optim::ParameterGroup<optim::SGDOptions>>;
  SGD one(Groups{{.parameters = {a, b}, .options = {.lr = 0.5}}, {.parameters = {c}}});
  SGD other(Groups{{.parameters = {a}, .options = {.lr = 0.25}}, {.parameters = {b, c}}});
  optim::NamedArrays state = one.state_dict();
  EXPECT_ERROR(ValueError,
               "SGD: the entries do not fit: \"groups.0.size\" is 2, not 1; \"groups.1.size\" is "
               "1, not 2",
               other.load_state_dict(state));
  EXPECT_EQ(other.lr(), 0.25);
  std::erase_if(state, [](const auto& entry) { return entry.first.ends_with(".size"); });
  other.load_state_dict(state);  // as an earlier version saved it
  EXPECT_EQ(other.lr(), 0.5);
}

TEST(OptimizerRefusals, NoDecayOfAnInfiniteParameterIsNotNaN) {
  Tensor p = tensor({INFINITY, 1}, {2}).set_requires_grad();
  std::vector<std::unique_ptr<optim::Optimizer>> all;
  all.push_back(std::make_unique<SGD>(std::vector{p}));
  all.push_back(std::make_unique<SGD>(std::vector{p}, optim::SGDOptions{.momentum = 0.5}));
  all.push_back(std::make_unique<Adam>(std::vector{p}));
  all.push_back(std::make_unique<AdamW>(std::vector{p}));
  all.push_back(std::make_unique<optim::RMSprop>(std::vector{p}));
  all.push_back(std::make_unique<optim::Adagrad>(std::vector{p}));
  all.push_back(std::make_unique<optim::Adadelta>(std::vector{p}));
  all.push_back(
      std::make_unique<optim::Lion>(std::vector{p}, optim::LionOptions{.weight_decay = 0}));
  for (std::size_t i = 0; i < all.size(); ++i) {
    p.set_array(Array::from(std::vector<float>{INFINITY, 1}));
    p.set_grad(ones({2}));
    all[i]->step();
    EXPECT_EQ(floats(p)[0], INFINITY) << i;
    EXPECT_LT(floats(p)[1], 1) << i;
  }
}

}  // namespace
}  // namespace heed
