// The program as a user runs it: exit codes, messages, files.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "../../../io/file.h"
#include "../../../io/safetensors.h"

namespace {

using heed::io::read_file;
using heed::io::read_safetensors;

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Outcome {
  int code;
  std::string output;  // both streams
};

// The program, printing into a pipe of one page, full of which it has to wait: one that has more to
// print than that cannot end before it is read to the end.
class Stoppable {
 public:
  explicit Stoppable(const std::string& arguments) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    out_ = ends[0];
    ::fcntl(out_, F_SETPIPE_SZ, 4096);
    const std::string line = "exec '" HEED_DOCUMENT_CLASSIFIER "' " + arguments + " 2>&1";
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(ends[1], 1);
      ::close(ends[0]);
      ::close(ends[1]);
      ::execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(ends[1]);
  }
  ~Stoppable() { ::close(out_); }
  Stoppable(const Stoppable&) = delete;
  Stoppable& operator=(const Stoppable&) = delete;

  // Or to the end.
  void read_until(const std::string& text) {
    while (output_.find(text) == std::string::npos && read_one()) {
    }
  }

  // As Ctrl-C.
  Outcome interrupt() {
    ::kill(process_, SIGINT);
    while (read_one()) {
    }
    int status = 0;
    ::waitpid(process_, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), output_};
  }

 private:
  bool read_one() {
    char letter = 0;
    if (::read(out_, &letter, 1) != 1) return false;
    output_ += letter;
    return true;
  }

  int out_ = -1;
  pid_t process_ = -1;
  std::string output_;
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

// The epochs that a run has reported.
std::vector<int> epochs_of(const std::string& output) {
  const std::regex line("\nepoch (\\d+)  train loss ");
  std::vector<int> out;
  for (std::sregex_iterator at(output.begin(), output.end(), line), end; at != end; ++at) {
    out.push_back(std::stoi((*at)[1]));
  }
  return out;
}

// Parameters, the optimizer's and the random streams' state, and figures without their seconds.
std::map<std::string, std::string> state_of(const std::string& model) {
  std::map<std::string, std::string> out;
  for (const auto& [name, array] : read_safetensors(model + "/training.safetensors").arrays) {
    std::string& bytes = out[name];
    const auto* begin = reinterpret_cast<const char*>(array.raw());
    const auto size = static_cast<std::size_t>(array.numel()) * heed::size_of(array.dtype());
    if (name != "figures") {
      bytes.assign(begin, size);
    } else {
      constexpr std::size_t kRow = 4 * sizeof(double);  // the last is the seconds
      for (std::size_t at = 0; at < size; at += kRow) bytes.append(begin + at, kRow - 8);
    }
  }
  return out;
}

TEST_F(Command, ResumingGivesTheSameBitsAsNeverHavingStopped) {
  // What 60 epochs print does not fit into the pipe of a Stoppable, which nobody reads.
  const std::string flags =
      " --documents 30 --embedding 7 --hidden 5 --batch 11 --patience 60 --epochs 60 --threads 1";
  const Outcome whole = run("train --out " + path("whole") + flags);
  ASSERT_EQ(whole.code, 0) << whole.output;

  Stoppable stopping("train --out " + path("parts") + flags);
  stopping.read_until("\nepoch 1 ");
  const Outcome stopped = stopping.interrupt();
  ASSERT_EQ(stopped.code, 0) << stopped.output;
  EXPECT_THAT(stopped.output, HasSubstr("\ninterrupted; the best model so far is in "));
  ASSERT_NE(state_of(path("whole")), state_of(path("parts")));

  const Outcome resumed = run("train --resume --out " + path("parts") + flags);
  ASSERT_EQ(resumed.code, 0) << resumed.output;
  std::vector<int> epochs = epochs_of(stopped.output);
  const std::vector<int> later = epochs_of(resumed.output);
  EXPECT_FALSE(epochs.empty());
  EXPECT_FALSE(later.empty());
  epochs.insert(epochs.end(), later.begin(), later.end());
  EXPECT_EQ(epochs, epochs_of(whole.output));
  EXPECT_EQ(epochs.size(), 60U);

  const auto expected = state_of(path("whole")), found = state_of(path("parts"));
  for (const char* name :
       {"figures", "generators", "model.classifier.weight", "optimizer.parameters.0.step"}) {
    EXPECT_TRUE(expected.contains(name)) << name;
  }
  ASSERT_EQ(expected.size(), found.size());
  for (const auto& [name, bytes] : expected) EXPECT_TRUE(found.at(name) == bytes) << name;
  EXPECT_EQ(read_file(path("whole") + "/model.safetensors"),
            read_file(path("parts") + "/model.safetensors"));
}

}  // namespace
