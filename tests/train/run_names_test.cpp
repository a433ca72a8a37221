// Names of figures and of what a run carries.
#include <gtest/gtest.h>

#include "../../autograd/methods.h"
#include "../../core/error.h"
#include "../../data/loader.h"
#include "../../nn/linear.h"
#include "../../optim/sgd.h"
#include "../../train/run.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

struct Trial {
  nn::Linear model{3, 2};
  optim::SGD sgd{model.parameters(), 0.1};
  std::vector<Index> set = std::vector<Index>(7);
  data::Loader<std::vector<Index>> batches{set, {.size = 5}};
  Figures also, validated;
  std::vector<Wanted> keep;

  Training train() {
    train::Run run(model, sgd, {.epochs = 2, .keep = keep, .quiet = true});
    run.validate([&] { return validated; });
    return run(batches, [&](const auto&) {
      return Loss{.tensor = sum(model(ones({1, 3}))), .also = also};
    });
  }
};

TEST(RunNames, OfFiguresStandOnce) {
  Trial trial;
  trial.also = {{"accuracy", 0.5}};
  trial.validated = {{"accuracy", 0.25}};
  EXPECT_ERROR_WITH(ValueError, "run: there are two figures \"accuracy\"", trial.train());
  trial.also = {{"recall", 0.5}, {"recall", 0.5}};
  EXPECT_ERROR_WITH(ValueError, "run: there are two figures \"recall\"", trial.train());
  trial.also = {};
  trial.validated = {{"train loss", 0.25}};
  EXPECT_ERROR_WITH(ValueError, "run: there are two figures \"train loss\"", trial.train());
  trial.validated = {{"", 0.25}};
  EXPECT_ERROR_WITH(ValueError, "run: a figure has no name", trial.train());
}

TEST(RunNames, FiguresHaveDigitsThatCanBePrinted) {
  Trial trial;
  for (const int digits : {-1, 18, 1000}) {
    trial.validated = {{"bleu", 0.25, digits}};
    EXPECT_ERROR_WITH(ValueError, "digits, not 0 to 17", trial.train());
    trial.validated = {};
    trial.also = {{"bleu", 0.25, digits}};
    EXPECT_ERROR_WITH(ValueError, "digits, not 0 to 17", trial.train());
    trial.also = {};
  }
  trial.validated = {{"bleu", 0.25, 17}, {"chrf", 0.5, 0}};
  EXPECT_EQ(trial.train().rounds.size(), 2U);
}

// Then the training's own loss is what models are compared by.
TEST(RunNames, AValidationMayGiveNone) {
  Trial trial;
  trial.also = {{"accuracy", 0.5}};
  const Training training = trial.train();
  ASSERT_EQ(training.rounds.size(), 2U);
  EXPECT_EQ(training.rounds[1].figures.size(), 2U);
}

TEST(RunNames, OfWhatIsCarriedAreToldApart) {
  Trial trial;
  double a = 1, b = 2;
  train::Run run(trial.model, trial.sgd, {.epochs = 1, .quiet = true});
  run.carry("judge", a).carry("judges", b).carry("a.b", b);
  EXPECT_ERROR_WITH(ValueError,
                    "run: what is carried as \"judge.optimizer\" would stand where \"judge\"",
                    run.carry("judge.optimizer", b));
  EXPECT_ERROR_WITH(ValueError, "as \"a\" would stand where \"a.b\" stands", run.carry("a", b));
  EXPECT_ERROR_WITH(ValueError, "as \"judge\" would stand where", run.carry("judge", b));
  EXPECT_ERROR_WITH(ValueError, "what is carried needs a name", run.carry("", b));
}

// Not an epoch later, as something is saved.
TEST(RunNames, AreTextOfOneLine) {
  using Pair = std::pair<std::string, std::string>;
  for (const Pair& each : {Pair{"a\xff", "\"a\\xff\""}, Pair{"a\nb", "\"a\\nb\""},
                           Pair{"\x1b[31m", "\"\\x1b[31m\""}}) {
    const std::string &name = each.first, &shown = each.second;
    Trial trial;
    Index batches = 0;
    train::Run run(trial.model, trial.sgd, {.epochs = 1, .quiet = true});
    EXPECT_ERROR(ValueError,
                 "run: a figure cannot be called " + shown +
                     ": it must be UTF-8, not empty, without control characters",
                 run(trial.batches, [&](const auto&) {
                   ++batches;
                   return Loss{.tensor = sum(trial.model(ones({1, 3}))), .also = {{name, 1}}};
                 }));
    EXPECT_EQ(batches, 1);
    double number = 1;
    EXPECT_ERROR_WITH(ValueError, "run: nothing can be carried as " + shown + ": it must be UTF-8",
                      run.carry(name, number));
    trial.validated = {{name, 1}};
    EXPECT_ERROR_WITH(ValueError, "a figure cannot be called " + shown, trial.train());
  }
  Trial trial;
  EXPECT_ERROR(ValueError, "run: setting \"29 p\\xe4irs\" must be UTF-8",
               train::Run(trial.model, trial.sgd, {.epochs = 1, .setting = "29 p\xe4irs"}));
  trial.also = {{"größe/æ 1", 0.5}};
  EXPECT_EQ(trial.train().rounds.size(), 2U);
}

}  // namespace
}  // namespace heed::train
