// Validation in parts; among processes: tests/distributed/processes_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../data/loader.h"
#include "../../nn/linear.h"
#include "../../optim/optim.h"
#include "../../train/run.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

Training trained(const std::function<void(train::Run&, nn::Linear&)>& look) {
  manual_seed(5);
  nn::Linear layer(3, 2);
  optim::SGD sgd(layer.parameters(), {.lr = 0.1});
  auto batches = data::drawn([](Generator& g) { return g.normal({5, 3}, 0, 1, DType::f32); }, 3);
  Run run(layer, sgd, {.steps = 4, .every = 2, .last = true, .quiet = true});
  look(run, layer);
  return run(batches, [&](const Array& x) { return mean(square(layer(Tensor(x)) - 1.0)); });
}

TEST(ValidationInParts, IsTheirMeanByWeight) {
  std::vector<Index> seen;
  const Training training = trained([&](train::Run& run, nn::Linear& layer) {
    run.validate(3, [&](Index i) -> Part {
      EXPECT_FALSE(layer.training());
      seen.push_back(i);
      const double x = static_cast<double>(i);
      return {{{"first", x, 2}, {"second", 10 - x}}, 1 + x};
    });
  });
  EXPECT_THAT(seen, testing::ElementsAre(0, 1, 2, 0, 1, 2));
  const Figures& figures = training.rounds[1].figures;
  ASSERT_EQ(figures.size(), 3u);
  EXPECT_EQ(figures[1].name, "first");
  EXPECT_EQ(figures[1].digits, 2);
  EXPECT_NEAR(figures[1].value, (0 * 1 + 1 * 2 + 2 * 3) / 6.0, 1e-15);
  EXPECT_NEAR(figures[2].value, (10 * 1 + 9 * 2 + 8 * 3) / 6.0, 1e-15);
}

TEST(ValidationInParts, GivesWayToWhatIsSaidLater) {
  const Training training = trained([](train::Run& run, nn::Linear&) {
    run.validate(2, [](Index) { return Part{{{"parts", 1}}}; });
    run.validate([] { return Figures{{"whole", 2}}; });
  });
  EXPECT_EQ(training.rounds[0].figures[1].name, "whole");
}

TEST(ValidationInParts, RefusesWhatMakesNoSense) {
  const auto with = [](Index count, double weight, Index other) {
    trained([&](train::Run& run, nn::Linear&) {
      run.validate(count, [=](Index i) -> Part {
        return {Figures(static_cast<std::size_t>(i == other ? 2 : 1), {"loss", 1}), weight};
      });
    });
  };
  EXPECT_ERROR_WITH(ValueError, "run: 0 parts to validate must be positive", with(0, 1, -1));
  EXPECT_ERROR_WITH(ValueError, "run: a part of the validation weighs 0, not more than 0",
                    with(2, 0, -1));
  EXPECT_ERROR_WITH(ValueError, "run: each part of the validation must give the same figures",
                    with(2, 1, 1));
  EXPECT_ERROR_WITH(ValueError, "each part of the validation must give the same figures",
                    trained([](train::Run& run, nn::Linear&) {
                      run.validate(2, [](Index i) -> Part {
                        if (i == 0) return {{{"loss", 1}, {"accuracy", 0.5}}};
                        return {{{"accuracy", 0.5}, {"loss", 1}}};
                      });
                    }));
}

}  // namespace
}  // namespace heed::train
