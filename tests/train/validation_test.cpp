// Validation in parts; among processes: tests/distributed/processes_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

TEST(ValidationInParts, WeighsFiguresByThemselves) {
  const Training training = trained([](train::Run& run, nn::Linear&) {
    run.validate(3, [](Index i) -> Part {
      const double x = static_cast<double>(i), nan = std::nan("");
      return {{{"words", x, 4, 5 - x},
               {"named", i == 2 ? 7 : nan, 3, i == 2 ? 1.0 : 0},
               {"none", nan, 4, 0}},
              1 + x};
    });
  });
  const Figures& figures = training.rounds[0].figures;
  EXPECT_NEAR(figures[1].value, (0 * 5 * 1 + 1 * 4 * 2 + 2 * 3 * 3) / (5. + 8 + 9), 1e-15);
  EXPECT_EQ(figures[2].value, 7);  // of the one part that has any
  EXPECT_EQ(figures[2].digits, 3);
  EXPECT_EQ(figures[3].value, 0);  // of nothing
}

TEST(ValidationInParts, AreFinishedOfTheirMeans) {
  const Training training = trained([](train::Run& run, nn::Linear&) {
    run.validate(
        5,
        [](Index i) -> Part {
          return {{{"right", static_cast<double>(i)}, {"of", 10}, {"loss", 3, 4, 2}}};
        },
        [](const Figures& means) -> Figures {
          EXPECT_EQ(means[0].weight, 5);
          EXPECT_EQ(means[2].weight, 10);
          return {{"share", means[0].value / means[1].value, 2}, means[2]};
        });
  });
  const Figures& figures = training.rounds[0].figures;
  ASSERT_EQ(figures.size(), 3u);
  EXPECT_EQ(figures[1].name, "share");
  EXPECT_NEAR(figures[1].value, 2. / 10, 1e-15);
  EXPECT_EQ(figures[2].value, 3);
}

TEST(ValidationInParts, AreCutOfExamples) {
  const std::vector<std::string> words = {"a", "bb", "ccc", "dd", "e", "ffff", "g"};
  std::vector<std::size_t> sizes;
  const auto look = [&, calls = 0](const std::vector<std::string>& some) mutable -> Part {
    EXPECT_LT(calls++, 14);
    sizes.push_back(some.size());
    double letters = 0;
    for (const std::string& word : some) letters += static_cast<double>(word.size());
    return {{{"letters", letters / static_cast<double>(some.size())}},
            static_cast<double>(some.size())};
  };
  for (const Index size : {Index{1}, Index{3}, Index{7}, std::numeric_limits<Index>::max()}) {
    sizes.clear();
    const Training training =
        trained([&](train::Run& run, nn::Linear&) { run.validate(words, size, look); });
    EXPECT_NEAR(training.rounds[0].figures[1].value, 14 / 7., 1e-15) << size;
    std::vector<std::size_t> wanted;
    for (Index first = 0; first < 7; first += std::min<Index>(size, 7)) {
      wanted.push_back(static_cast<std::size_t>(std::min(size, 7 - first)));
    }
    EXPECT_EQ(std::vector(sizes.begin(), sizes.begin() + std::ssize(wanted)), wanted);
  }
  EXPECT_ERROR_WITH(ValueError, "run: parts of 0 examples to validate must be positive",
                    trained([&](train::Run& run, nn::Linear&) { run.validate(words, 0, look); }));
  const std::vector<std::string> none;
  EXPECT_ERROR_WITH(ValueError, "run: 0 parts to validate must be positive",
                    trained([&](train::Run& run, nn::Linear&) { run.validate(none, 3, look); }));
}

TEST(ValidationInParts, AreCutOfNumbers) {
  std::vector<std::vector<Index>> seen;
  const Training training = trained([&](train::Run& run, nn::Linear&) {
    run.validate(7, 3, [&](const std::vector<Index>& numbers) -> Part {
      seen.push_back(numbers);
      return {{{"first", static_cast<double>(numbers.front())}},
              static_cast<double>(numbers.size())};
    });
  });
  EXPECT_NEAR(training.rounds[0].figures[1].value, (0 * 3 + 3 * 3 + 6 * 1) / 7., 1e-15);
  seen.resize(3);
  EXPECT_THAT(seen, testing::ElementsAre(testing::ElementsAre(0, 1, 2),
                                         testing::ElementsAre(3, 4, 5), testing::ElementsAre(6)));
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
  EXPECT_ERROR_WITH(ValueError, "run: a part of the validation weighs inf",
                    with(2, std::numeric_limits<double>::infinity(), -1));
  for (const double weight : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_ERROR_WITH(ValueError, "run: the figure \"loss\" of a part of the validation weighs",
                      trained([&](train::Run& run, nn::Linear&) {
                        run.validate(2, [=](Index) -> Part { return {{{"loss", 1, 4, weight}}}; });
                      }));
  }
  EXPECT_ERROR_WITH(ValueError, "run: each part of the validation must give the same figures",
                    with(2, 1, 1));
  EXPECT_ERROR_WITH(
      ValueError, "each part of the validation must give the same figures",
      trained([](train::Run& run, nn::Linear&) {
        run.validate(2, [](Index i) -> Part { return i == 0 ? Part{} : Part{{{"loss", 1}}}; });
      }));
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
