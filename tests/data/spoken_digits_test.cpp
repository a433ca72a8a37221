#include "../../data/spoken_digits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "../../core/error.h"
#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

using testing::HasSubstr;

class SpokenFolder : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_sound()) GTEST_SKIP() << "built without libsndfile";
  }
  void put(const std::string& name, const Sound& sound) {
    std::ofstream(file_.folder() + "/" + name, std::ios::binary) << encode_wav(sound);
  }
  std::string folder() const { return file_.folder(); }
  TemporaryFile file_{"not a sound", "notes.txt"};
};

TEST_F(SpokenFolder, IsReadInTheOrderOfNames) {
  EXPECT_ERROR_WITH(FormatError, "no .wav file is in the folder", read_spoken_digits(folder()));
  put("7_anna_0.wav", {8000, {0.5f}});
  put("3_von_neumann_12.wav", {8000, {0.25f, 0}});
  const auto read = read_spoken_digits(folder());
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].digit, 3);
  EXPECT_EQ(read[0].speaker, "von_neumann");
  EXPECT_EQ(read[0].samples, (std::vector<float>{0.25f, 0}));
  EXPECT_EQ(read[1].digit, 7);
  EXPECT_EQ(read[1].speaker, "anna");

  put("1_anna_1.wav", {16000, {0.5f}});
  EXPECT_ERROR_WITH(FormatError, "1_anna_1.wav: at byte 24: wav: 16000 samples a second, not 8000",
                    read_spoken_digits(folder()));
}

TEST_F(SpokenFolder, RefusesOtherNames) {
  for (const std::string name : {"7.wav", "7_anna.wav", "77_anna_0.wav", "x_anna_0.wav",
                                 "7_anna_x.wav", "7__0.wav", "7_anna_.wav"}) {
    put(name, {8000, {0.5f}});
    EXPECT_ERROR_WITH(FormatError, name + ": at byte 0: not named DIGIT_SPEAKER_INDEX.wav",
                      read_spoken_digits(folder()));
    std::filesystem::remove(folder() + "/" + name);
  }
  EXPECT_ERROR(IoError, folder() + "/none: open: No such file or directory",
               read_spoken_digits(folder() + "/none"));
}

TEST_F(SpokenFolder, RecordingsAreOfTenSecondsAtMost) {
  put("7_a_0.wav", {8000, std::vector<float>(80000, 0.5f)});  // of a name of one letter
  EXPECT_EQ(read_spoken_digits(folder())[0].samples.size(), 80000U);
  EXPECT_EQ(read_spoken_digits(folder())[0].speaker, "a");
  put("7_a_1.wav", {8000, std::vector<float>(80800, 0.5f)});
  EXPECT_ERROR_WITH(FormatError, "7_a_1.wav: at byte 36: wav: 10.1 s; at most 10 are read",
                    read_spoken_digits(folder()));
}

// Of a speaker and a digit each, of a level of its own.
std::vector<SpokenDigit> recordings() {
  std::vector<SpokenDigit> out;
  for (Index i = 0; i < 6; ++i) {
    const std::string speaker = i < 4 ? "anna" : "bert";
    const auto length = static_cast<std::size_t>(500 + 70 * i);
    out.push_back({i % 4, speaker, std::vector<float>(length, 0.1f * static_cast<float>(i + 1))});
  }
  return out;
}

TEST(SpokenStrings, PutRecordingsWhereTheySayThatTheyAre) {
  const auto all = recordings();
  const SpokenStrings strings(
      all,
      {.shortest_gap = 0.01, .longest_gap = 0.03, .least_over_noise = 60, .most_over_noise = 60});
  Generator generator(3);
  std::set<std::string> speakers;
  for (int n = 0; n < 40; ++n) {
    const SpokenString said = strings.draw(5, generator);
    speakers.insert(said.speaker);
    ASSERT_EQ(said.digits.size(), 5U);
    Index before = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      const auto& [begin, end] = said.places[i];
      EXPECT_GE(begin - before, 80);
      EXPECT_LE(begin - before, 240);
      const float level = said.samples[static_cast<std::size_t>((begin + end) / 2)];
      const SpokenDigit& from = all[static_cast<std::size_t>(std::lround(level * 10) - 1)];
      EXPECT_EQ(from.digit, said.digits[i]);
      EXPECT_EQ(from.speaker, said.speaker);
      EXPECT_EQ(end - begin, std::ssize(from.samples));
      EXPECT_NEAR(said.samples[static_cast<std::size_t>(begin) - 1], 0, 0.01);
      before = end;
    }
    EXPECT_GE(std::ssize(said.samples) - before, 80);
  }
  EXPECT_EQ(speakers.size(), 2U);
}

TEST(SpokenStrings, HaveTheNoiseThatWasAskedFor) {
  const auto all = recordings();
  const SpokenStrings strings(
      all, {.shortest_gap = 2, .longest_gap = 2, .least_over_noise = 20, .most_over_noise = 20});
  Generator generator(5);
  const SpokenString said = strings.draw(std::vector<Index>{2}, generator);  // of level 0.3, anna
  double squares = 0;
  for (std::size_t i = 0; i < 16000; ++i) squares += std::pow(said.samples[i], 2);
  EXPECT_NEAR(std::sqrt(squares / 16000), 0.03, 0.001);
  // Below all that is said: 500 samples of 0.1 and 640 of 0.3.
  const SpokenString two = strings.draw(std::vector<Index>{0, 2}, generator);
  squares = 0;
  for (std::size_t i = 0; i < 16000; ++i) squares += std::pow(two.samples[i], 2);
  EXPECT_NEAR(std::sqrt(squares / 16000), 0.1 * std::sqrt((500 * 0.01 + 640 * 0.09) / 1140),
              0.0007);
}

TEST(SpokenStrings, SayTheseDigitsIfSomebodyCan) {
  const auto all = recordings();
  const SpokenStrings strings(all);
  Generator generator(7);
  const std::vector<Index> digits = {3, 0, 3, 1};
  const SpokenString said = strings.draw(digits, generator);
  EXPECT_EQ(said.digits, digits);
  EXPECT_EQ(said.speaker, "anna");
  EXPECT_ERROR(ValueError, "spoken_strings: nobody has said all of these digits",
               strings.draw(std::vector<Index>{3, 7}, generator));
  EXPECT_THROW(strings.draw(std::vector<Index>(), generator), ValueError);
  EXPECT_ERROR(ValueError, "spoken_strings: 0 digits", strings.draw(0, generator));
}

TEST(SpokenStrings, RefuseWhatMakesNoSense) {
  const auto all = recordings();
  const std::vector<SpokenDigit> none, empty = {{1, "anna", {}}};
  EXPECT_ERROR(ValueError, "spoken_strings: no recordings", SpokenStrings{none});
  EXPECT_ERROR(ValueError, "spoken_strings: a recording has no samples", SpokenStrings{empty});
  EXPECT_ERROR_WITH(ValueError, "gaps of 2 to 1 s",
                    SpokenStrings(all, {.shortest_gap = 2, .longest_gap = 1}));
  EXPECT_NO_THROW(SpokenStrings(
      all,
      {.shortest_gap = 100, .longest_gap = 100, .least_over_noise = -100, .most_over_noise = 100}));
  EXPECT_THROW(SpokenStrings(all, {.longest_gap = 101}), ValueError);
  EXPECT_THROW(SpokenStrings(all, {.shortest_gap = -0.5}), ValueError);
  EXPECT_THROW(SpokenStrings(all, {.least_over_noise = -101}), ValueError);
  EXPECT_THROW(SpokenStrings(all, {.most_over_noise = 101}), ValueError);
  EXPECT_ERROR_WITH(ValueError, "noise 9 to 8 dB",
                    SpokenStrings(all, {.least_over_noise = 9, .most_over_noise = 8}));
}

}  // namespace
}  // namespace heed::data
