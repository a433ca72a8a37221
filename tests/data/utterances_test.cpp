#include "../../data/utterances.h"

#include <gtest/gtest.h>

#include <set>

#include "../../core/error.h"
#include "../../data/generated/dialled.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

TEST(Utterances, AreStringsWithTheirFeatures) {
  if (!has_sound()) GTEST_SKIP() << "built without KissFFT";
  Generator generator(3);
  const auto recordings = generate_dialled(40, generator);
  const auto some = draw_utterances(recordings, 30, 2, 4, generator);
  std::set<std::size_t> counts;
  for (const Utterance& each : some) {
    counts.insert(each.said.digits.size());
    const auto samples = static_cast<Index>(each.said.samples.size());
    EXPECT_EQ(each.features.shape(), (Shape{frames_of(samples), kUtteranceWidth}));
  }
  EXPECT_EQ(counts, (std::set<std::size_t>{2, 3, 4}));
  const UtteranceBatch batch = batch_of({some[0], some[1]});
  EXPECT_EQ(batch.digits[1], some[1].said.digits);
  EXPECT_EQ(batch.sounds.lengths[1], some[1].features.size(0));
  EXPECT_EQ(batch.sounds.features.size(2), kUtteranceWidth);
}

TEST(Utterances, ABatchIsCutInParts) {
  const auto features = [](Index frames, float value) {
    return Array::full({frames, kUtteranceWidth}, value, DType::f32);
  };
  std::vector<Utterance> some(5);
  for (std::size_t i = 0; i < some.size(); ++i) {
    some[i].said.digits = {static_cast<Index>(i)};
    some[i].features = features(i == 1 ? 7 : 3, static_cast<float>(i + 1));
  }
  const UtteranceBatch batch = batch_of(some), whole = part_of(batch, 0, 5),
                       part = part_of(batch, 2, 5);
  EXPECT_EQ(rows_of(batch), 5);
  EXPECT_EQ(whole.sounds.features.shape(), (Shape{5, 7, kUtteranceWidth}));
  EXPECT_EQ(part.sounds.features.shape(), (Shape{3, 3, kUtteranceWidth}));  // of its own longest
  EXPECT_TRUE(part.sounds.features.is_contiguous());
  EXPECT_EQ(part.sounds.features.data<float>()[0], 3);
  EXPECT_EQ(part.sounds.lengths, (std::vector<Index>{3, 3, 3}));
  EXPECT_EQ(part.digits, (std::vector<std::vector<Index>>{{2}, {3}, {4}}));
}

TEST(Utterances, RefuseWhatIsTooShortAndNoRange) {
  const std::vector<SpokenDigit> some = {{1, "anna", std::vector<float>(900)}};
  Generator generator(5);
  EXPECT_ERROR(ValueError, "3 to 2 digits are no range", draw_utterances(some, 1, 3, 2, generator));
  EXPECT_THROW(draw_utterances(some, 1, 0, 2, generator), ValueError);
  EXPECT_ERROR(ValueError, "799 samples are less than a tenth of a second",
               utterance_of({"", {}, {}, std::vector<float>(799)}));
  EXPECT_THROW(batch_of(std::vector<Utterance>()), ValueError);
}

}  // namespace
}  // namespace heed::data
