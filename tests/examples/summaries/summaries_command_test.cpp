// The program as a user runs it: exit codes, messages, files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "../command.h"

namespace {

namespace fs = std::filesystem;
using heed::Command;
using heed::io::read_file;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class SummariesCommand : public Command {
 protected:
  SummariesCommand() : Command(HEED_SUMMARIES) {}

  static double rouge_of(const std::string& output) { return number_after("  ROUGE-L ", output); }
  // A file of articles, whose first sentences are the summaries.
  static std::string articles(int count) {
    std::string out;
    for (int i = 0; i < count; ++i) {
      const std::string first = "Dog " + std::to_string(i) + " won the race.";
      out += "{\"id\": \"a\", \"title\": \"Dog " + std::to_string(i) +
             " wins\", \"paragraphs\": [\"" + first +
             " It ran.\", \"A cat slept. It did not run.\"], \"summary\": \"" + first +
             "A cat slept.\"}\n";
    }
    return out;
  }
};

const std::string kSmall =
    " --reports 60 --width 5 --hidden 7 --batch 16 --beam 2 --show 2 --threads 1 ";
const std::string kReport =
    "on monday the board of kamiro spoke about a new bridge .\n"
    "belodu was in favour . the farmer rusato of nigela said no .\n";

TEST_F(SummariesCommand, AQuickTrainingLearnsToCopy) {
  const std::string trained = expect_success("train --quick --threads 1 --save " + path("m"));
  EXPECT_GT(rouge_of(trained), 40);
  EXPECT_GT(number_after("  names ", trained), 5);
  EXPECT_THAT(trained, AllOf(HasSubstr("articles: 1000 to learn from, 500 to validate, 500 to"),
                             HasSubstr("\nthe first words "), HasSubstr("  repeated ")));
  EXPECT_THAT(read_file(path("m/report.html")), HasSubstr("coverage, ROUGE-L"));
  EXPECT_THAT(read_file(path("m/copied.png")), StartsWith("\x89PNG"));

  const std::string tested =
      expect_success("evaluate --beam 2 --model " + path("m") + " --report " + path("r.html") +
                     " --picture " + path("p.png"));
  EXPECT_EQ(rouge_of(tested), rouge_of(trained));
  EXPECT_EQ(read_file(path("p.png")), read_file(path("m/copied.png")));
  EXPECT_TRUE(fs::exists(path("r.html")));

  const std::string ask = "summarise --model " + path("m");
  const std::string told =
      expect_success(ask + " --picture " + path("a.png"), kReport + "\n\n" + kReport);
  EXPECT_THAT(told, AllOf(HasSubstr("copied from where; p_gen"), HasSubstr(" for new bridge in ")));
  EXPECT_THAT(read_file(path("a.png")), StartsWith("\x89PNG"));
  expect_refused(ask, "summaries: nothing came: an article", "");
  expect_refused(ask, "summaries: line 3: the text has no words", kReport + "*\n");
}

TEST_F(SummariesCommand, EveryKindOfAttentionIsTrainedKeptAndAsked) {
  for (const std::string kind : {"coverage", "copy", "write", "abs", "pointer", "mean"}) {
    const std::string model = path(kind);
    const std::string trained =
        expect_success("train --epochs 1 --attention " + kind + kSmall + "--save " + model);
    const std::string tested = expect_success("evaluate --beam 2 --model " + model);
    EXPECT_EQ(rouge_of(tested), rouge_of(trained)) << kind;
    const bool picks = kind == "pointer" || kind == "mean";
    EXPECT_EQ(trained.find("  names ") == std::string::npos, picks) << kind;
    EXPECT_EQ(trained.find("\nat random ") != std::string::npos, picks) << kind;
    EXPECT_EQ(fs::exists(model + "/copied.png"), kind == "coverage" || kind == "copy") << kind;
    const std::string told = expect_success(
        "summarise --picks 2 --model " + model + " --picture " + path("p.png"), kReport);
    if (picks) {
      EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 2) << told;
    }
    EXPECT_EQ(fs::exists(path("p.png")), kind == "coverage" || kind == "copy") << kind;
    fs::remove(path("p.png"));
  }
}

TEST_F(SummariesCommand, ReadsArticlesAndRefusesBadOnes) {
  const std::string file = write("bbc.jsonl", articles(20));
  const std::string flags = "train --epochs 1 --min-count 1 --attention pointer" + kSmall +
                            "--save " + path("m") + " --data ";
  const std::string trained = expect_success(flags + path(""));
  EXPECT_THAT(trained, AllOf(HasSubstr("articles: 16 to learn from, 2 to validate, 2 to test;"),
                             HasSubstr("test articles 2 ")));
  EXPECT_EQ(rouge_of(expect_success("evaluate --model " + path("m") + " --data " + file)),
            rouge_of(trained));
  // All there are: the summary and the rest.
  const std::string all =
      expect_success("evaluate --picks 9 --model " + path("m") + " --data " + file);
  EXPECT_THAT(all, HasSubstr("the first "));
  fs::remove_all(path("m"));

  const auto refused = [&](const std::string& content, const std::string& text) {
    write("bbc.jsonl", content);
    expect_refused(flags + file, text);
  };
  refused(articles(3) + "{\"title\": \"A\"}\n", "bbc.jsonl:4: no field \"paragraphs\"");
  refused(articles(3) + "{]\n", "bbc.jsonl:4: not valid JSON");
  refused(articles(3), "fewer than 10 articles");
  refused("", "bbc.jsonl:1: the file has no texts");
  EXPECT_FALSE(fs::exists(path("m")));
}

// Others of the file are those that it learned from.
TEST_F(SummariesCommand, EvaluatesOnTheArticlesThatWereHeldOut) {
  const std::string file = write("bbc.jsonl", articles(70));
  const std::string test = "evaluate --model " + path("m") + " --data " + file;
  const std::string trained =
      expect_success("train --epochs 1 --min-count 1 --seed 3 --attention pointer" + kSmall +
                     "--save " + path("m") + " --data " + file);
  const std::string tested = expect_success(test), same = expect_success(test + " --seed 3");
  const auto rows = [](const std::string& output) {
    const std::size_t at = output.find("F in per cent"), end = output.find("test articles ");
    return output.substr(at, end - at);
  };
  EXPECT_EQ(rows(tested), rows(trained));
  EXPECT_EQ(rows(same), rows(trained));
  EXPECT_EQ(rouge_of(tested), rouge_of(trained));
  expect_refused(test + " --seed 2", "--seed 2: the model was trained with --seed 3");
  const std::string config = read_file(path("m/config.json"));
  write("m/config.json", changed(config, "\"seed\": \"3\"", "\"seed\": \"\""));
  expect_success(test + " --seed 2");  // of a folder that does not say it
}

TEST_F(SummariesCommand, RefusesBadFlagsAndModels) {
  expect_refused("", "subcommand");
  expect_refused("train --attention most", "attention");
  expect_refused("train --epochs 0", "epochs");
  expect_refused("train --beam 0", "beam");
  expect_refused("train --data " + path("absent") + " --save " + path("m"), "absent");
  expect_refused("train --data " + path("") + " --save " + path("m"), "bbc.jsonl");
  expect_refused("train --resume --save " + path("m"), path("m"));
  expect_refused("evaluate --model " + path("m"), path("m"));
  EXPECT_FALSE(fs::exists(path("m")));

  expect_success("train --epochs 1" + kSmall + "--save " + path("m"));
  expect_config_refused("summarise", "coverage", "pointer", "model.safetensors");
  expect_config_refused("summarise", "\"width\": 5", "\"width\": 6", "model.safetensors");
  expect_config_refused("summarise", "coverage", "mostly", "\"mostly\" is none of \"coverage\"");
  expect_refused("train --resume --epochs 3 --save " + path("m") + " --reports 61 --batch 16",
                 "resume: the run had 60 articles, --batch 16, --seed 1");
  expect_refused("train --resume --min-count 7" + kSmall + "--save " + path("m"),
                 "--resume: the model in the folder has --min-count 5, not 7");
  write("m/vocabulary.txt", "<pad>\n<unk>\n");
  expect_refused("summarise --model " + path("m"), "vocabulary.txt", kReport);
}

TEST_F(SummariesCommand, ResumingGivesTheSameBitsAsNeverHavingStopped) {
  for (const std::string kind : {"coverage", "pointer"}) {
    fs::remove_all(path("whole"));
    expect_resuming_changes_no_bit(
        kSmall + "--epochs 3 --dropout 0.3 --attention " + kind, {3, 8, 11},
        {"rounds", "batches.loader", "sums", "model.words.weight", "optimizer.parameters.0.step"});
  }
}

}  // namespace
