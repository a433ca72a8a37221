#include "../../nn/gradcheck.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/record.h"
#include "../../core/error.h"
#include "../../nn/dropout.h"
#include "../../nn/embedding.h"
#include "../../nn/linear.h"
#include "../support/throws.h"

namespace heed {
namespace {

using testing::HasSubstr;

// 2 x, whose derivative claims 2.001.
Tensor twice_wrongly(const Tensor& x) {
  return record(Op::function, (x.detach() * 2).array(), {x},
                [](const Tensor& g) { return g * 2.001; });
}

class Net : public nn::Module {
 public:
  explicit Net(bool wrong_in = false) : wrong(wrong_in) {}
  bool wrong;
  nn::Linear& hidden = child<nn::Linear>("hidden", 3, 5);
  nn::Linear& out = child<nn::Linear>("out", 5, 2);
  Tensor operator()(const Tensor& x) const {
    const Tensor h = tanh(hidden(x));
    return out(wrong ? twice_wrongly(h) : h);
  }
};

TEST(ModuleGradcheck, PassesForATwoLayerModelAndItsInput) {
  Net net;
  net.to(DType::f64);
  const Tensor x = randn({7, 3}, DType::f64);
  const GradcheckReport report = nn::gradcheck(net, x);
  EXPECT_TRUE(report) << report.text();
  EXPECT_EQ(report.checked, 5 * 3 + 5 + 2 * 5 + 2 + 7 * 3);
  EXPECT_FALSE(x.requires_grad());
  const GradcheckReport second = nn::gradgradcheck(net, x);
  EXPECT_TRUE(second) << second.text();
}

TEST(ModuleGradcheck, TakesAnyForwardAndSkipsTheFrozen) {
  class Tagger : public nn::Module {
   public:
    nn::Embedding& words = child<nn::Embedding>(
        "words", nn::EmbeddingOptions{.count = 5, .width = 3, .dtype = DType::f64});
    nn::Linear& out = child<nn::Linear>("out", 3, 2, true, DType::f64);
  } tagger;
  const Tensor ids = Array::from(std::vector<std::int64_t>{4, 1, 1});
  const Tensor targets = Array::from(std::vector<std::int64_t>{0, 1, 0});
  const auto forward = [&] { return cross_entropy(tagger.out(tagger.words(ids)), targets); };
  EXPECT_EQ(nn::gradcheck(tagger, forward).checked, 15 + 6 + 2);
  tagger.words.requires_grad(false);
  const GradcheckReport report = nn::gradcheck(tagger, forward);
  EXPECT_TRUE(report) << report.text();
  EXPECT_EQ(report.checked, 6 + 2);
  EXPECT_TRUE(nn::gradgradcheck(tagger, forward));
}

TEST(ModuleGradcheck, AWrongDerivativeIsCaughtAndNamed) {
  Net net(true);
  net.to(DType::f64);
  const GradcheckReport report = nn::gradcheck(net, randn({7, 3}, DType::f64));
  EXPECT_FALSE(report);
  EXPECT_GT(report.faulty, 0);
  EXPECT_THAT(report.text(), HasSubstr("hidden.weight"));
  EXPECT_THAT(report.text(), testing::Not(HasSubstr("out.weight")));
}

TEST(ModuleGradcheck, SinglePrecisionIsRefusedWithAdvice) {
  Net net;
  EXPECT_ERROR(
      DTypeError,
      "gradcheck: parameter \"hidden.weight\" is f32[5, 3]; call model.to(DType::f64) first",
      nn::gradcheck(net, randn({7, 3}, DType::f64)));
}

TEST(ModuleGradcheck, ARandomModelIsRefused) {
  class Noisy : public nn::Module {
   public:
    nn::Linear& out = child<nn::Linear>("out", 3, 53, true, DType::f64);
    nn::Dropout& drop = child<nn::Dropout>("drop", 0.5);
    Tensor operator()(const Tensor& x) const { return drop(out(x)); }
  } noisy;
  const Tensor x = randn({2, 3}, DType::f64);
  EXPECT_THAT(nn::gradcheck(noisy, x).text(), HasSubstr("different results"));
  noisy.eval();
  EXPECT_TRUE(nn::gradcheck(noisy, x));
}

}  // namespace
}  // namespace heed
