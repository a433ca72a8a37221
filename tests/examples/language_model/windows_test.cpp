#include "../../../examples/language_model/windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "../../../core/error.h"

namespace language_model {
namespace {

using heed::Generator;
using heed::Shape;
using testing::ElementsAreArray;

// Token i is i.
std::vector<Index> counting(Index count) {
  std::vector<Index> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

TEST(LanguageModelWindows, TargetsAreTheInputsOnePlaceOn) {
  Generator generator(3);
  const Batch batch = random_windows(counting(101), 7, 13, generator);
  ASSERT_EQ(batch.inputs.shape(), (Shape{7, 13}));
  ASSERT_EQ(batch.targets.shape(), (Shape{7, 13}));
  const auto inputs = batch.inputs.to_vector<std::int64_t>();
  const auto targets = batch.targets.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(targets[i], inputs[i] + 1);
    if (i % 13 != 0) {
      EXPECT_EQ(inputs[i], inputs[i - 1] + 1);
    }
  }
}

TEST(LanguageModelWindows, RandomOnesReachEveryPlaceAndNotBeyond) {
  Generator generator(5);
  std::vector<int> starts(3);
  for (int i = 0; i < 50; ++i) {
    const Batch batch = random_windows(counting(16), 1, 13, generator);
    ++starts.at(static_cast<std::size_t>(batch.inputs.to_vector<std::int64_t>()[0]));
  }
  for (const int n : starts) EXPECT_GT(n, 0);
  EXPECT_THROW(random_windows(counting(13), 1, 13, generator), heed::ValueError);
}

TEST(LanguageModelWindows, AllOfThemHaveEachTokenButTheFirstAsATargetOnce) {
  for (const Index size : {2, 14, 53, 54, 66, 71}) {
    std::vector<std::int64_t> targets;
    for (const Batch& batch : all_windows(counting(size), 3, 13)) {
      EXPECT_LE(batch.inputs.size(0), 3);
      const auto more = batch.targets.to_vector<std::int64_t>();
      targets.insert(targets.end(), more.begin(), more.end());
      EXPECT_EQ(batch.inputs.to_vector<std::int64_t>()[0] + 1, more[0]);
    }
    auto expected = counting(size);
    expected.erase(expected.begin());
    EXPECT_THAT(targets, ElementsAreArray(expected));
  }
  EXPECT_THROW(all_windows(counting(1), 3, 13), heed::ValueError);
}

}  // namespace
}  // namespace language_model
