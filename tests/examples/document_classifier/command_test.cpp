// The program as a user runs it: exit codes, messages, files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Outcome {
  int code;
  std::string output;  // both streams
};

class Command : public testing::Test {
 protected:
  Command() { fs::create_directories(folder_); }
  ~Command() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  static Outcome run(const std::string& arguments, const std::string& before = "") {
    const std::string line = before + " '" HEED_DOCUMENT_CLASSIFIER "' " + arguments + " 2>&1";
    std::FILE* pipe = ::popen(line.c_str(), "r");
    Outcome out{-1, ""};
    char buffer[4096];
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
      out.output.append(buffer, n);
    const int status = ::pclose(pipe);
    out.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return out;
  }

  // A model trained for a moment on generated documents.
  std::string trained() const {
    const std::string model = path("model");
    const Outcome made =
        run("train --documents 60 --epochs 1 --embedding 7 --hidden 5 --out '" + model + "'");
    EXPECT_EQ(made.code, 0) << made.output;
    return model;
  }

  static void expect_refused(const Outcome& outcome, const std::string& text) {
    EXPECT_EQ(outcome.code, 2) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(text));
  }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("heed_command_" + std::to_string(::getpid()));
};

TEST_F(Command, TrainsEvaluatesAndPredicts) {
  const std::string model = trained();
  EXPECT_TRUE(fs::exists(model + "/report.html"));
  const Outcome tested = run("evaluate --model '" + model + "'");
  EXPECT_EQ(tested.code, 0) << tested.output;
  EXPECT_THAT(tested.output, HasSubstr("\naccuracy 0."));
  EXPECT_THAT(tested.output, HasSubstr("  evidence 0."));
  const Outcome guess = run("predict --model '" + model + "'", "echo 'The film was wonderful .' |");
  EXPECT_EQ(guess.code, 0);
  EXPECT_THAT(guess.output, HasSubstr("positive"));
  EXPECT_THAT(guess.output, HasSubstr("wonderful"));
}

TEST_F(Command, RefusesBadDataNamingFileAndLine) {
  expect_refused(run("train --data " + write("empty.tsv", "") + " --out " + path("m")),
                 "empty.tsv");
  expect_refused(run("train --data " + path("absent.tsv") + " --out " + path("m")), "absent.tsv");
  expect_refused(
      run("train --data " + write("short.tsv", "good\tfine\nbad\n") + " --out " + path("m")),
      "short.tsv:2");
  expect_refused(
      run("train --data " + write("blank.tsv", "good\tfine\n\tnothing\n") + " --out " + path("m")),
      "blank.tsv:2");
  expect_refused(run("train --data " + write("x.xml", "<a/>") + " --out " + path("m")), "x.xml");
  expect_refused(
      run("train --data " + write("bad.jsonl", "{\"label\": \"a\", \"text\": \"b\"}\n{oops\n") +
          " --label label --text text --out " + path("m")),
      "bad.jsonl:2");
  expect_refused(
      run("train --data " + write("one.tsv", "a\tx\na\ty\na\tz\n") + " --out " + path("m")),
      "class");
  EXPECT_FALSE(fs::exists(path("m")));
}

TEST_F(Command, RefusesBadFlags) {
  expect_refused(run("train --epochs 0"), "epochs");
  expect_refused(run("train --format xml --data " + write("a.txt", "a\tb\n")), "xml");
  expect_refused(run("train --dropout 2"), "dropout");
  expect_refused(run("learn"), "subcommand");
  expect_refused(run(""), "subcommand");
}

TEST_F(Command, RefusesBadModels) {
  expect_refused(run("predict --model " + path("none"), "echo a |"), "none");
  const std::string model = trained();
  std::ofstream(model + "/vocabulary.txt", std::ios::app) << "surplus\n";
  expect_refused(run("predict --model " + model, "echo a |"), "vocabulary.txt");
  fs::resize_file(model + "/model.safetensors", 100);
  expect_refused(run("evaluate --model " + model), "");
  fs::remove(model + "/config.json");
  expect_refused(run("predict --model " + model, "echo a |"), "config.json");
}

TEST_F(Command, RefusesAnUnknownClass) {
  const std::string model = trained();
  expect_refused(run("evaluate --model " + model + " --data " +
                     write("t.tsv", "positive\tgood .\nsplendid\tfine .\n")),
                 "t.tsv:2: class 'splendid' is none of those known: negative, positive");
}

TEST_F(Command, PredictsWhateverTheText) {
  const std::string model = trained();
  for (const std::string& text :
       {std::string("zzz qqq"), std::string("Good"), std::string(100000, 'x'),
        std::string("\xff\xfe caf\xc3"), std::string(""), std::string("这部电影很好。")}) {
    const Outcome guess = run("predict --model " + model + " " + write("text.txt", text));
    EXPECT_EQ(guess.code, 0) << guess.output;
    EXPECT_THAT(guess.output, HasSubstr("positive"));
  }
}

TEST_F(Command, ResumingGivesTheSameBitsAsNeverHavingStopped) {
  const std::string flags =
      " --documents 90 --embedding 7 --hidden 5 --batch 11 --patience 9 --epochs ";
  ASSERT_EQ(run("train --out " + path("whole") + flags + "3").code, 0);
  // The learning rate's curve depends on the epochs wanted: stop the same run by Ctrl-C instead.
  const Outcome stopped = run("train --out " + path("parts") + flags + "3", "timeout -s INT 0.05");
  const Outcome resumed =
      run("train --out " + path("parts") +
          (fs::exists(path("parts") + "/training.safetensors") ? " --resume" : "") + flags + "3");
  ASSERT_EQ(resumed.code, 0) << stopped.output << resumed.output;
  const auto bytes = [&](const std::string& model) {
    std::ifstream file(path(model) + "/model.safetensors", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_FALSE(bytes("whole").empty());
  EXPECT_EQ(bytes("whole"), bytes("parts"));
}

}  // namespace
