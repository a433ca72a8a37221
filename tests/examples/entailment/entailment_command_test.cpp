// The program as a user runs it: exit codes, messages, files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "../command.h"

namespace {

namespace fs = std::filesystem;
using heed::Command;
using heed::Outcome;
using heed::io::read_file;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class EntailmentCommand : public Command {
 protected:
  EntailmentCommand() : Command(HEED_ENTAILMENT) {}

  static double accuracy_of(const std::string& output) {
    return number_after("  test accuracy ", output);
  }
  static std::string row(const std::string& premise, const std::string& hypothesis,
                         const std::string& part) {
    return premise + "\t" + hypothesis + "\tENTAILMENT\tA_entails_B\tB_neutral_A\t" + part + "\n";
  }
};

const std::string kSmall = " --pairs 60 --width 5 --hidden 7 --batch 16 --show 2 --threads 1 ";
const std::string kHeader =
    "sentence_A\tsentence_B\tentailment_label\tentailment_AB\tentailment_BA\tSemEval_set\n";
const std::string kDogs = "A dog is running\nAn animal is moving\n";

// Chance is a third.
TEST_F(EntailmentCommand, AQuickTrainingLearnsMoreThanChance) {
  const std::string trained = expect_success("train --quick --threads 1 --save " + path("m"));
  EXPECT_GT(accuracy_of(trained), 60);
  EXPECT_THAT(trained, HasSubstr("pairs: 6000 to learn from, 1000 to validate, 1000 to test;"));
  EXPECT_THAT(read_file(path("m/report.html")),
              AllOf(HasSubstr("test accuracy"), HasSubstr("neutral")));
  EXPECT_THAT(read_file(path("m/looks.png")), StartsWith("\x89PNG"));

  const std::string tested = expect_success("evaluate --model " + path("m") + " --report " +
                                            path("r.html") + " --picture " + path("p.png"));
  EXPECT_EQ(accuracy_of(tested), accuracy_of(trained));
  EXPECT_EQ(read_file(path("p.png")), read_file(path("m/looks.png")));
  EXPECT_TRUE(fs::exists(path("r.html")));

  const std::string ask = "ask --model " + path("m");
  const std::string told = expect_success(ask + " --picture " + path("a.png"), kDogs + kDogs);
  EXPECT_THAT(told, AllOf(HasSubstr("  contradiction "), HasSubstr(" %\nhypothesis over premise"),
                          HasSubstr("animal")));
  EXPECT_THAT(read_file(path("a.png")), StartsWith("\x89PNG"));
  expect_refused(ask, "entailment: nothing came", "");
  expect_refused(ask, "entailment: line 1: the premise has no words", "\n" + kDogs);
  expect_refused(ask, "entailment: line 4: the hypothesis has no words", kDogs + "A dog\n \n");
  expect_refused(ask, "entailment: line 3: no hypothesis comes after it", kDogs + "A dog\n");
  std::string longest;
  for (int i = 0; i < 101; ++i) longest += "dog ";
  expect_refused(ask, "line 1: the premise has 101 words; at most 100 are read", longest + "\nA\n");
}

TEST_F(EntailmentCommand, EveryKindOfAttentionIsTrainedKeptAndAsked) {
  for (const std::string kind :
       {"none", "last", "word_by_word", "two_way", "lstmn", "decomposable", "esim"}) {
    const std::string model = path(kind);
    const std::string trained =
        expect_success("train --epochs 1 --attention " + kind + kSmall + "--save " + model);
    const std::string tested = expect_success("evaluate --model " + model);
    EXPECT_EQ(accuracy_of(tested), accuracy_of(trained)) << kind;
    EXPECT_EQ(fs::exists(model + "/looks.png"), kind != "none") << kind;
    const Outcome asked = run("ask --model " + model + " --picture " + path("p.png"), kDogs);
    EXPECT_EQ(asked.code, kind == "none" ? 2 : 0) << asked.output;
    const bool both = kind == "two_way" || kind == "decomposable" || kind == "esim";
    EXPECT_EQ(asked.output.find("premise over hypothesis") != std::string::npos, both) << kind;
    if (kind == "none") {
      EXPECT_THAT(asked.output, HasSubstr("a model without attention has not looked anywhere"));
      EXPECT_FALSE(fs::exists(path("p.png")));
    }
  }
}

TEST_F(EntailmentCommand, ReadsSickAndRefusesBadTables) {
  const std::string good = row("A dog runs", "A dog moves", "TRAIN") +
                           row("Dogs run", "A dog moves", "TRIAL") +
                           row("A dog runs", "Dogs moved", "TEST");
  const std::string table = write("SICK.tsv", kHeader + good);
  const std::string flags = "train --epochs 1" + kSmall + "--save " + path("m") + " --data ";
  const std::string trained = expect_success(flags + path(""));
  EXPECT_THAT(trained, AllOf(HasSubstr("pairs: 2 to learn from, 1 to validate, 1 to test;"),
                             HasSubstr("test pairs 1 ")));
  EXPECT_THAT(expect_success(flags + table + " --no-turned"), HasSubstr("pairs: 1 to learn from"));
  EXPECT_EQ(accuracy_of(expect_success("evaluate --model " + path("m") + " --data " + table)),
            accuracy_of(trained));
  fs::remove_all(path("m"));

  const auto refused = [&](const std::string& content, const std::string& text) {
    write("SICK.tsv", content);
    expect_refused(flags + table, text);
  };
  refused("a\tb\n", "SICK.tsv:1: no column \"sentence_A\"");
  refused(kHeader + good + row("A dog", "$ % #", "TEST"),
          "SICK.tsv:5: the hypothesis has no words");
  refused(kHeader + good + row("", "A dog", "TEST"), "SICK.tsv:5: sentence_A has no text");
  refused(kHeader + good + row("A", "B", "BEST"), "SICK.tsv:5: \"BEST\" is none of");
  refused(kHeader + good + "A\tB\tC\n", "SICK.tsv:5: 3 columns, but column 6 is wanted");
  refused(kHeader + row("A", "B", "TRAIN"), "no pair is of the set TRIAL");
  std::string longest;
  for (int i = 0; i < 101; ++i) longest += "dog ";
  refused(kHeader + good + row(longest, "B", "TEST"), "SICK.tsv:5: the premise has 101 words");
  EXPECT_FALSE(fs::exists(path("m")));
}

TEST_F(EntailmentCommand, RefusesBadFlagsAndModels) {
  expect_refused("", "subcommand");
  expect_refused("train --attention most", "attention");
  expect_refused("train --epochs 0", "epochs");
  expect_refused("train --dropout 1", "dropout");
  expect_refused("train --pairs 0", "pairs");
  expect_refused("train --data " + path("absent") + " --save " + path("m"), "absent");
  expect_refused("train --data " + path("") + " --save " + path("m"), "SICK.tsv, SICK.tsv.gz");
  expect_refused("train --resume --save " + path("m"), path("m"));
  expect_refused("evaluate --model " + path("m"), path("m"));
  EXPECT_FALSE(fs::exists(path("m")));

  expect_success("train --epochs 1" + kSmall + "--save " + path("m"));
  expect_config_refused("ask", "word_by_word", "two_way", "model.safetensors");
  expect_config_refused("ask", "\"width\": 5", "\"width\": 6", "model.safetensors");
  expect_config_refused("ask", "word_by_word", "mostly", "\"mostly\" is none of \"none\"");
  expect_refused("train --resume --epochs 3 --save " + path("m") + " --pairs 61 --batch 16",
                 "resume: the run had 120 pairs, --batch 16, --seed 1");
  expect_refused("train --resume --min-count 3" + kSmall + "--save " + path("m"),
                 "--resume: the model in the folder has --min-count 2, not 3");
  write("m/vocabulary.txt", "<pad>\n<unk>\n");
  expect_refused("ask --model " + path("m"), "vocabulary.txt", kDogs);
}

TEST_F(EntailmentCommand, ResumingGivesTheSameBitsAsNeverHavingStopped) {
  // Within an epoch, at its end.
  expect_resuming_changes_no_bit(
      kSmall + "--epochs 3 --attention esim --dropout 0.3", {3, 8, 11},
      {"rounds", "batches.loader", "sums", "model.words.weight", "optimizer.parameters.0.step"});
}

}  // namespace
