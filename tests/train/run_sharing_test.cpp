// What a run that goes on must share its batches out as: as it did before.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "../../autograd/factories.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../data/loader.h"
#include "../../io/io.h"
#include "../../nn/linear.h"
#include "../../optim/sgd.h"
#include "../../train/run.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"
#include "lone_team.h"

namespace heed::train {
namespace {

// The weights behind so many steps.
std::vector<float> trained(const std::string& out, Index stop, bool resume) {
  manual_seed(7);
  nn::Linear layer(3, 2);
  optim::SGD sgd(layer.parameters(), {.lr = 0.1});
  const std::vector<Index> set(23);
  data::Loader batches(
      set,
      [](const std::vector<Index>& rows) {
        const auto seed = static_cast<std::uint64_t>(rows.size());
        return Tensor(Generator(seed).normal({std::ssize(rows), 3}, 0, 1, DType::f32));
      },
      {.size = 11});
  Run run(layer, sgd,
          {.out = out, .steps = 7, .stop_after = stop, .resume = resume, .quiet = true});
  run(batches, [&](const Tensor& x) { return mean(square(layer(x) - 1.0)); });
  return layer.weight.array().to_vector<float>();
}

// Of `team`: nothing, or its pieces and its setting.
struct Sharing {
  Index pieces;
  std::string setting;
};
std::vector<float> trained(const Sharing& sharing, const std::string& out, Index stop,
                           bool resume) {
  std::unique_ptr<LoneTeam> team;
  if (sharing.pieces > 0) team = std::make_unique<LoneTeam>(sharing.pieces, sharing.setting);
  return trained(out, stop, resume);
}

const Sharing kNotShared{0, "batches in one piece, not shared out"};
const Sharing kFour{4, "4 pieces, exact sums"}, kTwo{2, "2 pieces, exact sums"},
    kPlain{4, "4 pieces, plain sums"};

TEST(RunSharing, GoesOnAsItWas) {
  const TemporaryFolder folder(TemporaryFolder::memory());
  for (const Sharing& before : {kNotShared, kFour, kPlain}) {
    const std::string out = folder / before.setting;
    const auto whole = trained(before, folder / "whole", 0, false);
    trained(before, out, 3, false);
    for (const Sharing& now : {kNotShared, kFour, kTwo, kPlain}) {
      if (now.setting == before.setting) continue;
      EXPECT_ERROR(ValueError,
                   "resume: the run had " + before.setting +
                       ": it goes on with the same only, not with " + now.setting,
                   trained(now, out, 0, true));
    }
    EXPECT_EQ(trained(before, out, 0, true), whole) << before.setting;
  }
}

TEST(RunSharing, OfAStateThatDoesNotSayAnyGoesOn) {
  const TemporaryFolder folder(TemporaryFolder::memory());
  const std::string out = folder / "m", path = out + "/" + io::kTrainingFile;
  trained(kFour, out, 3, false);
  auto file = io::read_safetensors(path);
  EXPECT_EQ(file.metadata.erase("sharing"), 1U);
  io::write_safetensors(path, file.arrays, file.metadata);
  trained(kTwo, out, 0, true);
}

}  // namespace
}  // namespace heed::train
