// Trainings on streamed data in parts, of which each process reads its own.
#include <gmock/gmock.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "../../autograd/ops/losses/regression_losses.h"
#include "../../data/shards.h"
#include "../../data/stream.h"
#include "../../distributed/processes.h"
#include "../../nn/linear.h"
#include "../../optim/adam.h"
#include "../../train/run.h"
#include "../data/shard_folder.h"
#include "../support/throws.h"
#include "world_here.h"

namespace heed::distributed {
namespace {

using data::Strings;

constexpr Index kPieces = 4;

// The first process's folder, for all of them.
struct Shared {
  data::ShardFolder shards{{13, 5, 31, 2, 7, 11, 3, 17}};
  Strings paths;
  std::string out;
  explicit Shared(const std::string& name) {
    std::string text = shards / name;
    for (const std::string& path : shards.paths()) text += "\n" + path;
    text = world().gather(text)[0];
    std::size_t from = 0;
    for (std::size_t end = 0; end != text.npos; from = end + 1) {
      end = text.find('\n', from);
      paths.push_back(text.substr(from, end - from));
    }
    out = paths.front();
    paths.erase(paths.begin());
  }
  ~Shared() { world().gather(""); }  // nobody reads any more
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
};

struct Ended {
  std::vector<double> weights;
  Index steps = 0;
  std::set<std::string> opened;
};

// A line's number is to be told from its shard's.
Ended trained(const World& of, const Shared& place, train::RunOptions options,
              Index parts = kPieces, Index prefetch = 0) {
  manual_seed(11);
  Ended ended;
  std::mutex mutex;
  const data::Shards<std::string> shards(place.paths,
                                         [&](const std::string& path) {
                                           const std::lock_guard lock(mutex);
                                           ended.opened.insert(path);
                                           return std::make_unique<data::TextFile>(path);
                                         },
                                         {.open = 2, .threads = prefetch});
  auto batches = data::streamed(
      shards, data::same,
      {.size = 2 * parts, .buffer = 23, .parts = parts, .prefetch = prefetch, .seed = 3});
  nn::Linear model(1, 1);
  model.to(DType::f64);
  optim::Adam adam(model.parameters(), {.lr = 0.02});
  options.quiet = options.last = true;
  const Processes processes(of, {.pieces = kPieces});
  train::Run run(model, adam, options);
  const train::Training training = run(batches, [&](const Strings& lines) {
    std::vector<double> x, y;
    for (const std::string& line : lines) {
      x.push_back(line[0] - '0');
      y.push_back(std::stod(line.substr(2)));
    }
    const Shape shape{std::ssize(lines), 1};
    return mse_loss(model(Tensor(Array::from(x, shape))), Tensor(Array::from(y, shape)));
  });
  ended.weights = model.weight.array().to_vector<double>();
  ended.steps = training.rounds.back().step;
  return ended;
}

TEST(StreamedParts, EndWithTheBitsOfOneProcess) {
  const World alone(world(), World::Alone{});
  const Shared place("m");
  for (const Index accumulate : {1, 2, 3}) {
    for (const Index prefetch : {0, 2}) {
      const train::RunOptions options{.epochs = 2, .accumulate = accumulate};
      const Ended own = trained(alone, place, options),
                  together = trained(world(), place, options, kPieces, prefetch);
      EXPECT_EQ(together.weights, own.weights) << accumulate;
      EXPECT_EQ(together.steps, own.steps) << accumulate;
      EXPECT_EQ(own.opened.size(), place.paths.size());
    }
  }
  // Twice as many parts as pieces.
  const train::RunOptions options{.epochs = 2};
  EXPECT_EQ(trained(world(), place, options, 8).weights, trained(alone, place, options, 8).weights);
}

TEST(StreamedParts, AreReadByOneProcessEach) {
  const Shared place("m");
  const Ended ended = trained(world(), place, {.epochs = 2});
  std::string mine;
  for (const std::string& path : ended.opened) mine += path + "\n";
  std::size_t all = 0;
  for (const std::string& each : world().gather(mine)) {
    all += static_cast<std::size_t>(std::count(each.begin(), each.end(), '\n'));
  }
  EXPECT_EQ(all, place.paths.size());
}

TEST(StreamedParts, GoOnWithAnotherNumberOfProcesses) {
  const World alone(world(), World::Alone{});
  const Shared place("m");
  const Ended whole = trained(alone, place, {.steps = 29, .every = 29});
  for (const Index steps : {4, 20}) {  // in the first pass, and the second
    const std::string out = place.out + std::to_string(steps);
    trained(world(), place, {.out = out, .steps = steps, .every = 2});
    const train::RunOptions rest{.out = out, .steps = 29, .every = 29, .resume = true};
    world().gather("");
    if (world().rank() == 0) {
      EXPECT_EQ(trained(alone, place, rest).weights, whole.weights) << steps;
    }
    world().gather("");
    // And from one process to all.
    if (world().rank() == 0) trained(alone, place, {.out = out + "b", .steps = steps, .every = 2});
    world().gather("");
    train::RunOptions back = rest;
    back.out = out + "b";
    EXPECT_EQ(trained(world(), place, back).weights, whole.weights) << steps;
  }
}

// Files of other sizes, although as many.
TEST(StreamedParts, OfOtherFilesAreNoneOfOneTraining) {
  if (world().size() == 1) GTEST_SKIP() << "one process has the files that it has";
  Shared place("m");
  if (world().rank() == world().size() - 1) std::swap(place.paths[0], place.paths[1]);
  EXPECT_ERROR_WITH(ValueError, "has data (seed, contents, sizes of files) marked",
                    trained(world(), place, {.epochs = 2}));
}

}  // namespace
}  // namespace heed::distributed
