// What the command lines of all programs share.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "../core/generator.h"
#include "../core/parallel.h"

namespace command_line {

/// A flag for a whole number in [least, most], of up to 2^24 without `most`.
template <class T>
CLI::Option* add_size(CLI::App& app, const std::string& flag, T& value, heed::Index least,
                      heed::Index most, const std::string& what) {
  return app.add_option(flag, value, what)->check(CLI::Range(least, most))->capture_default_str();
}
template <class T>
CLI::Option* add_size(CLI::App& app, const std::string& flag, T& value, heed::Index least,
                      const std::string& what) {
  return add_size(app, flag, value, least, heed::Index{1} << 24, what);
}

/// A flag for a number that passes `check`.
inline CLI::Option* add_number(CLI::App& app, const std::string& flag, double& value,
                               const CLI::Validator& check, const std::string& what) {
  return app.add_option(flag, value, what)->check(check)->capture_default_str();
}

inline void add_threads(CLI::App& app, int& threads) {
  app.add_option("--threads", threads, "threads; left out: all cores")->check(CLI::Range(1, 1024));
}

/// Before anything random; `threads` 0: all cores.
inline void set_up(int threads, std::uint64_t seed) {
  if (threads > 0) heed::set_num_threads(threads);
  heed::manual_seed(seed);
}

/// Parses the flags and calls `body`, which runs the subcommand that was chosen. Returns the exit
/// code: 2 for flags that make no sense, and for errors, which are printed in the program's name.
template <class Body>
int run(const char* program, CLI::App& app, int argc, char** argv, Body&& body) {
  try {
    app.parse(argc, argv);
    body();
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return 2;
  }
}

}  // namespace command_line
