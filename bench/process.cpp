#include "process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

namespace bench {

Process::Process(const std::vector<std::string>& command) : name_(command.front()) {
  std::signal(SIGPIPE, SIG_IGN);  // a dead child shows as a failed write
  int in[2];
  int out[2];
  // Close-on-exec: a child must not hold the pipes of another, or it would never see their end.
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) {
    throw std::runtime_error("bench: no pipes to be had");
  }
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_ = fdopen(in[1], "w");
  from_ = fdopen(out[0], "r");
  if (const std::string line = read_line(); line != "ready") {
    throw std::runtime_error(name_ + " did not start: " + line);
  }
}

Process::~Process() {
  std::fclose(to_);  // the end of its input is the end of the program
  std::fclose(from_);
  waitpid(pid_, nullptr, 0);
}

std::string Process::ask(const std::string& line) {
  std::fprintf(to_, "%s\n", line.c_str());
  std::fflush(to_);
  std::string answer = read_line();
  if (answer.empty()) throw std::runtime_error(name_ + " ended early");
  if (answer.rfind("{\"error\"", 0) == 0) throw std::runtime_error(name_ + ": " + answer);
  return answer;
}

std::string Process::read_line() {
  std::string line;
  for (int c = std::fgetc(from_); c != EOF && c != '\n'; c = std::fgetc(from_)) {
    line.push_back(static_cast<char>(c));
  }
  return line;
}

}  // namespace bench
