// The program as a user runs it: exit codes, messages, files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "../../../train/picture.h"
#include "../command.h"

namespace {

namespace fs = std::filesystem;
using heed::Command;
using heed::io::read_file;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class VqaCommand : public Command {
 protected:
  VqaCommand() : Command(HEED_VQA) {}

  static double accuracy_of(const std::string& output) {
    return number_after("  test accuracy ", output);
  }
  // A folder of easy-VQA's files: ten images of 16 x 16 dots a part, red and blue in turn.
  void put_data(const std::string& questions, const std::string& test_questions) const {
    fs::create_directories(path("data"));
    const std::string header("\0\0\x08\4\0\0\0\x0a\0\0\0\x10\0\0\0\x10\0\0\0\3", 20);
    std::string images;
    for (int i = 0; i < 10; ++i) {
      for (int dot = 0; dot < 256; ++dot) images += i % 2 == 0 ? "\xf0\x10\x10" : "\x10\x10\xf0";
    }
    for (const std::string part : {"train", "test"}) {
      write("data/" + part + "-images-idx4-ubyte", header + images);
    }
    write("data/train-questions.tsv", questions);
    write("data/test-questions.tsv", test_questions);
    write("data/answers.txt", "red\nblue\n");
  }
};

const std::string kSmall = " --scenes 12 --held-out 10 --hidden 5 --batch 4 --show 2 --threads 1 ";
const std::string kQuestions = "How many things are there?\nwhich shape is red\n";

// Of 14 answers; the most frequent two, yes and no, have a sixth each.
TEST_F(VqaCommand, AQuickTrainingLearnsMoreThanChance) {
  const std::string trained = expect_success("train --quick --threads 1 --save " + path("m"));
  EXPECT_GT(accuracy_of(trained), 25);
  EXPECT_THAT(trained, HasSubstr("questions: 1600 to learn from, 400 to validate, 400 to test;"));
  EXPECT_THAT(read_file(path("m/report.html")),
              AllOf(HasSubstr("test accuracy"), HasSubstr("triangle")));
  EXPECT_THAT(read_file(path("m/looks.png")), StartsWith("\x89PNG"));

  const std::string tested =
      expect_success("evaluate --held-out 100 --model " + path("m") + " --report " +
                     path("r.html") + " --picture " + path("p.png"));
  EXPECT_EQ(accuracy_of(tested), accuracy_of(trained));
  EXPECT_EQ(read_file(path("p.png")), read_file(path("m/looks.png")));
  EXPECT_TRUE(fs::exists(path("r.html")));

  heed::train::write_png(path("own.png"), heed::train::Picture(90, 70, {200, 30, 30}));
  const std::string ask = "ask --model " + path("m") + " --image " + path("own.png");
  const std::string told = expect_success(ask + " --picture " + path("a.png"), kQuestions);
  EXPECT_THAT(told, AllOf(StartsWith("How many things are there?\n  m "), HasSubstr(" %\nwhich")));
  EXPECT_THAT(read_file(path("a.png")), StartsWith("\x89PNG"));
  EXPECT_EQ(told, expect_success(ask, kQuestions));
  expect_refused(ask, "vqa: nothing came: a question a line", "");
  expect_refused(ask, "vqa: line 3: a question without words", kQuestions + " \n");
  std::string longest;
  for (int i = 0; i < 25; ++i) longest += "red ";
  expect_refused(ask, "line 1: a question of 25 words; at most 24 are read", longest + "\n");
  expect_refused(ask + ".gif", "own.png.gif: cannot open", kQuestions);
  expect_refused("ask --model " + path("m") + " --image " + write("b.png", "\x89PN"),
                 "b.png: at byte", kQuestions);
  expect_refused("ask --number 500 --model " + path("m"), "number 500: there are 500 images",
                 kQuestions);
}

TEST_F(VqaCommand, EveryKindOfAttentionIsTrainedKeptAndAsked) {
  std::string models;
  for (const std::string kind :
       {"blind", "none", "guided", "boxes", "stacked", "parallel", "alternating", "hierarchy"}) {
    const std::string model = path(kind);
    const std::string trained =
        expect_success("train --epochs 1 --attention " + kind + kSmall + "--save " + model);
    EXPECT_EQ(accuracy_of(expect_success("evaluate --held-out 10 --model " + model)),
              accuracy_of(trained));
    models += " " + model;
  }
  const std::string told = expect_success("ask --number 7 --model" + models, kQuestions);
  for (const std::string kind : {"blind", "boxes", "hierarchy"}) {
    EXPECT_THAT(told, HasSubstr("\n  " + kind + " "));
  }
}

TEST_F(VqaCommand, ReadsEasyVqaAndRefusesBadFiles) {
  std::string good;
  for (int i = 0; i < 10; ++i) {
    good += std::string("what color?\t") + (i % 2 == 0 ? "red" : "blue") + "\t" +
            std::to_string(i) + "\n";
  }
  put_data(good, good);
  const std::string flags =
      "train --epochs 2" + kSmall + "--save " + path("m") + " --data " + path("data");
  const std::string trained = expect_success(flags);
  EXPECT_THAT(trained, AllOf(HasSubstr("questions: 9 to learn from, 1 to validate, 10 to test;"),
                             HasSubstr("test questions 10 ")));
  expect_refused("evaluate --model " + path("m"),
                 "generated questions: images of 48 x 48, but the model learned from 16 x 16");
  fs::remove_all(path("m"));
  expect_refused(flags + " --attention boxes", "train-questions.tsv: nobody knows its boxes");

  const auto refused = [&](const std::string& questions, const std::string& text) {
    put_data(good, questions);
    expect_refused(flags, text);
  };
  refused(good + "what\tgreen\t1\n", "test-questions.tsv:11: \"green\" is no answer");
  refused(good + "what\tred\t10\n", "test-questions.tsv:11: \"10\" is no number of an image");
  refused(good + "what\tred\n", "test-questions.tsv:11: 2 columns, but column 3 is wanted");
  refused(good + "$ %\tred\t1\n", "test-questions.tsv:11: a question without words");
  put_data("what color?\tred\t3\n", good);
  expect_refused(flags, "train-questions.tsv: at byte 0: too few questions to hold out any");
  write("data/test-images-idx4-ubyte", "short");
  expect_refused(flags, "test-images-idx4-ubyte: at byte");
  EXPECT_FALSE(fs::exists(path("m")));
}

TEST_F(VqaCommand, RefusesBadFlagsAndModels) {
  expect_refused("", "subcommand");
  expect_refused("train --attention most", "attention");
  expect_refused("train --epochs 0", "epochs");
  expect_refused("train --hops 0", "hops");
  expect_refused("train --data " + path("absent") + " --save " + path("m"), "absent");
  expect_refused("train --resume --save " + path("m"), path("m"));
  expect_refused("evaluate --model " + path("m"), path("m"));
  EXPECT_FALSE(fs::exists(path("m")));

  expect_success("train --epochs 1" + kSmall + "--save " + path("m"));
  expect_config_refused("ask", "parallel", "stacked", "model.safetensors");
  expect_config_refused("ask", "\"hidden\": 5", "\"hidden\": 6", "model.safetensors");
  expect_config_refused("ask", "\"height\": 48", "\"height\": 50", "multiples of 8");
  expect_config_refused("ask", "\"height\": 48", "\"height\": 4800000", "height");
  expect_refused("train --resume --epochs 3 --batch 4 --scenes 13 --save " + path("m"),
                 "resume: the run had 48 questions, --batch 4, --seed 1");
  write("m/answers.txt", "<pad>\n<unk>\n");
  expect_refused("ask --model " + path("m"), "answers.txt", kQuestions);
}

TEST_F(VqaCommand, ResumingGivesTheSameBitsAsNeverHavingStopped) {
  // Within an epoch, at its end.
  expect_resuming_changes_no_bit(
      kSmall + "--epochs 3 --dropout 0.3", {2, 3, 7},
      {"rounds", "batches.loader", "sums", "model.words.weight", "optimizer.parameters.0.step"});
}

}  // namespace
