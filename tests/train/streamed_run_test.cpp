// A run on batches that are streamed from shards.
#include <gtest/gtest.h>

#include "../../autograd/ops/losses/regression_losses.h"
#include "../../data/shards.h"
#include "../../data/stream.h"
#include "../../nn/linear.h"
#include "../../optim/adam.h"
#include "../../train/run.h"
#include "../data/shard_folder.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

using data::ShardFolder;
using data::Strings;

// A line's place in the shard is to be told from the shard's number.
Tensor loss_of(const nn::Linear& model, const Strings& lines) {
  std::vector<double> x, y;
  for (const std::string& line : lines) {
    x.push_back(line[0] - '0');
    y.push_back(std::stod(line.substr(2)));
  }
  const Index count = std::ssize(lines);
  return mse_loss(model(Tensor(Array::from(x, {count, 1}))), Tensor(Array::from(y, {count, 1})));
}

struct Setting {
  Setting() : model(1, 1) { model.to(DType::f64); }
  nn::Linear model;
  optim::Adam adam{model.parameters(), {.lr = 1e-2}};
  std::vector<double> weights() const { return model.weight.array().to_vector<double>(); }

  Training go(const ShardFolder& shards, const std::string& out, Index steps, bool resume,
              Index threads) {
    auto batches =
        data::streamed(data::text_shards(shards.paths(), {.open = 2, .threads = threads}),
                       data::same, {.size = 7, .buffer = 31, .prefetch = threads, .seed = 3});
    Run run(model, adam,
            {.out = out, .steps = steps, .every = 10, .resume = resume, .quiet = true});
    return run(batches, [&](const Strings& lines) { return loss_of(model, lines); });
  }
};

TEST(StreamedRun, GoesOnToTheSameBits) {
  const ShardFolder shards({101, 59, 83}, true);
  const TemporaryFolder folder;
  manual_seed(1);
  Setting whole;
  whole.go(shards, folder / "whole", 50, false, 0);  // 35 steps a pass
  manual_seed(1);
  Setting first;
  first.go(shards, folder / "parts", 20, false, 2);
  Setting second;
  second.go(shards, folder / "parts", 50, true, 1);
  EXPECT_EQ(second.weights(), whole.weights());
}

TEST(StreamedRun, EndsWithTheNameOfAShardThatIsGone) {
  const ShardFolder shards({101, 59, 83});
  const TemporaryFolder folder;
  Setting setting;
  setting.go(shards, folder / "model", 10, false, 0);
  std::filesystem::remove(shards.paths()[1]);
  EXPECT_ERROR(IoError, shards.paths()[1] + ": open: No such file or directory",
               setting.go(shards, folder / "model", 50, true, 0));
}

}  // namespace
}  // namespace heed::train
