// A program of the examples as a user runs it: exit codes, messages, files. A test derives its
// fixture from Command, which says which program, and whose folder is gone at the test's end.
#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../../io/file.h"
#include "../../io/safetensors.h"
#include "../io/temporary_folder.h"

namespace heed {

struct Outcome {
  int code;
  std::string output;  // both streams

  Outcome(int status, std::string text)
      : code(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)),
        output(std::move(text)) {}
};

// A program that is not waited for. It prints into a pipe of one page, full of which it has to
// wait: one that has more to print than that cannot end before it is read to the end.
class Running {
 public:
  explicit Running(const std::string& line) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    out_ = ends[0];
    ::fcntl(out_, F_SETPIPE_SZ, 4096);
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(ends[1], 1);
      ::close(ends[0]);
      ::close(ends[1]);
      ::execl("/bin/sh", "sh", "-c", ("exec " + line).c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(ends[1]);
  }
  ~Running() {
    ::close(out_);
    if (process_ > 0) end(SIGKILL);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // Or to the end.
  void read_until(const std::string& text) {
    while (output_.find(text) == std::string::npos && read_one()) {
    }
  }
  const std::string& output() const { return output_; }
  // Or to the end.
  template <class Condition>
  void wait_until(const Condition& condition) const {
    siginfo_t ended{};
    while (!condition() && ended.si_pid == 0) {
      ::usleep(500);
      ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT);
    }
  }
  // Sends it the signal, as Ctrl-C or a kill, and waits for its end.
  Outcome end(int signal) {
    ::kill(process_, signal);
    while (read_one()) {
    }
    int status = 0;
    ::waitpid(std::exchange(process_, -1), &status, 0);
    return {status, output_};
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

// An entry of rows of numbers, the last of which are times and so never the same.
struct Timed {
  std::size_t row, times;
};

class Command : public testing::Test {
 protected:
  using TimedEntries = std::map<std::string, Timed>;  // of the file of a training's state
  explicit Command(const std::string& program,
                   TimedEntries timed = {{"rounds", {3, 1}}, {"sums", {3, 1}}})
      : program_("'" + program + "' "), timed_(std::move(timed)) {}

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, const std::string& content) const {
    TemporaryFolder::put(path(name), content);
    return path(name);
  }
  static std::string changed(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from << " in\n" << text;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  }

  // The command's line, as a shell reads it.
  std::string line(const std::string& arguments) const { return program_ + arguments + " 2>&1"; }
  Outcome run(const std::string& arguments, const std::string& input = "") const {
    const std::string text = write(".input", input);
    std::FILE* pipe = ::popen((line(arguments) + " < '" + text + "'").c_str(), "r");
    std::string output;
    char buffer[4096];
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
      output.append(buffer, n);
    return {::pclose(pipe), output};
  }
  // Gives back what it printed.
  std::string expect_success(const std::string& arguments, const std::string& input = "") const {
    Outcome outcome = run(arguments, input);
    EXPECT_EQ(outcome.code, 0) << arguments << "\n" << outcome.output;
    return std::move(outcome.output);
  }
  void expect_refused(const std::string& arguments, const std::string& text,
                      const std::string& input = "") const {
    const Outcome outcome = run(arguments, input);
    EXPECT_EQ(outcome.code, 2) << arguments << "\n" << outcome.output;
    EXPECT_THAT(outcome.output, testing::HasSubstr(text)) << arguments;
  }

  // The number that follows the last of these texts.
  static double number_after(const std::string& text, const std::string& output) {
    const std::size_t at = output.rfind(text);
    EXPECT_NE(at, std::string::npos) << text << " in\n" << output;
    return at == std::string::npos ? NAN : std::stod(output.substr(at + text.size()));
  }
  // The model in the folder m, while its settings have `to` in place of `from`.
  void expect_config_refused(const std::string& arguments, const std::string& from,
                             const std::string& to, const std::string& text) const {
    const std::string config = io::read_file(path("m/config.json"));
    write("m/config.json", changed(config, from, to));
    expect_refused(arguments + " --model " + path("m"), text);
    write("m/config.json", config);
  }

  // Parameters, the optimizer's and the random streams' state, and figures without their times.
  using State = std::map<std::string, std::string>;
  State state_of(const std::string& model) const {
    State out;
    for (const auto& [name, array] : io::read_safetensors(model + "/training.safetensors").arrays) {
      const auto* begin = reinterpret_cast<const char*>(array.raw());
      const auto size = static_cast<std::size_t>(array.numel()) * size_of(array.dtype());
      const auto found = timed_.find(name);
      const Timed columns = found == timed_.end() ? Timed{size / 8 + 1, 0} : found->second;
      std::string& bytes = out[name];
      for (std::size_t at = 0; at < size; at += 8 * columns.row) {
        bytes.append(begin + at, std::min(size - at, 8 * (columns.row - columns.times)));
      }
    }
    return out;
  }
  // Two trainings that came to the same bits; `names` are some of the entries that there must be.
  void expect_same_training(const std::string& a, const std::string& b,
                            const std::vector<std::string>& names) const {
    const State expected = state_of(a), found = state_of(b);
    for (const std::string& name : names) EXPECT_TRUE(expected.contains(name)) << name;
    ASSERT_EQ(expected.size(), found.size());
    for (const auto& [name, bytes] : expected) EXPECT_TRUE(found.at(name) == bytes) << name;
    EXPECT_EQ(io::read_file(a + "/model.safetensors"), io::read_file(b + "/model.safetensors"));
  }
  // A training in the folder whole, and one in parts, stopped after so many steps and resumed.
  void expect_resuming_changes_no_bit(const std::string& flags, const std::vector<int>& stops,
                                      const std::vector<std::string>& names) const {
    const std::string whole = path("whole"), parts = path("parts");
    expect_success("train" + flags + " --save " + whole);
    for (const int stop : stops) {
      const std::string stopped =
          expect_success("train --stop-after " + std::to_string(stop) + flags + " --save " + parts);
      EXPECT_THAT(stopped,
                  testing::HasSubstr("\ninterrupted; the best model so far is in " + parts));
      ASSERT_NE(state_of(whole), state_of(parts));
      expect_success("train --resume" + flags + " --save " + parts);
      expect_same_training(whole, parts, names);
      std::filesystem::remove_all(parts);
    }
  }

 private:
  std::string program_;
  TimedEntries timed_;
  TemporaryFolder folder_;
};

}  // namespace heed
