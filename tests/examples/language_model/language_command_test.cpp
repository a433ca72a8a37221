// The program as a user runs it: exit codes, messages, files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "../../../io/file.h"
#include "../../../io/safetensors.h"

namespace {

namespace fs = std::filesystem;
using heed::io::read_file;
using heed::io::read_safetensors;
using testing::HasSubstr;
using testing::Not;

struct Outcome {
  int code;
  std::string output;  // both streams
};

class LanguageModelCommand : public testing::Test {
 protected:
  LanguageModelCommand() { fs::create_directories(folder_); }
  ~LanguageModelCommand() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  static Outcome run(const std::string& arguments) {
    const std::string line = "'" HEED_LANGUAGE_MODEL "' " + arguments + " 2>&1";
    std::FILE* pipe = ::popen(line.c_str(), "r");
    Outcome out{-1, ""};
    char buffer[4096];
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
      out.output.append(buffer, n);
    const int status = ::pclose(pipe);
    out.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return out;
  }

  static Outcome expect_success(const std::string& arguments) {
    Outcome out = run(arguments);
    EXPECT_EQ(out.code, 0) << out.output;
    return out;
  }

  static void expect_refused(const std::string& arguments, const std::string& text) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << "\n" << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(text));
  }

 private:
  fs::path folder_ =
      fs::temp_directory_path() / ("heed_language_model_command_" + std::to_string(::getpid()));
};

const char* const kSmall =
    " --sentences 50 --layers 1 --width 12 --heads 2 --context 13 --batch 5 --warm-up 3"
    " --generate 0 --threads 1 ";

// The loss in the last line.
double validation_loss(const std::string& output) {
  const std::string before = "\nvalidation loss ";
  const std::size_t at = output.rfind(before);
  EXPECT_NE(at, std::string::npos) << output;
  return at == std::string::npos ? NAN : std::stod(output.substr(at + before.size()));
}

TEST_F(LanguageModelCommand, TrainsEvaluatesAndWrites) {
  const std::string model = path("m");
  const Outcome trained = expect_success("train --steps 7 --save " + model + kSmall);
  EXPECT_THAT(trained.output, HasSubstr("the text's own entropy is 0."));
  EXPECT_THAT(trained.output, HasSubstr(" bits a character  report "));
  EXPECT_THAT(read_file(model + "/report.html"), HasSubstr("entropy of the text"));
  const Outcome tested = expect_success("evaluate --sentences 50 --batch 5 --model " + model);
  EXPECT_EQ(validation_loss(tested.output), validation_loss(trained.output));
  const std::string writing = "generate --model " + model + " --prompt 'the dog' --generate 31";
  const Outcome written = expect_success(writing);
  EXPECT_TRUE(written.output.starts_with("the dog"));
  EXPECT_EQ(written.output.size(), 7 + 31 + 1u);
  EXPECT_EQ(written.output, expect_success(writing).output);
  EXPECT_NE(written.output, expect_success(writing + " --seed 2").output);
}

// From log(28) = 3.3 nats; how often each letter comes would give 2.8.
TEST_F(LanguageModelCommand, AShortTrainingLowersTheLoss) {
  const Outcome trained = expect_success(
      "train --sentences 500 --layers 2 --width 32 --heads 2 --context 32 --batch 8 --steps 150 "
      "--lr 0.005 --warm-up 10 --generate 0 --save " +
      path("m"));
  EXPECT_LT(validation_loss(trained.output), 1.9);
}

TEST_F(LanguageModelCommand, WordsFromAFolder) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += i % 2 ? "a b c d\n" : "d c b a\n";
  fs::create_directories(path("data"));
  for (const char* name : {"data/train.txt", "data/valid.txt", "data/test.txt"}) write(name, text);
  const Outcome trained = expect_success("train --level word --steps 3 --data " + path("data") +
                                         " --save " + path("m") + kSmall);
  EXPECT_THAT(trained.output, HasSubstr("tokens: 200 to train on, 200 to validate; vocabulary 7;"));
  EXPECT_THAT(trained.output, HasSubstr("\ntest loss "));
  EXPECT_THAT(trained.output, HasSubstr(", perplexity "));
  EXPECT_THAT(trained.output, Not(HasSubstr("entropy")));
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
  expect_refused("train --sentences 10 --context 5000 --save " + path("m"), "context of 5000");
  expect_refused("train --prompt 'Zoë' --save " + path("m"), "the character 'Z'");
  expect_refused("train --data " + path("absent.txt"), "absent.txt");
  expect_refused("train --data " + write("tiny.txt", "a\n"), "tiny.txt");
  expect_refused("train --resume --save " + path("m"), path("m"));
  EXPECT_FALSE(fs::exists(path("m")));
}

TEST_F(LanguageModelCommand, RefusesBadModels) {
  const std::string model = path("m");
  expect_refused("generate --model " + model, model);
  expect_success("train --steps 2 --save " + model + kSmall);
  const std::string config = read_file(model + "/config.json");
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string changed = config;
    changed.replace(changed.find(from), from.size(), to);
    write("m/config.json", changed);
  };
  replaced("\"heads\": 2", "\"heads\": 5");
  expect_refused("generate --model " + model, "config.json");
  replaced("learned", "guessed");
  expect_refused("generate --model " + model, "config.json");
  replaced("\"width\": 12", "\"width\": 14");
  expect_refused("generate --model " + model, "model.safetensors");
  write("m/config.json", config);
  write("m/training.safetensors", "short");
  expect_refused("train --resume --save " + model + kSmall, "training.safetensors");
  std::ofstream(model + "/vocabulary.txt", std::ios::app) << "surplus\n";
  expect_refused("generate --model " + model, "vocabulary.txt");
}

// Parameters, the optimizer's and the random streams' state, and figures without their seconds.
std::map<std::string, std::string> state_of(const std::string& model) {
  std::map<std::string, std::string> out;
  for (const auto& [name, array] : read_safetensors(model + "/training.safetensors").arrays) {
    std::string& bytes = out[name];
    const auto* begin = reinterpret_cast<const char*>(array.raw());
    const auto size = static_cast<std::size_t>(array.numel()) * heed::size_of(array.dtype());
    const std::size_t row = name == "figures" ? 4 : name == "interval" ? 3 : 0;
    if (row == 0) {
      bytes.assign(begin, size);
    } else {  // the last is the seconds
      for (std::size_t at = 0; at < size; at += 8 * row) bytes.append(begin + at, 8 * row - 8);
    }
  }
  return out;
}

TEST_F(LanguageModelCommand, ResumingGivesTheSameBitsAsNeverHavingStopped) {
  const std::string flags = std::string(kSmall) + "--steps 31 --interval 10 --dropout 0.2 --save ";
  expect_success("train" + flags + path("whole"));
  // Before the first look, within an interval, at its end.
  for (const char* stop : {"4", "17", "20"}) {
    const Outcome stopped =
        expect_success("train --stop-after " + std::string(stop) + flags + path("parts"));
    EXPECT_THAT(stopped.output, HasSubstr("\ninterrupted; the best model so far is in "));
    ASSERT_NE(state_of(path("whole")), state_of(path("parts")));
    expect_success("train --resume" + flags + path("parts"));
    const auto expected = state_of(path("whole")), found = state_of(path("parts"));
    for (const char* name : {"figures", "progress", "interval", "model.tokens.weight",
                             "optimizer.parameters.0.step"}) {
      EXPECT_TRUE(expected.contains(name)) << name;
    }
    ASSERT_EQ(expected.size(), found.size());
    for (const auto& [name, bytes] : expected) EXPECT_TRUE(found.at(name) == bytes) << name;
    EXPECT_EQ(read_file(path("whole") + "/model.safetensors"),
              read_file(path("parts") + "/model.safetensors"));
    fs::remove_all(path("parts"));
  }
}

}  // namespace
