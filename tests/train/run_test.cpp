#include "../../train/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../data/loader.h"
#include "../../io/io.h"
#include "../../nn/dropout.h"
#include "../../nn/linear.h"
#include "../../optim/optim.h"
#include "../../train/csv_log.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::train {

// What a parametrised test's name says of them.
static void PrintTo(const RunOptions& options, std::ostream* out) {
  *out << "epochs " << options.epochs << " steps " << options.steps << " every " << options.every
       << " accumulate " << options.accumulate << " clip " << options.clip << " average "
       << options.average << " ema " << options.ema << " patience " << options.patience << " save "
       << options.save_every;
}

namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr Index kIn = 3, kOut = 2, kCount = 23;

class Model : public nn::Module {
 public:
  explicit Model(double p = 0.2) : dropout(child<nn::Dropout>("dropout", p)) {}
  nn::Linear& linear = child<nn::Linear>("linear", kIn, kOut, true, DType::f64);
  nn::Dropout& dropout;
  Tensor operator()(const Tensor& x) { return linear(dropout(x)); }
};

struct Pair {
  Tensor x, y;
};

std::vector<Pair> pairs() {
  Generator generator(11);
  const Tensor w = generator.normal({kIn, kOut}, 0, 1, DType::f64);
  std::vector<Pair> out;
  for (Index i = 0; i < kCount; ++i) {
    const Tensor x = generator.normal({1, kIn}, 0, 1, DType::f64);
    out.push_back({x, matmul(x, w)});
  }
  return out;
}

using Batch = std::vector<Pair>;

// One training, from nothing.
struct Trial {
  explicit Trial(RunOptions given, Index prefetch = 0) : options(std::move(given)) {
    manual_seed(5);
    options.quiet = true;
    model = std::make_unique<Model>();
    adam = std::make_unique<optim::Adam>(model->parameters(), optim::AdamOptions{.lr = 0.05});
    loader = std::make_unique<data::Loader<Batch>>(
        set, data::LoaderOptions<Pair>{.size = 4, .prefetch = prefetch, .seed = 3});
  }
  Tensor error(const Batch& batch) const {
    Tensor sum_of = tensor(0.0, DType::f64);
    for (const Pair& pair : batch) sum_of = sum_of + sum(square((*model)(pair.x) - pair.y));
    return sum_of / static_cast<double>(batch.size());
  }
  Training train() {
    train::Run run(*model, *adam, options);
    run.schedule(optim::rate::exponential(0.99));
    run.validate([&] {
      return Figures{{"validation loss", error(set).item()}, {"looks", looks++}};
    });
    run.carry("noise", noise);
    return run(*loader, [&](const Batch& batch) {
      return Loss{.tensor = error(batch) + noise.uniform() * 1e-3,
                  .weight = static_cast<double>(batch.size()),
                  .also = {{"size", static_cast<double>(batch.size())}}};
    });
  }
  std::vector<double> weights() const {
    std::vector<double> out;
    for (const Tensor& p : model->parameters()) {
      for (const double x : p.array().to_vector<double>()) out.push_back(x);
    }
    return out;
  }

  RunOptions options;
  std::vector<Pair> set = pairs();
  std::unique_ptr<Model> model;
  std::unique_ptr<optim::Adam> adam;
  std::unique_ptr<data::Loader<Batch>> loader;
  Generator noise{7};
  double looks = 0;
};

TEST(Run, LearnsKeepsTheBestAndTellsWhatItCameTo) {
  const TemporaryFolder folder(TemporaryFolder::memory());
  Trial trial({.out = folder / "model", .epochs = 9, .clip = 5});
  const Training training = trial.train();
  ASSERT_THAT(training.rounds, SizeIs(9));
  EXPECT_EQ(training.rounds[2].step, 18);
  EXPECT_EQ(training.rounds[2].epoch, 3);
  EXPECT_EQ(training.rounds[0].figures[0].name, "train loss");
  EXPECT_EQ(training.rounds[0].figures[1].name, "size");
  EXPECT_NEAR(training.rounds[0].figures[1].value, (5 * 16 + 9) / 23.0, 1e-12);
  const auto losses = training.curve("validation loss");
  EXPECT_LT(losses.back(), losses.front() / 2);
  EXPECT_FALSE(trial.model->training());
  EXPECT_NEAR(trial.error(trial.set).item(), *std::min_element(losses.begin(), losses.end()),
              1e-12);
  Model loaded;
  io::load_weights(folder / "model", loaded);
  loaded.eval();
  EXPECT_EQ(loaded.linear.weight.array().to_vector<double>(),
            trial.model->linear.weight.array().to_vector<double>());
}

TEST(Run, KeepsTheBestInMemoryWithoutAFolder) {
  Trial trial({.epochs = 3, .keep = {lowest("looks")}});  // the first
  const Training training = trial.train();
  EXPECT_NEAR(trial.error(trial.set).item(), training.curve("validation loss")[0], 1e-12);
  Trial last({.epochs = 3, .keep = {"looks"}});
  const double loss = last.train().curve("validation loss")[2];
  EXPECT_NEAR(last.error(last.set).item(), loss, 1e-12);
}

TEST(Run, KeepsTheLastWhereThatIsWanted) {
  const TemporaryFolder folder(TemporaryFolder::memory());
  for (const std::string& out : {std::string(), folder / "model"}) {
    Trial trial({.out = out, .epochs = 3, .keep = {lowest("looks")}, .last = true});
    const double loss = trial.train().curve("validation loss")[2];
    EXPECT_NEAR(trial.error(trial.set).item(), loss, 1e-12);
  }
  Trial patient({.epochs = 9, .keep = {lowest("looks")}, .last = true, .patience = 2});
  EXPECT_THAT(patient.train().rounds, SizeIs(3));  // by the best all the same
}

class RunResumed : public testing::TestWithParam<RunOptions> {};

TEST_P(RunResumed, HasTheSameBitsWhereverItWasStopped) {
  const TemporaryFolder folder(TemporaryFolder::memory());
  Trial whole(GetParam());
  whole.options.out = folder / "whole";
  const Training expected = whole.train();
  for (Index stop = 1; stop < expected.rounds.back().step; stop += 4) {
    SCOPED_TRACE(stop);
    const std::string out = folder / ("cut" + std::to_string(stop));
    Trial first(GetParam());
    first.options.out = out;
    first.options.stop_after = stop;
    EXPECT_TRUE(first.train().interrupted);
    EXPECT_TRUE(std::filesystem::exists(out + "/" + io::kWeightsFile));
    Trial second(GetParam(), 2);  // the batches made ahead are the same
    second.noise = Generator(99);
    second.loader->next();
    second.options.out = out;
    second.options.resume = true;
    second.looks = static_cast<double>(first.looks);
    const Training resumed = second.train();
    EXPECT_EQ(second.weights(), whole.weights());
    EXPECT_EQ(resumed.curve("train loss"), expected.curve("train loss"));
    EXPECT_EQ(resumed.curve("size"), expected.curve("size"));
    EXPECT_EQ(resumed.curve("validation loss"), expected.curve("validation loss"));
    EXPECT_EQ(resumed.steps(), expected.steps());
    EXPECT_EQ(resumed.epochs(), expected.epochs());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Options, RunResumed,
    testing::Values(RunOptions{.epochs = 3}, RunOptions{.steps = 17, .every = 5},
                    RunOptions{.epochs = 3, .every = 4, .accumulate = 2},
                    RunOptions{.epochs = 4, .clip = 0.1, .average = 2},
                    RunOptions{.epochs = 3, .ema = 0.8},
                    RunOptions{.epochs = 9, .keep = {lowest("looks")}, .patience = 2},
                    RunOptions{.epochs = 3, .save_every = 2}));

TEST(Run, StopsWhenItDoesNotImprove) {
  Trial trial({.epochs = 9, .keep = {lowest("looks")}, .patience = 3});
  EXPECT_THAT(trial.train().rounds, SizeIs(4));
}

TEST(Run, AddsUpTheGradientsOfSeveralBatches) {
  const std::vector<Pair> set = pairs();
  const auto trained = [&](Index size, Index accumulate) {
    manual_seed(3);
    Model model(0);
    optim::SGD sgd(model.parameters(), {.lr = 0.1});
    data::Loader batches(set, {.size = size, .shuffle = false, .drop_last = true});
    train::Run run(model, sgd, {.epochs = 2, .accumulate = accumulate, .quiet = true});
    run(batches, [&](const Batch& batch) {
      Tensor loss = tensor(0.0, DType::f64);
      for (const Pair& pair : batch) loss = loss + sum(square(model(pair.x) - pair.y));
      return loss / static_cast<double>(batch.size());
    });
    return model.linear.weight.array().to_vector<double>();
  };
  const auto once = trained(10, 1), twice = trained(5, 2);
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_NEAR(once[i], twice[i], 1e-12);
}

// As of a GAN: two optimizers, each with its own loss, in one function.
TEST(Run, LeavesTheStepToAFunctionThatStepsItself) {
  const TemporaryFolder folder(TemporaryFolder::memory());
  const auto trained = [&](const std::string& out, Index stop, bool resume) {
    manual_seed(9);
    Model ours, theirs;
    optim::Adam first(ours.parameters(), {.lr = 0.01}), second(theirs.parameters(), {.lr = 0.02});
    auto noise = data::drawn([](Generator& generator) {
      return Tensor(generator.normal({5, kIn}, 0, 1, DType::f64));
    });
    train::Run run(
        ours, first,
        {.out = folder / out, .steps = 12, .stop_after = stop, .resume = resume, .quiet = true});
    run.carry("theirs", theirs).carry("second", second);
    run(noise, [&](const Tensor& x) {
      second.zero_grad();
      sum(square(theirs(matmul(ours(x).detach(), ones({kOut, kIn}, DType::f64))) - 1.0)).backward();
      second.step();
      first.zero_grad();
      const Tensor loss = mean(square(ours(x) - theirs(x).detach()));
      loss.backward();
      first.step();
      return Stepped{.shown = loss.item()};
    });
    auto out_of = theirs.linear.weight.array().to_vector<double>();
    for (const double w : ours.linear.weight.array().to_vector<double>()) out_of.push_back(w);
    return out_of;
  };
  const auto whole = trained("whole", 0, false);
  trained("cut", 7, false);
  EXPECT_EQ(trained("cut", 0, true), whole);
}

TEST(Run, RefusesToGoOnWithOtherThings) {
  const TemporaryFolder folder(TemporaryFolder::memory());
  RunOptions options{.out = folder / "m", .steps = 8, .stop_after = 3, .setting = "23 pairs"};
  Trial(options).train();
  options.resume = true;
  const auto refused = [&](RunOptions other, const char* text) {
    Trial trial(other);
    const auto before = trial.weights();
    EXPECT_ERROR_WITH(Error, text, trial.train());
    EXPECT_EQ(trial.weights(), before);
  };
  RunOptions other = options;
  other.setting = "24 pairs";
  refused(other, "resume: the run had 23 pairs: it goes on with the same only, not with 24 pairs");
  other = options;
  other.steps = 2;
  refused(other, "resume: the run has 3 steps already, more than 2");
  other = options;
  other.ema = 0.5;
  refused(other, "training.safetensors: at byte 0: EMA: the entries do not fit");
  other = options;
  other.out = folder / "none";
  refused(other, "none");
  EXPECT_THAT(Trial(options).train().rounds, SizeIs(3));  // stops at 3 again
}

TEST(Run, RefusesOptionsThatMakeNoSense) {
  const auto refused = [](RunOptions options, const char* text) {
    EXPECT_ERROR_WITH(ValueError, text, Trial(options).train());
  };
  refused({}, "run: epochs 0 or steps 0 must be positive, one of the two");
  refused({.epochs = 1, .steps = 1}, "one of the two");
  refused({.epochs = -1}, "epochs -1 must not be negative");
  refused({.epochs = 1, .accumulate = 0}, "accumulate 0 must be positive");
  refused({.epochs = 1, .average = 0}, "average 0 must be positive");
  refused({.epochs = 1, .ema = 1}, "ema 1 must be in [0, 1)");
  refused({.epochs = 1, .average = 2, .ema = 0.5}, "do not go together");
  refused({.epochs = 1, .resume = true}, "resume needs the folder `out`");
  refused({.epochs = 1, .setting = "one line\nand another"}, "setting must be one line");
  refused({.epochs = 1, .setting = std::string(1001, 'x')}, "at most 1000 bytes");
  refused({.epochs = 1, .keep = {"BLEU"}}, "there is no figure \"BLEU\" to keep by");
  Trial trial({.epochs = 1});
  train::Run run(*trial.model, *trial.adam, trial.options);
  auto endless = data::drawn([](Generator& generator) { return generator.uniform(); });
  EXPECT_TRUE(throws_with<ValueError>("batches without end want `steps`",
                                      [&] { run(endless, [](double) { return Stepped{}; }); }));
}

TEST(Run, AsksHowMuchIsDoneForTheRateAndTheBatch) {
  Trial trial({.epochs = 2});
  train::Run run(*trial.model, *trial.adam, trial.options);
  std::vector<double> done, rates;
  run.schedule([&](const Moment& moment) { return 1e-3 * (1 - moment.done); });
  run(*trial.loader, [&](const Batch& batch, const Moment& moment) {
    done.push_back(moment.done);
    rates.push_back(trial.adam->lr());
    return trial.error(batch);
  });
  ASSERT_THAT(done, SizeIs(12));
  for (std::size_t i = 0; i < done.size(); ++i) {
    EXPECT_NEAR(done[i], static_cast<double>(i) / 12, 1e-12);
    EXPECT_NEAR(rates[i], 1e-3 * (1 - done[i]), 1e-15);
  }
}

TEST(Run, LeavesWhatItHadWhenTheBatchFails) {
  const TemporaryFolder folder(TemporaryFolder::memory());
  Trial trial({.out = folder / "m", .steps = 9, .every = 3});
  train::Run run(*trial.model, *trial.adam, trial.options);
  Index seen = 0;
  EXPECT_TRUE(throws_with<ShapeError>("the fifth", [&] {
    run(*trial.loader, [&](const Batch& batch) {
      if (++seen == 5) throw ShapeError("the fifth");
      return trial.error(batch);
    });
  }));
  RunOptions options = trial.options;
  options.resume = true;
  Trial resumed(options);
  train::Run again(*resumed.model, *resumed.adam, options);
  EXPECT_THAT(
      again(*resumed.loader, [&](const Batch& batch) { return resumed.error(batch); }).rounds,
      SizeIs(3));
}

TEST(Run, LogsStepsAndRoundsAndDropsWhatIsDoneAgain) {
  const TemporaryFolder folder(TemporaryFolder::memory());
  const auto trained = [&](const std::string& out, Index stop, bool resume, Index dies = 0) {
    Trial trial(
        {.out = folder / out, .epochs = 2, .save_every = 4, .stop_after = stop, .resume = resume});
    trial.options.quiet = true;
    train::Run run(*trial.model, *trial.adam, trial.options);
    run.log(std::make_shared<CsvLog>(folder / (out + ".csv")));
    run.validate([&] { return Figures{{"validation loss", trial.error(trial.set).item()}}; });
    Index seen = 0;
    run(*trial.loader, [&](const Batch& batch) {
      if (++seen == dies) throw ValueError("killed");
      return trial.error(batch);
    });
  };
  trained("whole", 0, false);
  const std::string whole = io::read_file(folder / "whole.csv");
  EXPECT_THAT(whole, HasSubstr("step loss"));
  EXPECT_THAT(whole, HasSubstr("validation loss"));
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 13);  // the names, and 12 steps
  trained("cut", 7, false);
  trained("cut", 0, true);
  EXPECT_EQ(io::read_file(folder / "cut.csv"), whole);
  EXPECT_THROW(trained("dead", 0, false, 11), ValueError);  // ten steps logged, eight saved
  trained("dead", 0, true);
  EXPECT_EQ(io::read_file(folder / "dead.csv"), whole);
}

TEST(Run, WritesAPageOfItsCurves) {
  const TemporaryFolder folder(TemporaryFolder::memory());
  Trial trial({.epochs = 2, .report = folder / "report.html"});
  trial.train();
  EXPECT_THAT(io::read_file(folder / "report.html"), HasSubstr("validation"));
}

}  // namespace
}  // namespace heed::train
