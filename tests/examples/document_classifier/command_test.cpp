// The program as a user runs it: exit codes, messages, files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "../../../data/subwords.h"
#include "../command.h"

namespace {

namespace fs = std::filesystem;
using heed::Command;
using heed::Outcome;
using heed::Running;
using testing::HasSubstr;

class DocumentClassifierCommand : public Command {
 protected:
  DocumentClassifierCommand() : Command(HEED_DOCUMENT_CLASSIFIER) {}

  // A model trained for a moment on generated documents.
  std::string trained() const {
    const std::string model = path("model");
    expect_success("train --documents 60 --epochs 1 --embedding 7 --hidden 5 --out '" + model +
                   "'");
    return model;
  }
};

TEST_F(DocumentClassifierCommand, TrainsEvaluatesAndPredicts) {
  const std::string model = trained();
  EXPECT_TRUE(fs::exists(model + "/report.html"));
  const std::string tested = expect_success("evaluate --model '" + model + "'");
  EXPECT_THAT(tested, HasSubstr("\naccuracy 0."));
  EXPECT_THAT(tested, HasSubstr("  evidence 0."));
  const std::string guess =
      expect_success("predict --model '" + model + "'", "The film was wonderful .\n");
  EXPECT_THAT(guess, HasSubstr("positive"));
  EXPECT_THAT(guess, HasSubstr("wonderful"));
}

// Chinese is written without blanks: subwords find what belongs together.
TEST_F(DocumentClassifierCommand, ReadsSubwords) {
  if (!heed::data::has_subwords()) GTEST_SKIP() << "built without sentencepiece";
  std::string reviews;
  for (int i = 0; i < 40; ++i) {
    reviews += i % 2 ? "good\t这个酒店非常好。房间干净\n" : "bad\t这个酒店非常差。房间很脏\n";
  }
  const std::string model = path("model");
  expect_success("train --data " + write("reviews.tsv", reviews) +
                 " --subwords 40 --epochs 2 --embedding 7 --hidden 5 --out " + model);
  const std::string guess = expect_success("predict --model " + model, "这个房间非常差\n");
  EXPECT_THAT(guess, HasSubstr("[房间]"));  // read and shaded as one
  EXPECT_THAT(expect_success("evaluate --model " + model + " --data " + path("reviews.tsv")),
              HasSubstr("  documents 40\n"));
  fs::remove(model + "/subwords.txt");
  expect_refused("predict --model " + model, "subwords.txt", "a\n");
  expect_refused("train --data " + path("reviews.tsv") + " --subwords 9 --out " + path("m"),
                 "subwords");
}

TEST_F(DocumentClassifierCommand, BeginsWithVectors) {
  const std::string rows = "3 5\nthe 1 2 3 4 5\nfilm 0 0 0 0 1\nunheard-of 1 1 1 1 1\n";
  const std::string small =
      "train --documents 60 --epochs 1 --hidden 5 --out " + path("m") + " --vectors ";
  const std::string told = expect_success(small + write("rows.txt", rows));
  EXPECT_THAT(told, HasSubstr("vectors: 2 of "));
  EXPECT_THAT(expect_success("predict --model " + path("m"), "The film was wonderful .\n"),
              HasSubstr("wonderful"));
  expect_refused(small + write("short.txt", "the 1 2\nfilm 1\n"), "short.txt:2");
}

TEST_F(DocumentClassifierCommand, RefusesBadDataNamingFileAndLine) {
  expect_refused("train --data " + write("empty.tsv", "") + " --out " + path("m"), "empty.tsv");
  expect_refused("train --data " + path("absent.tsv") + " --out " + path("m"), "absent.tsv");
  expect_refused("train --data " + write("short.tsv", "good\tfine\nbad\n") + " --out " + path("m"),
                 "short.tsv:2");
  expect_refused(
      "train --data " + write("blank.tsv", "good\tfine\n\tnothing\n") + " --out " + path("m"),
      "blank.tsv:2");
  expect_refused("train --data " + write("x.xml", "<a/>") + " --out " + path("m"), "x.xml");
  expect_refused("train --data " +
                     write("bad.jsonl", "{\"label\": \"a\", \"text\": \"b\"}\n{oops\n") +
                     " --label label --text text --out " + path("m"),
                 "bad.jsonl:2");
  expect_refused("train --data " + write("one.tsv", "a\tx\na\ty\na\tz\n") + " --out " + path("m"),
                 "class");
  EXPECT_FALSE(fs::exists(path("m")));
}

TEST_F(DocumentClassifierCommand, RefusesBadFlags) {
  expect_refused("train --epochs 0", "epochs");
  expect_refused("train --format xml --data " + write("a.txt", "a\tb\n"), "xml");
  expect_refused("train --dropout 2", "dropout");
  expect_refused("learn", "subcommand");
  expect_refused("", "subcommand");
}

TEST_F(DocumentClassifierCommand, GoesOnWithNoOtherModel) {
  const std::string again = "train --resume --documents 60 --epochs 1 --out " + trained();
  expect_refused(again + " --embedding 7 --hidden 11",
                 "--resume: the model in the folder has --hidden 5, not 11");
  expect_refused(again + " --max-words 3", "--resume: the model in the folder has --max-words ");
  expect_refused(again + " --min-count 3",
                 "--resume: the model in the folder has --min-count 1, not 3");
  expect_refused(again + " --vocabulary 11", "has --vocabulary 30000, not 11");
  expect_refused(again + " --subwords 40", "has --subwords 0, not 40");
  expect_refused(again + " --vectors " + path("v.txt"), "has --vectors , not ");
  expect_success(again + " --embedding 7 --hidden 5 --min-count 1");
}

// Nothing that it does is drawn.
TEST_F(DocumentClassifierCommand, EvaluatesWithoutASeed) {
  expect_refused("evaluate --seed 3 --model " + trained(), "--seed");
}

TEST_F(DocumentClassifierCommand, RefusesBadModels) {
  expect_refused("predict --model " + path("none"), "none", "a\n");
  const std::string model = trained();
  std::ofstream(model + "/vocabulary.txt", std::ios::app) << "surplus\n";
  expect_refused("predict --model " + model, "vocabulary.txt", "a\n");
  fs::resize_file(model + "/model.safetensors", 100);
  expect_refused("evaluate --model " + model, "");
  fs::remove(model + "/config.json");
  expect_refused("predict --model " + model, "config.json", "a\n");
}

TEST_F(DocumentClassifierCommand, RefusesAnUnknownClass) {
  const std::string model = trained();
  expect_refused("evaluate --model " + model + " --data " +
                     write("t.tsv", "positive\tgood .\nsplendid\tfine .\n"),
                 "t.tsv:2: class \"splendid\" is none of those known: \"negative\", \"positive\"");
}

TEST_F(DocumentClassifierCommand, PredictsWhateverTheText) {
  const std::string model = trained();
  for (const std::string& text :
       {std::string("zzz qqq"), std::string("Good"), std::string(100000, 'x'),
        std::string("\xff\xfe caf\xc3"), std::string("这部电影很好。")}) {
    EXPECT_THAT(expect_success("predict --model " + model + " " + write("text.txt", text)),
                HasSubstr("positive"));
  }
  const std::string predict = "predict --model " + model;
  for (const std::string text : {"", " \n\n"})
    expect_refused(predict + " " + write("text.txt", text), "predict: the text has no words");
  expect_refused(predict + " --lines", "predict: no line has a text", "\n\n");
  expect_refused(predict + " --lines", "predict: line 2 has no words", "Good\n \n");
}

// The epochs that a run has reported.
std::vector<int> epochs_of(const std::string& output) {
  const std::regex line("\nepoch (\\d+)  train loss ");
  std::vector<int> out;
  for (std::sregex_iterator at(output.begin(), output.end(), line), end; at != end; ++at) {
    out.push_back(std::stoi((*at)[1]));
  }
  return out;
}

TEST_F(DocumentClassifierCommand, ResumingGivesTheSameBitsAsNeverHavingStopped) {
  // What 60 epochs print does not fit into the pipe of a Running, which nobody reads.
  const std::string flags =
      " --documents 30 --embedding 7 --hidden 5 --batch 11 --patience 60 --epochs 60 --threads 1";
  const std::string whole = expect_success("train --out " + path("whole") + flags);

  Running stopping(line("train --out " + path("parts") + flags));
  stopping.read_until("\nepoch 1 ");
  const Outcome stopped = stopping.end(SIGINT);
  ASSERT_EQ(stopped.code, 0) << stopped.output;
  EXPECT_THAT(stopped.output, HasSubstr("\ninterrupted; the best model so far is in "));
  ASSERT_NE(state_of(path("whole")), state_of(path("parts")));

  const std::string resumed = expect_success("train --resume --out " + path("parts") + flags);
  std::vector<int> epochs = epochs_of(stopped.output);
  const std::vector<int> later = epochs_of(resumed);
  EXPECT_FALSE(epochs.empty());
  EXPECT_FALSE(later.empty());
  epochs.insert(epochs.end(), later.begin(), later.end());
  EXPECT_EQ(epochs, epochs_of(whole));
  EXPECT_EQ(epochs.size(), 60U);

  expect_same_training(path("whole"), path("parts"),
                       {"rounds", "batches.loader", "random", "model.classifier.weight",
                        "optimizer.parameters.0.step"});
}

}  // namespace
