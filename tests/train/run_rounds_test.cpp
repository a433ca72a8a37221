// Rounds of a training whose figures differ, and passes whose length nobody knows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../../autograd/methods.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../data/loader.h"
#include "../../nn/linear.h"
#include "../../optim/sgd.h"
#include "../../train/csv_log.h"
#include "../../train/run.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

// Batches 0 .. count - 1; the loader says beforehand that there are `said`.
data::Loader<Index> uncounted(Index count, Index said = 0) {
  return data::Loader<Index>(
      [=](Generator&, Index) {
        return data::Pass<Index>{said, [count, at = Index{0}](std::optional<Index>* out) mutable {
                                   if (at == count) return false;
                                   if (out) *out = at;
                                   ++at;
                                   return true;
                                 }};
      },
      Generator(3));
}

struct Trial {
  nn::Linear model{3, 2};
  optim::SGD sgd{model.parameters(), 0.1};
  Loss loss(Index batch) {
    return {.tensor = sum(model(ones({1, 3}))), .also = {{"batch", static_cast<double>(batch), 1}}};
  }
};

TEST(RunRounds, KeepAFigureThatOnlySomeOfThemHaveWhenResumed) {
  const TemporaryFolder folder(TemporaryFolder::memory());
  Index looks = 0;
  const auto trained = [&](const std::string& out, Index stop, bool resume) {
    Trial trial;
    auto batches = uncounted(2);
    train::Run run(trial.model, trial.sgd,
                   {.out = folder / out,
                    .epochs = 5,
                    .keep = {"bleu"},
                    .stop_after = stop,
                    .resume = resume,
                    .quiet = true});
    run.validate([&] {
      Figures figures{{"loss", static_cast<double>(++looks)}};
      if (looks == 1 || looks == 5) figures.push_back({"bleu", static_cast<double>(9 - looks), 2});
      return figures;
    });
    return run(batches, [&](Index batch) { return trial.loss(batch); });
  };
  const Training whole = trained("whole", 0, false);
  looks = 0;
  trained("cut", 7, false);  // behind the third look, which has none
  const Training resumed = trained("cut", 0, true);
  EXPECT_EQ(looks, 5);
  EXPECT_EQ(resumed.best({"bleu"}), 0);
  EXPECT_EQ(resumed.curve("loss"), whole.curve("loss"));
  EXPECT_EQ(resumed.curve("bleu")[0], 8);
  EXPECT_EQ(resumed.curve("bleu")[4], 4);
}

TEST(RunRounds, NameWhatWasSummedUpBeforeTheStop) {
  const TemporaryFolder folder(TemporaryFolder::memory());
  const auto trained = [&](Index stop, bool resume) {
    Trial trial;
    auto batches = uncounted(3);
    train::Run run(
        trial.model, trial.sgd,
        {.out = folder / "m", .epochs = 1, .stop_after = stop, .resume = resume, .quiet = true});
    return run(batches, [&](Index batch) { return trial.loss(batch); });
  };
  trained(3, false);  // all batches are through, and nobody has noticed
  const Training resumed = trained(0, true);
  ASSERT_THAT(resumed.rounds, SizeIs(1));
  ASSERT_THAT(resumed.rounds[0].figures, SizeIs(2));
  EXPECT_EQ(resumed.rounds[0].figures[1].name, "batch");
  EXPECT_EQ(resumed.rounds[0].figures[1].value, 1);
  EXPECT_EQ(resumed.rounds[0].figures[1].digits, 1);
}

// Three batches in steps of two: the third is a step of its own.
TEST(RunRounds, TakeTheMeanOfTheBatchesThatAreLeft) {
  for (const Index said : {3, 0}) {
    Trial trial;
    const double before = trial.model.weight[0][0].item();
    auto batches = uncounted(3, said);
    train::Run run(trial.model, trial.sgd, {.epochs = 2, .accumulate = 2, .quiet = true});
    const Training training = run(batches, [&](Index batch) {
      return sum(trial.model(ones({1, 3})) * (batch + 1));
    });
    EXPECT_THAT(training.steps(), ElementsAre(2, 4));
    EXPECT_NEAR(trial.model.weight[0][0].item(), before - 0.1 * 2 * (1.5 + 3), 1e-5);
  }
}

TEST(RunRounds, AreNotMadeOfNoBatches) {
  Trial trial;
  auto batches = uncounted(4);
  train::Run run(trial.model, trial.sgd, {.epochs = 2, .every = 2, .quiet = true});
  const Training training = run(batches, [&](Index batch) { return trial.loss(batch); });
  EXPECT_THAT(training.steps(), ElementsAre(2, 4, 6, 8));
  auto none = uncounted(0);
  train::Run nothing(trial.model, trial.sgd, {.epochs = 2, .quiet = true});
  EXPECT_THAT([&] { nothing(none, [&](Index batch) { return trial.loss(batch); }); },
              ThrowsMessage<ValueError>(HasSubstr("a pass over the batches gave none")));
}

// Batches of which every one gives other figures: what they are is said by the first.
TEST(RunRounds, SumUpFiguresOfTheSameNames) {
  const Figures ab = {{"a", 1}, {"b", 2}}, ba = {{"b", 2}, {"a", 1}}, none = {};
  using Pair = std::pair<Figures, Figures>;
  for (const Pair& given : {Pair{ab, ba}, Pair{none, ab}, Pair{ab, none}}) {
    for (const Index after : {1, 2}) {  // within a round, and in the next
      Trial trial;
      auto batches = uncounted(2);
      train::Run run(trial.model, trial.sgd, {.epochs = 2, .quiet = true});
      Index seen = 0;
      EXPECT_ERROR_WITH(ValueError, "run: each batch must give the same figures",
                        run(batches, [&](Index) {
                          return Loss{.tensor = sum(trial.model(ones({1, 3}))),
                                      .also = seen++ < after ? given.first : given.second};
                        }));
      EXPECT_EQ(seen, after + 1);
    }
  }
}

// The row of the last step is in the file before anybody knows that the pass is through.
TEST(RunRounds, ARoundThatIsNoticedLateHasItsStepsRow) {
  const TemporaryFolder folder;
  const auto trained = [&](const std::string& out, Index save_every, Index stop, bool resume) {
    Trial trial;
    auto batches = uncounted(3);
    train::Run run(trial.model, trial.sgd,
                   {.out = folder / out,
                    .epochs = 2,
                    .save_every = save_every,
                    .stop_after = stop,
                    .resume = resume,
                    .quiet = true});
    run.log(std::make_shared<CsvLog>(folder / (out + ".csv")));
    run.validate([&] { return Figures{{"sum", sum(trial.model(ones({1, 3}))).item()}}; });
    run(batches, [&](Index batch) { return trial.loss(batch); });
    return TemporaryFolder::get(folder / (out + ".csv"));
  };
  manual_seed(5);
  const std::string whole = trained("whole", 0, 0, false);
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 7);  // the names, and 6 steps
  manual_seed(5);
  EXPECT_EQ(trained("saved", 3, 0, false), whole);
  manual_seed(5);
  trained("cut", 0, 3, false);
  EXPECT_EQ(trained("cut", 0, 0, true), whole);
}

}  // namespace
}  // namespace heed::train
