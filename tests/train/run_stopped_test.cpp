// Runs that are asked to stop, that cannot save, and that refuse to go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <functional>

#include "../../autograd/methods.h"
#include "../../core/error.h"
#include "../../data/loader.h"
#include "../../io/io.h"
#include "../../nn/linear.h"
#include "../../optim/optim.h"
#include "../../train/csv_log.h"
#include "../../train/interrupt.h"
#include "../../train/run.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// Seven batches a pass.
struct Trial {
  std::vector<Index> set = std::vector<Index>(7);
  nn::Linear model{3, 2};
  optim::Adam adam{model.parameters(), {.lr = 0.1}};
  data::Loader<std::vector<Index>> batches{set, {.size = 1, .seed = 3}};
  Generator noise{5};
  std::function<void(Index look)> looked = [](Index) {};
  std::shared_ptr<Log> log;

  Training train(RunOptions options) {
    options.quiet = true;
    train::Run run(model, adam, options);
    Index looks = 0;
    run.carry("noise", noise);
    run.validate([&] {
      looked(++looks);
      return Figures{{"validation", sum(model(ones({1, 3}))).item()}};
    });
    if (log) run.log(log);
    return run(batches, [&](const auto&) { return sum(model(ones({1, 3}))) * noise.uniform(); });
  }
  std::vector<float> numbers() const { return model.weight.array().to_vector<float>(); }
};

TEST(RunStopped, BeforeAnyStepItLeavesTheFolder) {
  const TemporaryFolder folder(TemporaryFolder::memory());
  const std::string out = folder / "m";
  Trial().train({.out = out, .epochs = 1});
  const std::string model = io::read_from_directory(out, io::kWeightsFile),
                    state = io::read_from_directory(out, io::kTrainingFile);
  const InterruptGuard guard;
  std::raise(SIGINT);
  for (const bool resume : {false, true}) {
    const Training training = Trial().train({.out = out, .epochs = 2, .resume = resume});
    EXPECT_TRUE(training.interrupted);
    EXPECT_THAT(training.rounds, SizeIs(resume ? 1 : 0));
    EXPECT_TRUE(io::read_from_directory(out, io::kWeightsFile) == model);
    EXPECT_TRUE(io::read_from_directory(out, io::kTrainingFile) == state);
  }
}

TEST(RunStopped, ASignalInTheLastRoundCounts) {
  Trial trial;
  trial.looked = [](Index look) {
    if (look == 2) std::raise(SIGTERM);
  };
  const Training training = trial.train({.epochs = 2});
  EXPECT_THAT(training.rounds, SizeIs(2));
  EXPECT_TRUE(training.interrupted);
  EXPECT_FALSE(interrupted());
  EXPECT_FALSE(Trial().train({.epochs = 1}).interrupted);
}

TEST(RunStopped, ItsPageNoLongerLoadsItself) {
  const TemporaryFolder folder;
  const std::string report = folder / "report.html";
  Trial trial;
  trial.looked = [&](Index look) {
    if (look != 2) return;
    EXPECT_THAT(io::read_file(report), HasSubstr("http-equiv=\"refresh\""));
    std::raise(SIGINT);
  };
  EXPECT_TRUE(trial.train({.epochs = 5, .report = report}).interrupted);
  EXPECT_THAT(io::read_file(report), Not(HasSubstr("http-equiv=\"refresh\"")));
  EXPECT_THAT(io::read_file(report), HasSubstr("validation"));
}

// Killed between the two, a run that goes on does not come back to log them.
TEST(RunStopped, LogsHaveWhatIsSavedBeforeItIs) {
  const TemporaryFolder folder;
  const std::string out = folder / "m", path = folder / "log.csv";
  const auto lines = [&] {
    const std::string text = TemporaryFolder::get(path);
    return std::count(text.begin(), text.end(), '\n');
  };
  Trial whole;  // cannot save the second round
  whole.log = std::make_shared<CsvLog>(path);
  whole.looked = [&](Index look) {
    if (look != 2) return;
    std::filesystem::remove_all(out);
    TemporaryFolder::put(out, "a file");
  };
  EXPECT_THROW(whole.train({.out = out, .epochs = 3}), IoError);
  EXPECT_EQ(lines(), 15);  // the names, and two rounds of seven steps
  EXPECT_THAT(TemporaryFolder::get(path), testing::ContainsRegex("\n14,[^,\n]+,[^,\n]+,[^,\n]+,"));
  Trial between;  // nor the state behind the fifth step
  between.log = std::make_shared<CsvLog>(path);
  EXPECT_THROW(between.train({.out = out, .epochs = 1, .save_every = 5}), IoError);
  EXPECT_EQ(lines(), 6);
  Trial stopped;  // nor the one behind the third
  stopped.log = std::make_shared<CsvLog>(path);
  EXPECT_THROW(stopped.train({.out = out, .epochs = 1, .stop_after = 3}), IoError);
  EXPECT_EQ(lines(), 4);
}

// The weights were; generators, averages and the loader had moved.
TEST(RunStopped, ARefusedStateLeavesAllAsItWas) {
  const TemporaryFolder folder(TemporaryFolder::memory());
  const RunOptions options{.out = folder / "m", .epochs = 2, .ema = 0.75, .stop_after = 3};
  Trial().train(options);
  const std::string path = options.out + "/" + io::kTrainingFile;
  auto file = io::read_safetensors(path);
  for (auto& [name, array] : file.arrays) {
    if (name == "random") array = Array::zeros({3}, DType::i64);  // is looked at last
  }
  io::write_safetensors(path, file.arrays, file.metadata);
  Trial trial;
  trial.noise.uniform();
  for (int i = 0; i < 5; ++i) trial.batches.next();
  const auto noise = trial.noise.state();
  const auto place = trial.batches.state_dict()[0].second.to_vector<std::int64_t>();
  const auto numbers = trial.numbers();
  RunOptions again = options;
  again.resume = true;
  EXPECT_ERROR_WITH(FormatError, "\"random\" is i64[3], not i64[2]", trial.train(again));
  EXPECT_EQ(trial.noise.state(), noise);
  EXPECT_EQ(trial.batches.state_dict()[0].second.to_vector<std::int64_t>(), place);
  EXPECT_EQ(trial.numbers(), numbers);
}

}  // namespace
}  // namespace heed::train
