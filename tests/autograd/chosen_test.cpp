// What stands at a mask or at indices is written to where it stands, and is a tensor elsewhere.
#include "../../autograd/chosen.h"

#include <gtest/gtest.h>

#include "../../autograd/methods.h"
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

TEST(Chosen, RefusesWhatAWriteInPlaceRefuses) {
  Tensor x = six().requires_grad_();
  EXPECT_THROW(x[x > 0] = 0, GradError);
  EXPECT_THROW(six()[tensor({true, false, true})] = 0, Error);
  EXPECT_THROW(six()[tensor({3})] = 0, IndexError);
  EXPECT_THROW(six()[tensor({1})] = tensor({1.0, 2.0}), ShapeError);
  sum(x[x > 0] * x[x > 0]).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Numbers{0, 4, 6, 8, 0, 12}));
}

}  // namespace
}  // namespace heed
