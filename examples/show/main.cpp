// heed-show serve | answer: see README.md.

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <thread>

#include "../command_line.h"
#include "server.h"

namespace show {
namespace {

struct Flags {
  std::string model = "model";
  int port = 8080;
  int threads = 0;
};

// Until Ctrl-C, which no thread but this one hears of.
void serve(const Flags& flags) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const std::unique_ptr<Demonstration> shown = open(flags.model);
  Server server(*shown, flags.port);
  std::thread running([&] { server.run(); });
  fmt::print("http://localhost:{}/ shows {}; Ctrl-C ends\n", server.port(), flags.model);
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  server.stop();
  running.join();
}

int run(int argc, char** argv) {
  Flags flags;
  CLI::App app("A trained model to play with, in a browser of this machine");
  CLI::App* serving = app.add_subcommand("serve", "a page on the loopback address");
  CLI::App* answering = app.add_subcommand("answer", "what the page gets for a text, as JSON");
  for (CLI::App* each : {serving, answering}) {
    command_line::add_folder(*each, "--model", flags.model);
    command_line::add_threads(*each, flags.threads);
  }
  serving->add_option("--port", flags.port, "0: any that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  return command_line::run("heed-show", app, argc, argv, [&] {
    command_line::set_up(flags.threads, 0);
    if (*serving) return serve(flags);
    const std::string text(std::istreambuf_iterator<char>(std::cin), {});
    fmt::print("{}\n", open(flags.model)->answer(text));
  });
}

}  // namespace
}  // namespace show

int main(int argc, char** argv) { return show::run(argc, argv); }
