#include "../../distributed/processes.h"

#include <gtest/gtest.h>

#include <cstring>

#include "../../autograd/methods.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/losses/regression_losses.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../data/loader.h"
#include "../../nn/nn.h"
#include "../../optim/adam.h"
#include "../../optim/sgd.h"
#include "../../train/run.h"
#include "../support/block.h"
#include "../support/throws.h"
#include "world_here.h"

namespace heed::distributed {
namespace {

struct Word {
  std::vector<Index> ids;
  Index label = 0;
};
std::vector<Word> words() {
  Generator generator(5);
  std::vector<Word> out;
  for (int i = 0; i < 48; ++i) {
    Word word;
    for (int k = 0; k < 3; ++k) word.ids.push_back(generator.below(17));
    word.label = word.ids[0] % 3;
    out.push_back(std::move(word));
  }
  return out;
}

class Net : public nn::Module {
 public:
  explicit Net(bool with_norm) : normed(with_norm) {}
  bool normed;
  nn::Embedding& table =
      child<nn::Embedding>("table", nn::EmbeddingOptions{.count = 17, .width = 6});
  nn::Dropout& drop = child<nn::Dropout>("drop", 0.3);
  nn::BatchNorm1d& norm = child<nn::BatchNorm1d>("norm", 6);
  nn::Linear& out = child<nn::Linear>("out", 6, 3);
  Tensor operator()(const Tensor& ids) const {
    const Tensor x = mean(table(ids), {1});
    return out(drop(normed ? norm(x) : x));
  }
};

struct Batch {
  Tensor ids, labels;
};

// Trains shared out over `of`; all weights and buffers behind each other.
std::string trained(const World& of, Index pieces, train::RunOptions options, Index batch = 12) {
  manual_seed(11);
  Net net(batch == 12);  // which wants two rows and more of a piece
  const std::vector<Word> set = words();
  data::Loader batches(
      set,
      [&](const std::vector<Index>& rows) {
        std::vector<Index> ids, labels;
        for (const Index row : rows) {
          const Word& word = set[static_cast<std::size_t>(row)];
          ids.insert(ids.end(), word.ids.begin(), word.ids.end());
          labels.push_back(word.label);
        }
        const auto count = static_cast<Index>(rows.size());
        return Batch{Tensor(Array::from(ids, {count, 3})), Tensor(Array::from(labels))};
      },
      {.size = batch, .seed = 3});
  optim::Adam adam(net.parameters(), {.lr = 0.01});
  Generator noise(41);
  double moving = 0;  // carried: of the pieces of a step the last one's stays
  options.quiet = true;
  const Processes processes(of, {.pieces = pieces});
  train::Run run(net, adam, options);
  run.carry("noise", noise).carry("moving", moving).validate([&]() -> train::Figures {
    return {{"loss", noise.uniform() + default_generator().uniform()}};
  });
  run(batches, [&](const Batch& each) {
    const Tensor shift = Tensor(noise.normal({each.ids.size(0), 3}, 0, 0.1));
    const Tensor loss = cross_entropy(net(each.ids) + shift, each.labels);
    moving = 0.9 * moving + 0.1 * loss.item();
    return train::Loss{.tensor = loss * (1 + moving),
                       .weight = static_cast<double>(each.ids.size(0))};
  });
  std::string out;
  for (const auto& [name, tensor] : net.state_dict()) {
    const Array numbers = tensor.array().contiguous();
    out.append(reinterpret_cast<const char*>(numbers.raw()),
               static_cast<std::size_t>(numbers.numel()) * size_of(numbers.dtype()));
  }
  return out + std::to_string(moving) + std::to_string(noise.next());
}

TEST(Processes, EndWithTheBitsOfOne) {
  const World alone(world(), World::Alone{});
  for (const Index pieces : {4, 6}) {
    for (const Index accumulate : {1, 2}) {
      const train::RunOptions options{.epochs = 3, .accumulate = accumulate, .clip = 0.5};
      const std::string together = trained(world(), pieces, options),
                        own = trained(alone, pieces, options);
      EXPECT_EQ(together == own, true) << pieces << " pieces, accumulate " << accumulate;
      for (const std::string& each : world().gather(together)) EXPECT_TRUE(each == together);
    }
  }
}

// A batch may have fewer rows than there are pieces.
TEST(Processes, ShareOutSmallBatches) {
  const World alone(world(), World::Alone{});
  const train::RunOptions options{.epochs = 1};
  EXPECT_TRUE(trained(world(), 8, options, 5) == trained(alone, 8, options, 5));
}

TEST(Processes, OneStepIsThatOfTheWholeBatch) {
  const auto stepped = [&](bool shared) {
    manual_seed(2);
    nn::Linear net(3, 2);
    Generator generator(9);
    const Tensor x = Tensor(generator.normal({11, 3}, 0, 1)),
                 y = Tensor(generator.normal({11, 2}, 0, 1));
    std::vector<Index> set(11);
    data::Loader batches(set,
                         [&](const std::vector<Index>& rows) {
                           return std::pair(x.index_select(0, Tensor(Array::from(rows))),
                                            y.index_select(0, Tensor(Array::from(rows))));
                         },
                         {.size = 11, .shuffle = false});
    optim::Adam adam(net.parameters(), {.lr = 0.1, .eps = 1});
    std::unique_ptr<Processes> processes;
    if (shared) processes = std::make_unique<Processes>(world(), SharingOptions{.pieces = 4});
    train::Run run(net, adam, {.epochs = 1, .quiet = true});
    run(batches, [&](const auto& batch) { return mse_loss(net(batch.first), batch.second); });
    return net.weight.array().to_vector<float>();
  };
  const auto shared = stepped(true), whole = stepped(false);
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(shared[i], whole[i], 1e-6);
}

TEST(Processes, ThatBeganOtherwiseAreNamed) {
  if (world().size() == 1) GTEST_SKIP() << "one process alone is always alike";
  EXPECT_ERROR_WITH(
      ValueError, "run: process 1 has the setting \"seed 1\", process 0 has the setting \"seed 0\"",
      trained(world(), 4, {.epochs = 1, .setting = "seed " + std::to_string(world().rank())}));
  EXPECT_ERROR_WITH(ValueError, "run: process 1 has 4 steps, 0 epochs",
                    trained(world(), 4, {.steps = 3 + world().rank()}));
  EXPECT_ERROR_WITH(ValueError, "run: process 1 has 5 pieces, exact sums, process 0 has 4 pieces",
                    trained(world(), 4 + world().rank(), {.epochs = 1}));
  // What only some steps, or some looks, would tell.
  const bool second = world().rank() == 1;
  const std::vector<std::pair<const char*, train::RunOptions>> others{
      {"clip 0.5, process 0 has", {.epochs = 1, .clip = second ? 0.5 : 0}},
      {"patience 3, the best kept, process 0", {.epochs = 1, .patience = second ? 3 : 1}},
      {"the best kept by highest \"accuracy\", process",
       {.epochs = 1,
        .keep = second ? std::vector<train::Wanted>{"accuracy"} : std::vector<train::Wanted>{}}},
      {"average 2, ema 0, process 0", {.epochs = 1, .average = second ? 2 : 1}},
      {"average 1, ema 0.5, process 0", {.epochs = 1, .ema = second ? 0.5 : 0}},
      {"a round every 2 steps", {.epochs = 1, .every = second ? 2 : 0}},
      {"7 steps between saved states", {.epochs = 1, .save_every = second ? 7 : 0}},
      {"3 to stop after", {.epochs = 1, .stop_after = second ? 3 : 0}},
      {"its state, a folder, process 0 has to begin without its state, no folder",
       {.out = second ? "never made" : "", .epochs = 1}}};
  for (const auto& [what, options] : others) {
    EXPECT_ERROR_WITH(ValueError, what, trained(world(), 4, options));
  }
}

// As many rows, and first weights alike.
TEST(Processes, ThatHaveOtherDataAreNamed) {
  if (world().size() == 1) GTEST_SKIP() << "one process alone is always alike";
  nn::Linear net(3, 2);
  for (Tensor& each : net.parameters()) each.set_array(Array::zeros(each.shape(), each.dtype()));
  optim::SGD sgd(net.parameters(), {.lr = 0.1});
  std::vector<Index> set(11);
  set[7] = world().rank() == 1 ? 5 : 3;
  data::Loader batches(set, {.size = 4});
  batches.contents(set);
  const Processes processes(world(), {.pieces = world().size()});
  train::Run run(net, sgd, {.epochs = 1, .quiet = true});
  EXPECT_ERROR_WITH(ValueError, "run: process 1 has data (seed, contents, sizes of files) marked",
                    run(batches, [&](const std::vector<Index>& rows) {
                      return mean(net(Tensor(Array::full({std::ssize(rows), 3}, 1, DType::f32))));
                    }));
}

TEST(Processes, WantAPieceEach) {
  EXPECT_ERROR_WITH(ValueError, "pieces a batch are fewer than the",
                    Processes(world(), {.pieces = world().size() - 1}));
  const Processes one(world(), {});
  EXPECT_ERROR_WITH(ValueError, "runs are shared already", Processes(world(), {}));
}

TEST(Processes, CannotShareWhatStepsItselfOrIsDrawnWhole) {
  nn::Linear net(3, 2);
  optim::Adam adam(net.parameters(), {.lr = 0.1});
  const Processes processes(world(), {});
  std::vector<Index> set(11);
  data::Loader batches(set, {.size = 4});
  train::Run run(net, adam, {.epochs = 1, .quiet = true});
  EXPECT_ERROR_WITH(ValueError, "a function that steps by itself cannot be shared out",
                    run(batches, [](const auto&) { return train::Stepped{}; }));
  auto drawn = data::drawn([](Generator& generator) { return generator.next(); });
  train::Run other(net, adam, {.steps = 3, .quiet = true});
  EXPECT_ERROR_WITH(ValueError, "nobody has said how to cut them", other(drawn, [&](std::uint64_t) {
                      return mean(net(Tensor(Array::zeros({1, 3}, DType::f32))));
                    }));
}

}  // namespace
}  // namespace heed::distributed
