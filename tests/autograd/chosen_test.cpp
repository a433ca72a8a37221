// What stands at a mask or at indices is written to where it stands, and is a tensor elsewhere.
#include "../../autograd/chosen.h"

#include <gtest/gtest.h>

#include "../../autograd/more_methods.h"
#include "../../core/error.h"

namespace heed {
namespace {

using Numbers = std::vector<float>;

Tensor six() { return tensor({{-1.0, 2.0, 3.0}, {4.0, -5.0, 6.0}}); }

TEST(Chosen, IsWrittenToWhereItStands) {
  Tensor x = six();
  x[x > 2] = 0;
  EXPECT_EQ(x.to_vector<float>(), (Numbers{-1, 2, 0, 0, -5, 0}));
  x[tensor({1, 0})] = tensor({{7.0, 8.0, 9.0}, {1.0, 2.0, 3.0}});
  EXPECT_EQ(x.to_vector<float>(), (Numbers{1, 2, 3, 7, 8, 9}));
  x[x < 3] = tensor({5.0, 6.0});
  EXPECT_EQ(x.to_vector<float>(), (Numbers{5, 6, 3, 7, 8, 9}));
  x[tensor({0})] = x[tensor({1})];
  EXPECT_EQ(x.to_vector<float>(), (Numbers{7, 8, 9, 7, 8, 9}));
  x.t()[tensor({2})] = -1;  // a view's numbers are x's
  EXPECT_EQ(x.to_vector<float>(), (Numbers{7, 8, -1, 7, 8, -1}));
}

TEST(Chosen, IsChangedWhereItStands) {
  Tensor x = six();
  x[x > 0] += 1;
  x[x < 0] *= -2.0;
  x[tensor({0, 0})] -= 1;  // once
  x[tensor({1})] /= tensor({5.0, 10.0, 7.0});
  EXPECT_EQ(x.to_vector<float>(), (Numbers{1, 2, 3, 1, 1, 1}));
  Tensor whole = arange(6);
  whole[whole % 2 == 0] *= 3;
  EXPECT_EQ(whole.to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 6, 3, 12, 5}));
  EXPECT_THROW(whole[whole > 0] += 0.5, DTypeError);
}

TEST(Chosen, IsATensorOfItsOwnUnderAName) {
  const Tensor x = six();
  auto y = x[x > 2];
  EXPECT_EQ(y.sum().item(), 13);
  y = y * 2;
  y += 1;
  EXPECT_EQ(y.to_vector<float>(), (Numbers{7, 9, 13}));
  y[0] = 0;
  Tensor z = x[x > 2];
  z = x[x < 0];
  EXPECT_EQ(z.to_vector<float>(), (Numbers{-1, -5}));
  EXPECT_EQ(x.to_vector<float>(), six().to_vector<float>());
}

TEST(Chosen, TakesPlacesAmongOtherEntries) {
  const Tensor x = arange(210).reshape(2, 3, 5, 7);
  const Tensor a = tensor({1, 0}), b = tensor({{4}, {-2}, {2}});
  const auto at = [](Index i, Index j, Index k, Index l) { return ((i * 3 + j) * 5 + k) * 7 + l; };
  const Tensor beside = x[{Slice(), a, b, 6}];
  ASSERT_EQ(beside.shape(), (Shape{2, 3, 2}));
  EXPECT_EQ((beside[{1, 1, 0}].item<Index>()), at(1, 1, 3, 6));
  const Tensor apart = x[{a, Slice(1, None), b, None}];
  ASSERT_EQ(apart.shape(), (Shape{3, 2, 2, 1, 7}));
  EXPECT_EQ((apart[{2, 0, 1, 0, 5}].item<Index>()), at(1, 2, 2, 5));
  const Tensor masked = x[{"...",
                           tensor({{true, false, false, true, false},
                                   {false, false, false, false, false},
                                   {false, true, false, false, false}}),
                           Slice(0, 2)}];
  ASSERT_EQ(masked.shape(), (Shape{2, 3, 2}));
  EXPECT_EQ((masked[{1, 2, 1}].item<Index>()), at(1, 2, 1, 1));
  EXPECT_TRUE(equal(x.index({a}), x[a]));
  EXPECT_THROW((x[{a, a, a, a, 0}]), IndexError);
  EXPECT_THROW((x[{a, a, a, a, a}]), ShapeError);  // as index() of tensors
  EXPECT_THROW((x[{"..", 0}]), IndexError);
  EXPECT_THROW((x[{Slice(), Tensor()}]), GradError);
}

TEST(Chosen, IsWrittenAmongOtherEntries) {
  Tensor x = zeros({2, 3, 5});
  x[{Slice(), tensor({2, 0}), Slice(None, None, 3)}] = tensor({{1.0, 2.0}, {3.0, 4.0}});
  EXPECT_EQ(x.to_vector<float>(), (Numbers{3, 0, 0, 4, 0, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0,
                                           3, 0, 0, 4, 0, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0}));
  x[{1, "...", tensor({0})}] *= -1;
  x[{0, Slice()}] = 0;  // a view
  x[{1, 1}] += 5;
  EXPECT_EQ(x[0].sum().item(), 0);
  EXPECT_EQ(x[1].to_vector<float>(), (Numbers{-3, 0, 0, 4, 0, 5, 5, 5, 5, 5, -1, 0, 0, 2, 0}));
  x.index_put_({x > 4}, 1.0).index_put_({tensor({0}), None, tensor({1})}, tensor(7.0));
  EXPECT_EQ(x[1][1].sum().item(), 5);
  EXPECT_EQ(x[0][1].sum().item(), 35);
  EXPECT_EQ(x[None].shape(), (Shape{1, 2, 3, 5}));
  EXPECT_TRUE(equal(x[Slice(1, None)], x[{"...", Slice(), Slice()}].narrow(0, 1, 1)));
}

TEST(Chosen, RefusesWhatAWriteInPlaceRefuses) {
  Tensor x = six().requires_grad_();
  EXPECT_THROW(x[x > 0] = 0, GradError);
  EXPECT_THROW(six()[tensor({true, false, true})] = 0, Error);
  EXPECT_THROW(six()[tensor({3})] = 0, IndexError);
  EXPECT_THROW(six()[tensor({1})] = tensor({1.0, 2.0}), ShapeError);
  sum(x[x > 0] * x[x > 0]).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Numbers{0, 4, 6, 8, 0, 12}));
}

// By a tensor and by a number; what stands at places, and what is a view.
TEST(Chosen, IsChangedByEachOperator) {
  const auto expect = [](auto change, const Numbers& by_tensor, const Numbers& by_number) {
    const Tensor y = tensor({2.0, 8.0});
    for (const bool number : {false, true}) {
      const Numbers& changed = number ? by_number : by_tensor;
      Tensor x = tensor({{2.0, 4.0}, {2.0, 4.0}});
      number ? change(x[tensor({1})], 2.0) : change(x[tensor({1})], y);
      EXPECT_EQ(x.to_vector<float>(), (Numbers{2, 4, changed[0], changed[1]}));
      number ? change(x[{0, Slice()}], 2.0) : change(x[{0, Slice()}], y);
      EXPECT_EQ(x.to_vector<float>(), (Numbers{changed[0], changed[1], changed[0], changed[1]}));
    }
  };
  expect([](auto&& x, const auto& y) { std::move(x) += y; }, {4, 12}, {4, 6});
  expect([](auto&& x, const auto& y) { std::move(x) -= y; }, {0, -4}, {0, 2});
  expect([](auto&& x, const auto& y) { std::move(x) *= y; }, {4, 32}, {4, 8});
  expect([](auto&& x, const auto& y) { std::move(x) /= y; }, {1, 0.5}, {1, 2});
}

}  // namespace
}  // namespace heed
