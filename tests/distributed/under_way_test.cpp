#include "../../distributed/under_way.h"

#include <gtest/gtest.h>

#include <chrono>

#include "../../core/error.h"
#include "../support/throws.h"
#include "world_here.h"

namespace heed::distributed {
namespace {

constexpr Index kRows = 1301, kColumns = 907;  // more than a message that goes at once

// As many buckets, each of one parameter; piece p of parameter i is (i + 1) (p + 1) throughout.
struct Step {
  explicit Step(std::size_t count) : trees(count, GradientTree(AddGradients{})) {
    const Index pieces = world().size();
    std::vector<Tensor> parameters(count, Tensor(Array::zeros({kRows, kColumns}, DType::f32)));
    for (std::size_t i = 0; i < count; ++i) {
      buckets.emplace_back(world(), parameters, std::vector<std::size_t>{i}, pieces, Sums::exact);
      const auto factor = static_cast<double>(i + 1) * static_cast<double>(world().rank() + 1);
      trees[i].push({world().rank(), 1},
                    Tensor(Array::full({kRows, kColumns}, factor, DType::f32)));
    }
  }
  std::vector<Bucket> buckets;
  std::vector<GradientTree> trees;
};

void expect_sums(UnderWay& way) {
  const auto n = static_cast<double>(world().size());
  for (std::size_t i = 0; i < way.buckets().size(); ++i) {
    const auto expected = static_cast<float>(static_cast<double>(i + 1) * n * (n + 1) / 2);
    EXPECT_EQ(way.buckets()[i].finish().to_vector<float>(),
              std::vector<float>(static_cast<std::size_t>(kRows * kColumns), expected));
  }
}

TEST(UnderWay, SumsUpWhileNobodyAsks) {
  if (world().size() == 1) GTEST_SKIP() << "nothing travels";
  Step step(3);
  UnderWay way(world(), std::move(step.buckets));
  while (way.next()) way.start(step.trees);
  if (!way.seen_to()) {
    way.finish();
    GTEST_SKIP() << "this MPI takes calls of one thread alone";
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (way.told() < 3 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(way.told(), 3U);
  way.finish();
  expect_sums(way);
}

// What the world says meanwhile takes its turn.
TEST(UnderWay, LeavesTheWorldToSpeak) {
  if (world().size() == 1) GTEST_SKIP() << "nothing travels";
  Step step(2);
  UnderWay way(world(), std::move(step.buckets));
  while (way.next()) {
    way.start(step.trees);
    for (int i = 0; i < 20; ++i) {
      const std::string said(static_cast<std::size_t>(97 * i + 1), 'a');
      for (const std::string& each : world().gather(said)) EXPECT_EQ(each, said);
    }
  }
  way.finish();
  expect_sums(way);
}

// Sums of two would meet others elsewhere: their order would be whatever came first.
TEST(UnderWay, OneAtATime) {
  if (world().size() == 1) GTEST_SKIP() << "nothing travels";
  Step first(2), second(1);
  UnderWay way(world(), std::move(first.buckets)), other(world(), std::move(second.buckets));
  way.start(first.trees);
  EXPECT_ERROR(Error, "distributed: another sum's gradients are on their way: finish() it first",
               other.start(second.trees));
  EXPECT_NE(other.next(), nullptr);
  way.start(first.trees);
  way.finish();
  expect_sums(way);
}

}  // namespace
}  // namespace heed::distributed
