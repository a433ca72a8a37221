// What optimizers and schedules do where nothing is said: PyTorch's, where it has them.
#include "../support/defaults.h"

#include "../../autograd/factories.h"
#include "../../optim/optim.h"

namespace heed::optim {
namespace {

TEST(Defaults, AreKept) {
  EXPECT_DEFAULTS(AdadeltaOptions, o.lr == 1 && o.rho == 0.9 && o.eps == 1e-6);
  EXPECT_DEFAULTS(AdagradOptions, o.lr == 1e-2 && o.eps == 1e-10);
  EXPECT_DEFAULTS(AdamOptions, o.lr == 1e-3 && o.eps == 1e-8);
  EXPECT_DEFAULTS(AdamWOptions, o.lr == 1e-3 && o.eps == 1e-8 && o.weight_decay == 0.01);
  EXPECT_DEFAULTS(LBFGSOptions, o.lr == 1 && o.max_iter == 20 && o.max_eval == -1 &&
                                    o.tolerance_grad == 1e-7 && o.tolerance_change == 1e-9 &&
                                    o.history_size == 100 && o.line_search == LineSearch::none);
  EXPECT_DEFAULTS(LionOptions, o.lr == 1e-4);
  EXPECT_DEFAULTS(PlateauOptions, !o.maximize && o.factor == 0.1 && o.patience == 10 &&
                                      o.threshold == 1e-4 && !o.absolute && o.eps == 1e-8);
  EXPECT_DEFAULTS(OneCycleOptions, o.pct_start == 0.3 && o.div_factor == 25 &&
                                       o.final_div_factor == 1e4 && !o.linear && !o.three_phase);
  EXPECT_DEFAULTS(RMSpropOptions, o.lr == 1e-2 && o.alpha == 0.99 && o.eps == 1e-8 && !o.centered);
  EXPECT_DEFAULTS(SGDOptions, o.lr == 1e-3 && !o.nesterov);
}

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
