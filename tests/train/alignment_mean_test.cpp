#include "../../train/alignment_mean.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "../../core/error.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

TEST(AlignmentMean, IsOfAllMatrices) {
  AlignedSentence sentence{{"a", "b"}, {"c"}, {{"head 1", Array::from<float>({1, 0}, {1, 2})}}};
  EXPECT_EQ(mean_alignment(sentence).title, "head 1");
  sentence.matrices.push_back({"head 2", Array::from<float>({0.5F, 0.5F}, {1, 2})});
  const Alignment mean = mean_alignment(sentence);
  EXPECT_EQ(mean.title, "all layers and heads");
  EXPECT_THAT(mean.weights.to_vector<float>(), testing::ElementsAre(0.75F, 0.25F));
  const TemporaryFolder folder;
  write_alignment(folder / "it", sentence);
  for (const char* name : {"it.png", "it.svg", "it.html"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  }
  EXPECT_THROW(mean_alignment({}), ValueError);
  EXPECT_THROW(write_alignment(folder / "absent/it", sentence), IoError);
}

TEST(AlignmentMean, OfAWordIsThatOfItsColumn) {
  const std::vector<std::string> words = {"a", "b", "c"};
  const Array weights = Array::from<double>({1, 0, 0, 0.5, 0.25, 0.25}, {2, 3});
  const AttendedSentence seen = looked_at(words, &weights);
  EXPECT_EQ(seen.weight, 1);
  ASSERT_EQ(seen.words.size(), 3U);
  EXPECT_EQ(seen.words[0].text, "a");
  EXPECT_EQ(seen.words[0].weight, 0.75);
  EXPECT_EQ(seen.words[2].weight, 0.125);
  EXPECT_EQ(looked_at(words, nullptr).words[1].weight, 0);
  const Array flat = Array::from<double>({1, 0, 0}, {3});
  const Array narrow = Array::from<double>({1, 0}, {1, 2});
  EXPECT_ERROR_WITH(ShapeError, "looked_at: ", looked_at(words, &flat));
  EXPECT_ERROR_WITH(ShapeError, "looked_at: ", looked_at(words, &narrow));
}

}  // namespace
}  // namespace heed::train
