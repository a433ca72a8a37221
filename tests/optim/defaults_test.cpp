// Rates and schedules without their last arguments are those with PyTorch's values for them.
#include <gtest/gtest.h>

#include "../../autograd/factories.h"
#include "../../optim/optim.h"

namespace heed::optim {
namespace {

TEST(Defaults, OfRates) {
  const auto same = [](const Rate& a, const Rate& b) {
    for (Index t = 0; t < 9; ++t) EXPECT_EQ(a(3, t), b(3, t)) << t;
  };
  same(rate::step(2), rate::step(2, 0.1));
  same(rate::multi_step({1, 3}), rate::multi_step({1, 3}, 0.1));
  same(rate::cosine(7), rate::cosine(7, 0));
  same(rate::constant(), rate::constant(1.0 / 3, 5));
  same(rate::linear(), rate::linear(1.0 / 3, 1, 5));
  same(rate::warm_up_and_cosine(7, 2), rate::warm_up_and_cosine(7, 2, 0.1));
}

TEST(Defaults, OfSchedules) {
  const auto rates = [](auto make) {
    const Tensor x = zeros({1}).set_requires_grad();
    SGD sgd({x}, 3.0);
    auto schedule = make(sgd);
    std::vector<double> out = {sgd.lr()};
    for (int i = 0; i < 8; ++i) {
      schedule.step();
      out.push_back(sgd.lr());
    }
    return out;
  };
  EXPECT_EQ(rates([](SGD& o) { return StepLR(o, 2); }),
            rates([](SGD& o) { return StepLR(o, 2, 0.1); }));
  EXPECT_EQ(rates([](SGD& o) {
              return MultiStepLR(o, {1, 3});
            }),
            rates([](SGD& o) {
              return MultiStepLR(o, {1, 3}, 0.1);
            }));
  EXPECT_EQ(rates([](SGD& o) { return CosineAnnealingLR(o, 7); }),
            rates([](SGD& o) { return CosineAnnealingLR(o, 7, 0); }));
  EXPECT_EQ(rates([](SGD& o) { return ConstantLR(o); }),
            rates([](SGD& o) { return ConstantLR(o, 1.0 / 3, 5); }));
  EXPECT_EQ(rates([](SGD& o) { return LinearLR(o); }),
            rates([](SGD& o) { return LinearLR(o, 1.0 / 3, 1, 5); }));
}

}  // namespace
}  // namespace heed::optim
