// What the command lines of all programs share.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../core/shape.h"
#include "../io/fields.h"
#include "../io/saved_model.h"

namespace command_line {

/// A flag for a whole number in [least, most], of up to 2^24 without `most`.
CLI::Option* add_size(CLI::App& app, const std::string& flag, heed::Index& value, heed::Index least,
                      heed::Index most, const std::string& what);
CLI::Option* add_size(CLI::App& app, const std::string& flag, heed::Index& value, heed::Index least,
                      const std::string& what);

/// A flag for a number that passes `check`.
CLI::Option* add_number(CLI::App& app, const std::string& flag, double& value,
                        const CLI::Validator& check, const std::string& what);

/// Flags of other names than their fields.
using Renamed = std::map<std::string, std::string>;

/// A flag for each field of options: "--max-words" for max_words; "--no-..", too, for what is on.
class FlagFields : public heed::io::Fields {
 public:
  explicit FlagFields(CLI::App& app, Renamed renamed = {})
      : app_(app), renamed_(std::move(renamed)) {}
  void size(const std::string& name, heed::Index& value, heed::Index least, heed::Index most,
            const std::string& help) override;
  void number(const std::string& name, double& value, double least, double most,
              const std::string& help) override;
  void flag(const std::string& name, bool& value, const std::string& help) override;
  void text(const std::string& name, std::string& value, const std::string& help) override;

 protected:
  void word(const std::string& name, const Word& word, const std::string& help) override;

 private:
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

/// The flags of options, each with its value in words.
class FlagTexts : public heed::io::Fields {
 public:
  explicit FlagTexts(Renamed renamed) : renamed_(std::move(renamed)) {}
  void size(const std::string& name, heed::Index& value, heed::Index least, heed::Index most,
            const std::string& help) override;
  void number(const std::string& name, double& value, double least, double most,
              const std::string& help) override;
  void flag(const std::string& name, bool& value, const std::string& help) override;
  void text(const std::string& name, std::string& value, const std::string& help) override;
  std::vector<std::pair<std::string, std::string>> all = {};

 protected:
  void word(const std::string& name, const Word& word, const std::string& help) override;

 private:
  Renamed renamed_;
};
/// Throws ValueError for a flag that was given and has another value in `had`.
void check_given(const CLI::App& app, const FlagTexts& given, const FlagTexts& had);

/// A run that goes on has the model of its folder: throws ValueError for a flag that was given and
/// wants another.
template <heed::io::HasFields Options>
void check_resumed(const CLI::App& app, Options given, Options had, const Renamed& renamed = {}) {
  FlagTexts ours(renamed), theirs(renamed);
  given.fields(ours);
  had.fields(theirs);
  check_given(app, ours, theirs);
}

void add_threads(CLI::App& app, int& threads);
void add_seed(CLI::App& app, std::uint64_t& seed, const std::string& what = "of everything random");

/// The seed that drew what a model has not seen, or `seed` where that is not known. Throws
/// ValueError for a --seed that was given and is another.
std::uint64_t same_seed(const CLI::App& app, std::uint64_t seed,
                        const std::optional<std::uint64_t>& had);

/// What all commands of a program have.
template <class Flags>
void add_seed_and_threads(CLI::App& app, Flags& flags) {
  add_seed(app, flags.trainer.seed);
  add_threads(app, flags.threads);
}

/// The seed of a program whose data does not follow it.
inline constexpr const char* kSeedOfLearning =
    "of weights, dropout and the order of batches; what is generated or held out is the same for "
    "each";

/// A flag for one of these words.
CLI::Option* add_choice(CLI::App& app, const std::string& flag, std::string& value,
                        const std::vector<std::string>& words, const std::string& what);

/// See nn/int8.h and nn/bf16.h.
void add_quantize(CLI::App& app, heed::io::Quantize& to);

/// `flag` says where a model is, or where it goes to.
void add_folder(CLI::App& app, const std::string& flag, std::string& folder);

void add_report(CLI::App& app, std::string& report);

/// The two ends of a training that is cut in parts.
void add_stop_and_resume(CLI::App& app, heed::Index& stop_after, bool& resume);

/// Where the report goes to: as add_report() says.
std::string report_path(const std::string& report, const std::string& folder);

/// What a quick trial does to a size.
inline void at_most(heed::Index& value, heed::Index most) { value = std::min(value, most); }

/// What a training says that was stopped.
void print_interrupted(const std::string& folder);

/// Before anything random; `threads` 0: all cores.
void set_up(int threads, std::uint64_t seed);

/// body(line) for each line of standard input as it comes; what it refuses is refused with the
/// line's number. Throws ValueError, saying `wanted`, where nothing came.
void for_lines(const std::string& wanted, const std::function<void(const std::string&)>& body);

/// The same for texts of several lines, with an empty line between two: check(line) for each line,
/// body(text) for each text, its lines with their ends.
void for_texts(const std::string& wanted, const std::function<void(const std::string&)>& check,
               const std::function<void(const std::string&)>& body);

/// Parses the flags, one subcommand among them, and calls `body`, which runs it; `train` may be
/// shared out (shared_out.h). Returns the exit code: 2 for flags that make no sense, and for
/// errors, which are printed in the program's name.
int run(const char* program, CLI::App& app, int argc, char** argv,
        const std::function<void()>& body);

}  // namespace command_line
