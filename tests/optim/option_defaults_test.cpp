// What optimizers and schedules do where nothing is said: PyTorch's, where it has them.
#include "../support/defaults.h"

#include <array>

#include "../../optim/optim.h"

namespace heed::optim {
namespace {

TEST(OptionDefaults, AreKept) {
  EXPECT_DEFAULTS(AdadeltaOptions,
                  o.lr == 1 && o.rho == 0.9 && o.eps == 1e-6 && o.weight_decay == 0);
  EXPECT_DEFAULTS(AdagradOptions, o.lr == 1e-2 && o.lr_decay == 0 && o.weight_decay == 0 &&
                                      o.initial_accumulator_value == 0 && o.eps == 1e-10);
  EXPECT_DEFAULTS(AdamOptions, o.lr == 1e-3 && o.betas == (std::array{0.9, 0.999}) &&
                                   o.eps == 1e-8 && o.weight_decay == 0);
  EXPECT_DEFAULTS(AdamWOptions, o.lr == 1e-3 && o.betas == (std::array{0.9, 0.999}) &&
                                    o.eps == 1e-8 && o.weight_decay == 0.01);
  EXPECT_DEFAULTS(LBFGSOptions, o.lr == 1 && o.max_iter == 20 && o.max_eval == -1 &&
                                    o.tolerance_grad == 1e-7 && o.tolerance_change == 1e-9 &&
                                    o.history_size == 100 && o.line_search == LineSearch::none);
  EXPECT_DEFAULTS(LionOptions,
                  o.lr == 1e-4 && o.betas == (std::array{0.9, 0.99}) && o.weight_decay == 0);
  EXPECT_DEFAULTS(PlateauOptions, !o.maximize && o.factor == 0.1 && o.patience == 10 &&
                                      o.threshold == 1e-4 && !o.absolute && o.cooldown == 0 &&
                                      o.min_lr == 0 && o.eps == 1e-8);
  EXPECT_DEFAULTS(OneCycleOptions, o.pct_start == 0.3 && o.div_factor == 25 &&
                                       o.final_div_factor == 1e4 && !o.linear && !o.three_phase);
  EXPECT_DEFAULTS(RMSpropOptions, o.lr == 1e-2 && o.alpha == 0.99 && o.eps == 1e-8 &&
                                      o.weight_decay == 0 && o.momentum == 0 && !o.centered);
  EXPECT_DEFAULTS(SGDOptions, o.lr == 1e-3 && o.momentum == 0 && o.dampening == 0 &&
                                  o.weight_decay == 0 && !o.nesterov);
}

}  // namespace
}  // namespace heed::optim
