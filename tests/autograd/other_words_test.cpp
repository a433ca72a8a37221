// Functions of other_words.h, each beside what it means.
#include "../../autograd/other_words.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "../../autograd/autograd.h"
#include "../../core/generator.h"

namespace heed {
namespace {

using Numbers = std::vector<double>;

Numbers numbers(const Tensor& x) { return x.array().to(DType::f64).to_vector<double>(); }

class OtherWords : public testing::Test {
 protected:
  Tensor normal(const Shape& shape) { return generator_.normal(shape, 0, 1, DType::f64); }
  Generator generator_{29};
};

TEST_F(OtherWords, CompareWithANumber) {
  const Tensor x = tensor({1.0, 2.0, 3.0});
  EXPECT_EQ(numbers(eq(x, 2)), (Numbers{0, 1, 0}));
  EXPECT_EQ(numbers(ne(x, 2)), (Numbers{1, 0, 1}));
  EXPECT_EQ(numbers(lt(x, 2)), (Numbers{1, 0, 0}));
  EXPECT_EQ(numbers(le(x, 2)), (Numbers{1, 1, 0}));
  EXPECT_EQ(numbers(gt(x, 2)), (Numbers{0, 0, 1}));
  EXPECT_EQ(numbers(ge(x, 2)), (Numbers{0, 1, 1}));
  EXPECT_EQ(numbers(+x), numbers(x));
}

TEST_F(OtherWords, ReduceAll) {
  const Tensor x = tensor({{0.0, 2.5, -1.0}, {NAN, 0.0, 3.0}}, DType::f64);
  EXPECT_EQ(nansum(x).item(), 4.5);
  EXPECT_EQ(count_nonzero(x).item(), 4);  // NaN is not 0
  const Tensor y = normal({3, 5});
  const auto [least, greatest] = aminmax(y);
  EXPECT_EQ(least.item(), min(y).item());
  EXPECT_EQ(greatest.item(), max(y).item());
  EXPECT_EQ(ravel(y).shape(), (Shape{15}));
  EXPECT_EQ(numbers(ravel(y)), numbers(y));
}

TEST_F(OtherWords, LogitIsSigmoidsInverse) {
  const Tensor x = normal({7});
  const Numbers back = numbers(logit(sigmoid(x))), own = numbers(x);
  for (std::size_t i = 0; i < own.size(); ++i) EXPECT_NEAR(back[i], own[i], 1e-14);
}

TEST_F(OtherWords, TakeAVectorInAShape) {
  const std::vector<float> floats = {1, 2, 3, 4, 5, 6};
  const Tensor x = tensor(floats, {2, 3});
  EXPECT_EQ(x.shape(), (Shape{2, 3}));
  EXPECT_EQ(x.dtype(), DType::f32);
  EXPECT_EQ(x[1][0].item(), 4);
}

TEST_F(OtherWords, PadAndConvolve) {
  const Tensor x = normal({2, 3, 7}), w = normal({5, 3, 2}), b = normal({5});
  EXPECT_EQ(numbers(pad(x, {1, 2}, 0.5)), numbers(pad(x, {1, 2}, PadMode::constant, 0.5)));
  EXPECT_EQ(numbers(conv1d(x, w, {.stride = 2})), numbers(conv1d(x, w, Tensor(), {.stride = 2})));
  EXPECT_EQ(numbers(conv1d(x, w, b, 2, 1, 3)),
            numbers(conv1d(x, w, b, {.stride = 2, .padding = 1, .dilation = 3})));
  const Tensor image = normal({2, 4, 7, 5}), v = normal({6, 2, 3, 2}), c = normal({6});
  EXPECT_EQ(numbers(conv2d(image, v, {.padding = 1, .groups = 2})),
            numbers(conv2d(image, v, Tensor(), {.padding = 1, .groups = 2})));
  EXPECT_EQ(numbers(conv2d(image, v, c, 2, 1, 2, 2)),
            numbers(conv2d(image, v, c, {.stride = 2, .padding = 1, .dilation = 2, .groups = 2})));
  const Tensor video = normal({1, 2, 3, 5, 4}), u = normal({3, 2, 2, 3, 2});
  EXPECT_EQ(numbers(conv3d(video, u, {.padding = 1})),
            numbers(conv3d(video, u, Tensor(), {.padding = 1})));
}

TEST_F(OtherWords, StandInTheirNamespaces) {
  const Tensor x = normal({3}).set_requires_grad();
  EXPECT_EQ(numbers(autograd::grad(sum(x * x), x)), numbers(2 * x));
  const auto square = [](const Tensor& t) { return t * t; };
  EXPECT_EQ(numbers(autograd::functional::jacobian(square, x)), numbers(jacobian(square, x)));
  std::ostringstream out;
  out << DType::bf16;
  EXPECT_EQ(out.str(), "bf16");
}

TEST_F(OtherWords, CompareAndCalculateWithTensors) {
  const Tensor x = tensor({1.0, 2.0, 3.0}), y = tensor({2.0, 2.0, 2.0});
  EXPECT_EQ(numbers(eq(x, y)), (Numbers{0, 1, 0}));
  EXPECT_EQ(numbers(ne(x, y)), (Numbers{1, 0, 1}));
  EXPECT_EQ(numbers(lt(x, y)), (Numbers{1, 0, 0}));
  EXPECT_EQ(numbers(le(x, y)), (Numbers{1, 1, 0}));
  EXPECT_EQ(numbers(gt(x, y)), (Numbers{0, 0, 1}));
  EXPECT_EQ(numbers(ge(x, y)), (Numbers{0, 1, 1}));
  EXPECT_EQ(numbers(add(x, y)), (Numbers{3, 4, 5}));
  EXPECT_EQ(numbers(add(x, 3)), (Numbers{4, 5, 6}));
  EXPECT_EQ(numbers(sub(x, y)), (Numbers{-1, 0, 1}));
  EXPECT_EQ(numbers(sub(x, 3)), (Numbers{-2, -1, 0}));
  EXPECT_EQ(numbers(mul(x, y)), (Numbers{2, 4, 6}));
  EXPECT_EQ(numbers(mul(x, 3)), (Numbers{3, 6, 9}));
  EXPECT_EQ(numbers(div(x, y)), (Numbers{0.5, 1, 1.5}));
  EXPECT_EQ(numbers(div(x, 4)), (Numbers{0.25, 0.5, 0.75}));
  EXPECT_EQ(numbers(neg(x)), (Numbers{-1, -2, -3}));
}

TEST_F(OtherWords, LeaveArgumentsOut) {
  const Tensor x = tensor({{1.0, 2.0, 4.0}, {8.0, 16.0, 32.0}});
  EXPECT_EQ(numbers(diff(x)), (Numbers{1, 2, 8, 16}));
  EXPECT_EQ(concatenate({x, x}).shape(), (Shape{4, 3}));
  EXPECT_EQ(hstack({x[0]}).shape(), (Shape{3}));
  manual_seed(3);
  const Tensor drawn = heed::normal(2, 3, {5});
  manual_seed(3);
  EXPECT_EQ(numbers(drawn), numbers(2 + 3 * randn({5})));
  const Tensor line = normal({2, 3, 7}), w = normal({5, 3, 2}), b = normal({5});
  EXPECT_EQ(numbers(conv1d(line, w, b, 2)), numbers(conv1d(line, w, b, {.stride = 2})));
  const Tensor image = normal({2, 4, 7, 5}), v = normal({6, 4, 3, 2}), c = normal({6});
  EXPECT_EQ(numbers(conv2d(image, v, c, 2)), numbers(conv2d(image, v, c, {.stride = 2})));
  EXPECT_EQ(numbers(max_pool2d(image, 3, 2)),
            numbers(max_pool2d(image, {.kernel = 3, .stride = 2})));
  EXPECT_EQ(numbers(avg_pool2d(image, 3, 2, 1)),
            numbers(avg_pool2d(image, {.kernel = 3, .stride = 2, .padding = 1})));
}

}  // namespace
}  // namespace heed
