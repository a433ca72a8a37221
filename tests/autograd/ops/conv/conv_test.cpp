// The panels of a convolution at sizes where there are many of them: the table's rows are of one.
#include "../../../../autograd/ops/conv/conv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../autograd/backward.h"
#include "../../../../core/generator.h"
#include "../../../../core/parallel.h"

namespace heed {
namespace {

struct Form {
  const char* name;
  Shape x, weight;
  Conv2dOptions options = {};
};

void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

// Result, and gradients of x, weight and bias for one random gradient.
using Convolution = Tensor (*)(const Tensor&, const Tensor&, const Tensor&, const Conv2dOptions&);
std::vector<Tensor> results(Convolution conv, const Form& form, DType dtype) {
  Generator generator(7);
  std::vector<Tensor> inputs;
  for (const Shape& shape : {form.x, form.weight, Shape{form.weight[0]}}) {
    inputs.push_back(Tensor(generator.normal(shape, 0, 1, DType::f64).to(dtype)));
    inputs.back().set_requires_grad();
  }
  const Tensor out = conv(inputs[0], inputs[1], inputs[2], form.options);
  const Tensor g = Tensor(generator.normal(out.shape(), 0, 1, DType::f64).to(dtype));
  std::vector<Tensor> all = grad({out}, inputs, {g});
  all.push_back(out.detach());
  return all;
}

class Convolved : public testing::TestWithParam<Form> {};

TEST_P(Convolved, AgreesWithPlainOperators) {
  const auto fused = results(conv2d, GetParam(), DType::f64);
  const auto plain = results(conv2d_plain, GetParam(), DType::f64);
  for (std::size_t i = 0; i < fused.size(); ++i) {
    ASSERT_EQ(fused[i].shape(), plain[i].shape());
    const auto a = fused[i].array().to_vector<double>(), b = plain[i].array().to_vector<double>();
    double worst = 0, largest = 0;
    for (std::size_t j = 0; j < a.size(); ++j) {
      worst = std::fmax(worst, std::fabs(a[j] - b[j]));
      largest = std::fmax(largest, std::fabs(b[j]));
    }
    EXPECT_GT(largest, 0);
    EXPECT_LE(worst, 1e-12 * largest) << "result " << i;
  }
}

TEST_P(Convolved, HasTheSameBitsForAnyNumberOfThreads) {
  const int before = num_threads();
  set_num_threads(1);
  const auto one = results(conv2d, GetParam(), DType::f32);
  for (const int threads : {2, 3}) {
    set_num_threads(threads);
    const auto many = results(conv2d, GetParam(), DType::f32);
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(many[i].array().to_vector<float>(), one[i].array().to_vector<float>())
          << "result " << i << " with " << threads << " threads";
    }
  }
  set_num_threads(before);
}

// An image's first place is read by four taps of nine; the others do not hear of it.
TEST(ConvGradient, OfWhatIsNotFiniteReachesTheTapsThatReadIt) {
  Generator generator(11);
  Array image = generator.normal({2, 3, 13, 17}, 0, 1, DType::f32);
  image.mutable_data<float>()[0] = std::numeric_limits<float>::infinity();
  Tensor weight = Tensor(generator.normal({5, 3, 3, 3}, 0, 1, DType::f32));
  weight.set_requires_grad();
  const Tensor out = conv2d(Tensor(image), weight, {}, {.padding = {1, 1}});
  const Tensor g = Tensor(generator.normal(out.shape(), 0, 1, DType::f32));
  const auto gw = grad({out}, {weight}, {g})[0].array().to_vector<float>();
  for (std::size_t i = 0; i < gw.size(); ++i) {
    const std::size_t column = i % 3, row = i / 3 % 3, channel = i / 9 % 3;
    EXPECT_EQ(std::isfinite(gw[i]), channel != 0 || row == 2 || column == 2) << i;
  }
}

// Nothing is read of an image: what is left is the bias.
TEST(ConvOfNoChannels, IsItsBias) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = zeros({2, 0, 11, 13}, dtype).set_requires_grad();
    const Tensor weight = zeros({5, 0, 3, 3}, dtype).set_requires_grad();
    const Tensor bias = tensor({1, 2, 3, 4, 5}, {5}, dtype).set_requires_grad();
    const Tensor out = conv2d(x, weight, bias);
    ASSERT_EQ(out.shape(), (Shape{2, 5, 9, 11}));
    const auto values = out.array().to(DType::f64).to_vector<double>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(values[i], static_cast<double>(i / 99 % 5 + 1)) << i;
    }
    const auto found = grad({out}, {x, weight, bias}, {full(out.shape(), 1, dtype)});
    EXPECT_EQ(found[0].shape(), x.shape());
    EXPECT_EQ(found[1].shape(), weight.shape());
    EXPECT_EQ(found[2].array().to(DType::f64).to_vector<double>(), std::vector<double>(5, 2 * 99));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Forms, Convolved,
    testing::Values(
        Form{"one_large_image", {1, 19, 67, 71}, {23, 19, 3, 3}, {.padding = 1}},
        Form{"large_images", {3, 17, 61, 59}, {13, 17, 3, 5}, {.stride = {1, 2}}},
        Form{"five_images_of_several_panels", {5, 3, 113, 109}, {7, 3, 7, 7}, {.padding = 3}},
        Form{"many_small_images", {211, 11, 7, 5}, {13, 11, 3, 3}, {.dilation = {2, 1}}},
        Form{"groups", {29, 12, 17, 13}, {20, 3, 3, 3}, {.padding = 1, .groups = 4}},
        Form{"strided_groups",
             {29, 12, 17, 13},
             {20, 3, 3, 3},
             {.stride = {2, 2}, .padding = 1, .groups = 4}},
        Form{"padding_beyond_the_kernel", {3, 5, 11, 13}, {7, 5, 3, 3}, {.padding = 4}},
        Form{"a_group_a_channel", {31, 37, 11, 13}, {37, 1, 3, 3}, {.groups = 37, .same = true}},
        Form{"taps_of_large_images", {2, 41, 53, 47}, {31, 41, 1, 1}},
        Form{"taps_of_small_images", {307, 41, 3, 5}, {31, 41, 1, 1}},
        Form{"rows", {37, 43, 1, 29}, {53, 43, 1, 5}, {.padding = {0, 2}}}),
    [](const auto& entry) { return std::string(entry.param.name); });

}  // namespace
}  // namespace heed
