// The program as a user runs it: exit codes, messages, files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "../../../io/file.h"
#include "../command.h"

namespace {

namespace fs = std::filesystem;
using heed::Command;
using heed::io::read_file;
using testing::HasSubstr;
using testing::Not;

class LanguageModelCommand : public Command {
 protected:
  LanguageModelCommand() : Command(HEED_LANGUAGE_MODEL) {}

  // The loss in the last line.
  static double validation_loss(const std::string& output) {
    return number_after("\nvalidation loss ", output);
  }
};

const char* const kSmall =
    " --sentences 50 --layers 1 --width 12 --heads 2 --context 13 --batch 5 --warm-up 3"
    " --generate 0 --threads 1 ";

TEST_F(LanguageModelCommand, TrainsEvaluatesAndWrites) {
  const std::string model = path("m");
  const std::string trained = expect_success("train --steps 7 --save " + model + kSmall);
  EXPECT_THAT(trained, HasSubstr("the text's own entropy is 0."));
  EXPECT_THAT(trained, HasSubstr(" bits a character  report "));
  EXPECT_THAT(read_file(model + "/report.html"), HasSubstr("entropy of the text"));
  const std::string tested = expect_success("evaluate --sentences 50 --batch 5 --model " + model);
  EXPECT_EQ(validation_loss(tested), validation_loss(trained));
  const std::string writing = "generate --model " + model + " --prompt 'the dog' --generate 31";
  const std::string written = expect_success(writing);
  EXPECT_TRUE(written.starts_with("the dog"));
  EXPECT_EQ(written.size(), 7 + 31 + 1u);
  EXPECT_EQ(written, expect_success(writing));
  EXPECT_NE(written, expect_success(writing + " --seed 2"));
}

TEST_F(LanguageModelCommand, EvaluatesWithNarrowerWeights) {
  const std::string model = path("m");
  const double whole =
      validation_loss(expect_success("train --steps 200 --lr 0.05 --save " + model + kSmall));
  const std::string test = "evaluate --sentences 50 --batch 5 --model " + model;
  for (const std::string flag : {" --bf16", " --int8"}) {
    const double narrow = validation_loss(expect_success(test + flag));
    EXPECT_NE(narrow, whole) << flag;
    EXPECT_NEAR(narrow, whole, 0.02) << flag;
  }
  expect_refused(test + " --bf16 --int8", "--int8 excludes --bf16");
}

TEST_F(LanguageModelCommand, ShowsWhatItLooksAt) {
  const std::string model = path("m"), look = "look --model " + model + " --output " + path("seen");
  for (const std::string attention : {"dot", "synthesizer-dense"}) {
    expect_success("train --steps 2 --attention " + attention + " --save " + model + kSmall);
    EXPECT_THAT(expect_success(look + " --text 'the dog\n'"),
                HasSubstr("8 tokens, 1 layers of 2 heads: "));
    EXPECT_THAT(read_file(path("seen.html")),
                HasSubstr(R"("words":["t","h","e","␣","d","o","g","↵"])"));
    EXPECT_TRUE(read_file(path("seen.png")).starts_with("\x89PNG"));
    fs::remove_all(model);
  }
  expect_success("train --steps 2 --save " + model + kSmall);
  expect_refused(look + " --text ''", "--text: it has no words");
  expect_refused(look + " --text 'the dogs that the king'", "within a context of 13");
}

TEST_F(LanguageModelCommand, TrainsOnPackedLines) {
  const std::string model = path("m");
  const std::string trained = expect_success("train --packed --steps 7 --save " + model + kSmall);
  const std::string test = "evaluate --sentences 50 --batch 5 --model " + model;
  EXPECT_EQ(validation_loss(expect_success(test + " --packed")), validation_loss(trained));
  EXPECT_NE(validation_loss(expect_success(test)), validation_loss(trained));
  const std::string stopped = path("stopped");
  expect_success("train --packed --steps 7 --stop-after 4 --save " + stopped + kSmall);
  const std::string resumed =
      expect_success("train --packed --resume --steps 7 --save " + stopped + kSmall);
  EXPECT_EQ(validation_loss(resumed), validation_loss(trained));
}

// From log(28) = 3.3 nats; how often each letter comes would give 2.8.
TEST_F(LanguageModelCommand, AShortTrainingLowersTheLoss) {
  const std::string trained = expect_success(
      "train --sentences 500 --layers 2 --width 32 --heads 2 --context 32 --batch 8 --steps 150 "
      "--lr 0.005 --warm-up 10 --generate 0 --save " +
      path("m"));
  EXPECT_LT(validation_loss(trained), 1.9);
}

TEST_F(LanguageModelCommand, GoesOnWithNoOtherModel) {
  const std::string model = path("m");
  expect_success("train --steps 2 --save " + model + kSmall);
  const std::string again = "train --resume --steps 2 --save " + model + kSmall;
  expect_refused(again + " --positions rotary",
                 "--resume: the model in the folder has --positions learned, not rotary");
  expect_refused(again + " --level word", "another --level than word");
  expect_refused(again + " --vocabulary 7", "has --vocabulary 30000, not 7");
  expect_success(again + " --level char --positions learned");
  for (const std::string other : {"evaluate", "look --text a"}) {  // nothing that they do is drawn
    expect_refused(other + " --seed 3 --model " + model, "--seed");
  }
}

TEST_F(LanguageModelCommand, WordsFromAFolder) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += i % 2 ? "a b c d\n" : "d c b a\n";
  fs::create_directories(path("data"));
  for (const char* name : {"data/train.txt", "data/valid.txt", "data/test.txt"}) write(name, text);
  const std::string trained = expect_success("train --level word --steps 3 --data " + path("data") +
                                             " --save " + path("m") + kSmall);
  EXPECT_THAT(trained, HasSubstr("tokens: 200 to train on, 200 to validate; vocabulary 7;"));
  EXPECT_THAT(trained, HasSubstr("\ntest loss "));
  EXPECT_THAT(trained, HasSubstr(", perplexity "));
  EXPECT_THAT(trained, Not(HasSubstr("entropy")));
}

TEST_F(LanguageModelCommand, RefusesBadFlags) {
  expect_refused("", "subcommand");
  expect_refused("train --steps 0", "steps");
  expect_refused("train --level line", "level");
  expect_refused("train --positions none", "positions");
  expect_refused("train --attention synthesizer-hash", "attention: 'hash' is none of dense");
  expect_refused("train --attention synthesizer-dense --positions rotary", "rotary positions");
  expect_refused("train --temperature -1", "temperature");
  expect_refused("train --dropout 1", "dropout");
  expect_refused("train --heads 5 --save " + path("m"), "heads 5 does not divide width 128");
  expect_refused("train --sentences 10 --context 5000 --save " + path("m"), "length of 5000");
  expect_refused("train --prompt 'Zoë' --save " + path("m"), R"(the character "Z")");
  expect_refused("train --data " + path("absent.txt"), "absent.txt");
  expect_refused("train --data " + write("tiny.txt", "a\n"), "tiny.txt");
  expect_refused("train --resume --save " + path("m"), path("m"));
  EXPECT_FALSE(fs::exists(path("m")));
}

TEST_F(LanguageModelCommand, RefusesBadModels) {
  const std::string model = path("m");
  expect_refused("generate --model " + model, model);
  expect_success("train --steps 2 --save " + model + kSmall);
  expect_config_refused("generate", "\"heads\": 2", "\"heads\": 5", "config.json");
  expect_config_refused("generate", "learned", "guessed", "config.json");
  expect_config_refused("generate", "\"width\": 12", "\"width\": 14", "model.safetensors");
  write("m/training.safetensors", "short");
  expect_refused("train --resume --save " + model + kSmall, "training.safetensors");
  std::ofstream(model + "/vocabulary.txt", std::ios::app) << "surplus\n";
  expect_refused("generate --model " + model, "vocabulary.txt");
}

TEST_F(LanguageModelCommand, ResumingGivesTheSameBitsAsNeverHavingStopped) {
  // Before the first look, within an interval, at its end.
  expect_resuming_changes_no_bit(kSmall + std::string("--steps 31 --interval 10 --dropout 0.2"),
                                 {4, 17, 20},
                                 {"rounds", "steps", "batches.loader", "sums",
                                  "model.tokens.weight", "optimizer.parameters.0.step"});
}

// A reader's figure depends on how many parts are read side by side.
TEST_F(LanguageModelCommand, EvaluatesAReaderAsItWasTrained) {
  const std::string trained =
      expect_success("train --steps 3 --attention lstm --save " + path("m") + kSmall);
  const std::string test = "evaluate --sentences 50 --model " + path("m");
  EXPECT_EQ(validation_loss(expect_success(test)), validation_loss(trained));
  EXPECT_NE(validation_loss(expect_success(test + " --batch 31")), validation_loss(trained));
}

// What was read is carried from step to step, and over a stop.
TEST_F(LanguageModelCommand, ReadsInOrder) {
  for (const std::string kind : {"lstm", "lstmn", "memory"}) {
    const std::string flags =
        "train --in-order --steps 9 --interval 5 --dropout 0.2 --attention " + kind + kSmall;
    const std::string whole = expect_success(flags + " --save " + path(kind));
    const std::string stopped = path(kind + "stopped");
    expect_success(flags + " --stop-after 7 --save " + stopped);
    const std::string resumed = expect_success(flags + " --resume --save " + stopped);
    EXPECT_EQ(validation_loss(resumed), validation_loss(whole)) << kind;
    std::string by_chance = flags;
    by_chance.replace(by_chance.find("--in-order "), 11, "");
    expect_success(by_chance + " --save " + path(kind + "chance"));
    EXPECT_NE(heed::io::read_file(path(kind + "chance") + "/model.safetensors"),
              heed::io::read_file(path(kind) + "/model.safetensors"))
        << kind;
  }
  expect_refused("train --in-order --save " + path("none") + kSmall,
                 "--in-order is for lstm, lstmn and memory");
}

}  // namespace
