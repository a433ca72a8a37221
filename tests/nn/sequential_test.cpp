#include "../../nn/sequential.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../core/error.h"
#include "../../nn/dropout.h"
#include "../../nn/linear.h"
#include "../support/throws.h"

namespace heed {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const nn::Module& module) {
  std::vector<std::string> out;
  for (const auto& entry : module.state_dict()) out.push_back(entry.first);
  return out;
}

std::vector<float> numbers(const Tensor& x) { return x.array().to_vector<float>(); }

TEST(Sequential, IsItsPartsInOrderUnderPyTorchsNames) {
  nn::Sequential net(nn::layer<nn::Linear>(3, 5), relu, nn::layer<nn::Linear>(5, 2, false));
  EXPECT_EQ(net.size(), 3U);
  EXPECT_THAT(names(net), ElementsAre("0.weight", "0.bias", "2.weight"));
  const Tensor x = randn({7, 3});
  const Tensor y = net.at<nn::Linear>(2)(relu(net.at<nn::Linear>(0)(x)));
  EXPECT_EQ(numbers(net(x)), numbers(y));
}

TEST(Sequential, GrowsByPlacesAndByNames) {
  nn::Sequential net;
  const Tensor x = randn({2, 3});
  EXPECT_TRUE(net(x).is_same(x));
  nn::Linear& first = net.add<nn::Linear>(3, 3);
  net.add_named<nn::Linear>("head", 3, 2);
  net.add<nn::Dropout>(0.5);
  EXPECT_THAT(names(net), ElementsAre("0.weight", "0.bias", "head.weight", "head.bias"));
  EXPECT_EQ(&net.at<nn::Linear>(0), &first);
  EXPECT_EQ(net.at<nn::Dropout>(2).p(), 0.5);
  net.eval();
  EXPECT_FALSE(net.at<nn::Dropout>(2).training());
  EXPECT_EQ(net(x).shape(), (Shape{2, 2}));
}

class Model : public nn::Module {
 public:
  nn::Sequential& body = child<nn::Sequential>(
      "body", nn::layer<nn::Linear>(2, 2), [](const Tensor& x) { return square(x); },
      nn::layer<nn::Sequential>(nn::layer<nn::Linear>(2, 1)));
};

TEST(Sequential, IsAChildAndHasSequentials) {
  Model model;
  EXPECT_THAT(names(model),
              ElementsAre("body.0.weight", "body.0.bias", "body.2.0.weight", "body.2.0.bias"));
  model.body(randn({5, 2})).backward(ones({5, 1}));
  for (const Tensor& parameter : model.parameters()) EXPECT_TRUE(parameter.grad().defined());
}

TEST(Sequential, ChecksPlacesClassesAndNames) {
  nn::Sequential net(nn::layer<nn::Linear>(3, 5));
  EXPECT_ERROR(IndexError, "Sequential: place 1 is out of range [0, 1)", net.at<nn::Linear>(1));
  EXPECT_ERROR(ValueError, "Sequential: the module \"0\" at place 0 is of another class",
               net.at<nn::Dropout>(0));
  EXPECT_ERROR(ValueError, "module: the name \"0\" is taken", net.add_named<nn::Linear>("0", 5, 2));
  EXPECT_EQ(net.size(), 1U);
  EXPECT_ERROR(ValueError, "Function: the function is empty", nn::Function({}));
}

}  // namespace
}  // namespace heed
