// What the command lines of all programs share.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../core/error.h"
#include "../core/generator.h"
#include "../core/parallel.h"
#include "../data/line_reader.h"
#include "../io/fields.h"
#include "../io/saved_model.h"
#include "shared_out.h"

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

/// Flags of other names than their fields.
using Renamed = std::map<std::string, std::string>;

/// A flag for each field of options: "--max-words" for max_words; "--no-..", too, for what is on.
class FlagFields : public heed::io::Fields {
 public:
  explicit FlagFields(CLI::App& app, Renamed renamed = {})
      : app_(app), renamed_(std::move(renamed)) {}
  void size(const std::string& name, heed::Index& value, heed::Index least, heed::Index most,
            const std::string& help) override {
    add_size(app_, flag_of(name), value, least, most, help);
  }
  void number(const std::string& name, double& value, double least, double most,
              const std::string& help) override {
    add_number(app_, flag_of(name), value, CLI::Range(least, most), help);
  }
  void flag(const std::string& name, bool& value, const std::string& help) override {
    const std::string flag = flag_of(name);
    app_.add_flag(value ? flag + ",!--no-" + flag.substr(2) : flag, value, help);
  }
  void text(const std::string& name, std::string& value, const std::string& help) override {
    app_.add_option(flag_of(name), value, help)->capture_default_str();
  }

 protected:
  void word(const std::string& name, const Word& word, const std::string& help) override {
    app_.add_option_function<std::string>(flag_of(name), word.set, help)
        ->check(CLI::IsMember(word.words))
        ->default_str(word.get());
  }

 private:
  std::string flag_of(std::string name) const {
    if (const auto found = renamed_.find(name); found != renamed_.end()) return found->second;
    std::replace(name.begin(), name.end(), '_', '-');
    return "--" + name;
  }
  CLI::App& app_;
  Renamed renamed_;
};

/// Of all options' fields.
template <heed::io::HasFields... Options>
void add_fields(CLI::App& app, Options&... options) {
  FlagFields flags(app);
  (options.fields(flags), ...);
}
template <heed::io::HasFields... Options>
void add_fields(CLI::App& app, Renamed renamed, Options&... options) {
  FlagFields flags(app, std::move(renamed));
  (options.fields(flags), ...);
}

inline void add_threads(CLI::App& app, int& threads) {
  app.add_option("--threads", threads, "threads; left out: all cores")->check(CLI::Range(1, 1024));
}

inline void add_seed(CLI::App& app, std::uint64_t& seed) {
  app.add_option("--seed", seed, "of everything random")->capture_default_str();
}

/// What all commands of a program have.
template <class Flags>
void add_seed_and_threads(CLI::App& app, Flags& flags) {
  add_seed(app, flags.trainer.seed);
  add_threads(app, flags.threads);
}

/// A flag for one of these words.
inline CLI::Option* add_choice(CLI::App& app, const std::string& flag, std::string& value,
                               const std::vector<std::string>& words, const std::string& what) {
  return app.add_option(flag, value, what)->check(CLI::IsMember(words))->capture_default_str();
}

/// See nn/int8.h and nn/bf16.h.
inline void add_quantize(CLI::App& app, heed::io::Quantize& to) {
  const auto flag = [&](const char* name, heed::io::Quantize value, const char* what) {
    return app.add_flag_callback(
        name, [&to, value] { to = value; }, what);
  };
  flag("--int8", heed::io::Quantize::int8, "weights of linear layers and tables in 8 bits")
      ->excludes(flag("--bf16", heed::io::Quantize::bf16, "the same in 16 bits"));
}

/// `flag` says where a model is, or where it goes to.
inline void add_folder(CLI::App& app, const std::string& flag, std::string& folder) {
  app.add_option(flag, folder, "the model's folder")->capture_default_str();
}

inline void add_report(CLI::App& app, std::string& report) {
  app.add_option("--report", report,
                 "the report's file; left out: report.html in the model's folder");
}

/// The two ends of a training that is cut in parts.
inline void add_stop_and_resume(CLI::App& app, heed::Index& stop_after, bool& resume) {
  add_size(app, "--stop-after", stop_after, 0, "stop after this step, to be resumed; 0: not");
  app.add_flag("--resume", resume, "go on with the run in the folder");
}

/// Where the report goes to: as add_report() says.
inline std::string report_path(const std::string& report, const std::string& folder) {
  return report.empty() ? folder + "/report.html" : report;
}

/// What a quick trial does to a size.
inline void at_most(heed::Index& value, heed::Index most) { value = std::min(value, most); }

/// What a training says that was stopped.
inline void print_interrupted(const std::string& folder) {
  fmt::print("interrupted; the best model so far is in {}\n", folder);
}

/// Before anything random; `threads` 0: all cores.
inline void set_up(int threads, std::uint64_t seed) {
  if (threads > 0) heed::set_num_threads(threads);
  heed::manual_seed(seed);
}

/// body(line) for each line of standard input as it comes; what it refuses is refused with the
/// line's number. Throws ValueError, saying `wanted`, where nothing came.
template <class Body>
void for_lines(const std::string& wanted, Body&& body) {
  heed::data::LineReader reader("");
  std::size_t number = 0;
  for (std::vector<std::string> lines; reader.next(lines);) {
    for (const std::string& line : lines) try {
        ++number;
        body(line);
      } catch (const heed::ValueError& error) {
        throw heed::ValueError(fmt::format("line {}: {}", number, error.message()));
      }
  }
  if (number == 0) throw heed::ValueError("nothing came: " + wanted);
}

/// The same for texts of several lines, with an empty line between two: check(line) for each line,
/// body(text) for each text, its lines with their ends.
template <class Check, class Body>
void for_texts(const std::string& wanted, Check&& check, Body&& body) {
  std::string text;
  const auto end = [&] {
    if (!text.empty()) body(std::exchange(text, ""));
  };
  for_lines(wanted, [&](const std::string& line) {
    if (line.empty()) return end();
    check(line);
    text += line + "\n";
  });
  end();
}

/// Parses the flags, one subcommand among them, and calls `body`, which runs it; `train` may be
/// shared out (shared_out.h). Returns the exit code: 2 for flags that make no sense, and for
/// errors, which are printed in the program's name.
template <class Body>
int run(const char* program, CLI::App& app, int argc, char** argv, Body&& body) {
  app.require_subcommand(1);
  SharedOut shared;
  for (CLI::App* each : app.get_subcommands(nullptr)) {
    if (each->get_name() == "train") shared.add_flags(*each);
  }
  try {
    app.parse(argc, argv);
    shared.run(program, body);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return 2;
  }
}

}  // namespace command_line
