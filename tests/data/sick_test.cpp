#include "../../data/sick.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "../../core/error.h"
#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

const std::string kHeader =
    "pair_ID\tsentence_A\tsentence_B\tentailment_label\tentailment_AB\tentailment_BA\tSemEval_"
    "set\n";

std::string row(const std::string& label, const std::string& there, const std::string& back,
                const std::string& part = "TRAIN") {
  return "1\tA dog runs\tA dog moves\t" + label + "\tA_" + there + "_B\tB_" + back + "_A\t" + part +
         "\n";
}

const std::string kOthers =
    row("NEUTRAL", "neutral", "neutral", "TRIAL") + row("NEUTRAL", "neutral", "neutral", "TEST");

std::string error_of(const std::string& content) {
  const TemporaryFile file(content, "a.tsv");
  const std::string message = message_of<Error>([&] { read_sick(file.path()); });
  return message.starts_with(file.folder()) ? message.substr(file.folder().size() + 1) : message;
}

TEST(Sick, ReadsItsThreeSets) {
  const TemporaryFile file(gzip(kHeader + row("ENTAILMENT", "entails", "neutral") +
                                row("NEUTRAL", "neutral", "entails", "TEST") +
                                row("CONTRADICTION", "contradicts", "contradicts", "TRIAL")));
  const Sick read = read_sick(file.path());
  ASSERT_EQ(read.train.size() + read.trial.size() + read.test.size(), 3U);
  EXPECT_EQ(read.train.at(0).premise, "A dog runs");
  EXPECT_EQ(read.train.at(0).hypothesis, "A dog moves");
  EXPECT_EQ(read.train.at(0).relation, Relation::entailment);
  EXPECT_EQ(read.train.at(0).back, Relation::neutral);
  EXPECT_EQ(read.trial.at(0).relation, Relation::contradiction);
  EXPECT_EQ(read.trial.at(0).back, Relation::contradiction);
  EXPECT_EQ(read.test.at(0).back, Relation::entailment);
  EXPECT_EQ(read.test.at(0).line, 3U);
  EXPECT_EQ(read.path, file.path());
}

TEST(Sick, IsFoundInItsFolder) {
  const TemporaryFile file(kHeader + row("NEUTRAL", "neutral", "neutral") + kOthers, "SICK.txt");
  EXPECT_EQ(read_sick(file.folder()).path, file.path());
  const TemporaryFile other("", "other.tsv");
  EXPECT_ERROR_WITH(IoError, ": open SICK.tsv, SICK.tsv.gz or SICK.txt: No such file",
                    read_sick(other.folder()));
}

// As the label itself does: A_contradicts_B alone is NEUTRAL.
TEST(Sick, AContradictionTurnedRoundIsOneFromBothSides) {
  const TemporaryFile file(kHeader + row("NEUTRAL", "neutral", "contradicts") +
                           row("NEUTRAL", "contradicts", "neutral") + kOthers);
  for (const SentencePair& pair : read_sick(file.path()).train) {
    EXPECT_EQ(pair.relation, Relation::neutral);
    EXPECT_EQ(pair.back, Relation::neutral);
  }
}

TEST(Sick, NamesTheLineThatIsWrong) {
  const std::string good = row("NEUTRAL", "neutral", "neutral");
  EXPECT_EQ(error_of("pair_ID\tsentence_A\n"),
            "a.tsv:1: no column \"sentence_B\"; the columns are \"pair_ID\", \"sentence_A\"");
  EXPECT_EQ(error_of(kHeader + good + row("MAYBE", "neutral", "neutral")),
            "a.tsv:3: \"MAYBE\" is none of \"ENTAILMENT\", \"NEUTRAL\", \"CONTRADICTION\"");
  EXPECT_EQ(error_of(kHeader + row("NEUTRAL", "likes", "neutral")),
            "a.tsv:2: \"A_likes_B\" is none of \"A_entails_B\", \"A_neutral_B\", "
            "\"A_contradicts_B\"");
  EXPECT_EQ(error_of(kHeader + row("NEUTRAL", "neutral", "neutral", "DEV")),
            "a.tsv:2: \"DEV\" is none of \"TRAIN\", \"TRIAL\", \"TEST\"");
  EXPECT_EQ(error_of(kHeader + "1\t \tb\tNEUTRAL\tA_neutral_B\tB_neutral_A\tTRAIN\n"),
            "a.tsv:2: sentence_A has no text");
  EXPECT_EQ(error_of(kHeader + "1\ta\t\tNEUTRAL\tA_neutral_B\tB_neutral_A\tTRAIN\n"),
            "a.tsv:2: sentence_B has no text");
  EXPECT_EQ(error_of(kHeader + row("NEUTRAL", "neutral", "neutral", "TEST")),
            "a.tsv: at byte 0: no pair is of the set TRAIN");
  EXPECT_EQ(error_of(kHeader + good), "a.tsv: at byte 0: no pair is of the set TRIAL");
  EXPECT_EQ(error_of(kHeader + good + row("NEUTRAL", "neutral", "neutral", "TRIAL")),
            "a.tsv: at byte 0: no pair is of the set TEST");
  EXPECT_THROW(read_sick("absent"), IoError);
}

TEST(Sick, IsAsItsSourceSays) {
  const char* data = std::getenv("HEED_DATA");
  const std::string path = std::string(data ? data : "") + "/sick/SICK.tsv.gz";
  if (!data || !std::filesystem::exists(path))
    GTEST_SKIP() << "HEED_DATA holds no sick/SICK.tsv.gz";
  const Sick read = read_sick(path);
  EXPECT_EQ(read.train.size(), 4439U);
  EXPECT_EQ(read.trial.size(), 495U);
  EXPECT_EQ(read.test.size(), 4906U);
  std::size_t neutral = 0;
  for (const SentencePair& pair : read.test) neutral += pair.relation == Relation::neutral;
  EXPECT_EQ(neutral, 2790U);
}

}  // namespace
}  // namespace heed::data
