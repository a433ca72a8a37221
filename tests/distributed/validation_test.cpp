// Validation that is shared out.
#include <gtest/gtest.h>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../data/loader.h"
#include "../../distributed/processes.h"
#include "../../nn/linear.h"
#include "../../optim/optim.h"
#include "../../train/run.h"
#include "../support/throws.h"
#include "world_here.h"

namespace heed::distributed {
namespace {

// Figures of two rounds over 7 parts, and the parts that this process looked at.
std::vector<double> validated(const World& of, std::vector<Index>& seen, Index count = 7) {
  manual_seed(5);
  nn::Linear layer(3, 2);
  optim::SGD sgd(layer.parameters(), {.lr = 0.1});
  const std::vector<Index> set(24);
  data::Loader batches(
      set,
      [](const std::vector<Index>& rows) {
        return Tensor(Generator(7).normal({std::ssize(rows), 3}, 0, 1, DType::f32));
      },
      {.size = 12});
  const Processes processes(of, {.pieces = 4});
  train::Run run(layer, sgd, {.epochs = 2, .last = true, .quiet = true});
  const auto look = [&](Index i) -> train::Part {
    seen.push_back(i);
    const Tensor x(Generator(static_cast<std::uint64_t>(i)).normal({5, 3}, 0, 1, DType::f32));
    const auto place = static_cast<double>(i);
    return {{{"loss", mean(square(layer(x))).item()}, {"place", place, 4, 0.3 + place}},
            0.1 + place};
  };
  run.validate(count, look, [&](const train::Figures& means) -> train::Figures {
    EXPECT_TRUE(of.rank() == 0) << "finished by another than the first";
    return {{"loss", means[0].value}, {"place", 2 * means[1].value}};
  });
  const train::Training training = run(batches, [&](const Tensor& x) {
    return train::Loss{.tensor = mean(square(layer(x) - 1.0)),
                       .weight = static_cast<double>(x.size(0))};
  });
  std::vector<double> out = training.curve("loss");
  for (const double place : training.curve("place")) out.push_back(place);
  return out;
}

TEST(SharedValidation, EachLooksAtItsPartsAndAllHearTheSame) {
  const World alone(world(), World::Alone{});
  std::vector<Index> own_parts, parts;
  const auto own = validated(alone, own_parts), together = validated(world(), parts);
  EXPECT_EQ(own, together);  // to the bit
  EXPECT_EQ(own_parts.size(), 14u);
  std::vector<Index> wanted;
  for (int round = 0; round < 2; ++round) {
    for (Index i = world().rank(); i < 7; i += world().size()) wanted.push_back(i);
  }
  EXPECT_EQ(parts, wanted);
}

TEST(SharedValidation, OfOtherNumbersOfPartsIsNamed) {
  if (world().size() == 1) GTEST_SKIP() << "one process alone is always alike";
  std::vector<Index> parts;
  EXPECT_ERROR_WITH(ValueError,
                    "run: process 1 has validation in 5 parts, process 0 has validation in 7 parts",
                    validated(world(), parts, world().rank() == 1 ? 5 : 7));
}

}  // namespace
}  // namespace heed::distributed
