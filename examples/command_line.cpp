#include "command_line.h"

#include <cstdio>
#include <exception>

#include "../core/error.h"
#include "../core/generator.h"
#include "../core/parallel.h"
#include "../data/line_reader.h"
#include "../io/model_directory.h"
#include "shared_out.h"

namespace command_line {
namespace {

std::string flag_of(std::string name, const Renamed& renamed) {
  if (const auto found = renamed.find(name); found != renamed.end()) return found->second;
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

}  // namespace

CLI::Option* add_size(CLI::App& app, const std::string& flag, heed::Index& value, heed::Index least,
                      heed::Index most, const std::string& what) {
  return app.add_option(flag, value, what)->check(CLI::Range(least, most))->capture_default_str();
}
CLI::Option* add_size(CLI::App& app, const std::string& flag, heed::Index& value, heed::Index least,
                      const std::string& what) {
  return add_size(app, flag, value, least, heed::Index{1} << 24, what);
}

CLI::Option* add_number(CLI::App& app, const std::string& flag, double& value,
                        const CLI::Validator& check, const std::string& what) {
  return app.add_option(flag, value, what)->check(check)->capture_default_str();
}

void FlagFields::size(const std::string& name, heed::Index& value, heed::Index least,
                      heed::Index most, const std::string& help) {
  add_size(app_, flag_of(name, renamed_), value, least, most, help);
}
void FlagFields::number(const std::string& name, double& value, double least, double most,
                        const std::string& help) {
  add_number(app_, flag_of(name, renamed_), value, CLI::Range(least, most), help);
}
void FlagFields::flag(const std::string& name, bool& value, const std::string& help) {
  const std::string flag = flag_of(name, renamed_);
  app_.add_flag(value ? flag + ",!--no-" + flag.substr(2) : flag, value, help);
}
void FlagFields::text(const std::string& name, std::string& value, const std::string& help) {
  app_.add_option(flag_of(name, renamed_), value, help)->capture_default_str();
}
void FlagFields::word(const std::string& name, const Word& word, const std::string& help) {
  app_.add_option_function<std::string>(flag_of(name, renamed_), word.set, help)
      ->check(CLI::IsMember(word.words))
      ->default_str(word.get());
}

void FlagTexts::size(const std::string& name, heed::Index& value, heed::Index, heed::Index,
                     const std::string&) {
  all.emplace_back(flag_of(name, renamed_), fmt::format("{}", value));
}
void FlagTexts::number(const std::string& name, double& value, double, double, const std::string&) {
  all.emplace_back(flag_of(name, renamed_), fmt::format("{}", value));
}
void FlagTexts::flag(const std::string& name, bool& value, const std::string&) {
  all.emplace_back(flag_of(name, renamed_), value ? "on" : "off");
}
void FlagTexts::text(const std::string& name, std::string& value, const std::string&) {
  all.emplace_back(flag_of(name, renamed_), value);
}
void FlagTexts::word(const std::string& name, const Word& word, const std::string&) {
  all.emplace_back(flag_of(name, renamed_), word.get());
}

void check_given(const CLI::App& app, const FlagTexts& given, const FlagTexts& had) {
  for (std::size_t i = 0; i < given.all.size(); ++i) {
    const auto& [flag, text] = given.all[i];
    if (app.count(flag) == 0 || text == had.all[i].second) continue;
    throw heed::ValueError(fmt::format("--resume: the model in the folder has {} {}, not {}", flag,
                                       had.all[i].second, text));
  }
}

void add_threads(CLI::App& app, int& threads) {
  app.add_option("--threads", threads, "threads; left out: all cores")->check(CLI::Range(1, 1024));
}

void add_seed(CLI::App& app, std::uint64_t& seed, const std::string& what) {
  app.add_option("--seed", seed, what)->capture_default_str();
}

std::uint64_t same_seed(const CLI::App& app, std::uint64_t seed,
                        const std::optional<std::uint64_t>& had) {
  if (app.count("--seed") > 0 && had && seed != *had) {
    throw heed::ValueError(fmt::format(
        "--seed {}: the model was trained with --seed {}, which says what it has not seen", seed,
        *had));
  }
  return had.value_or(seed);
}

CLI::Option* add_choice(CLI::App& app, const std::string& flag, std::string& value,
                        const std::vector<std::string>& words, const std::string& what) {
  return app.add_option(flag, value, what)->check(CLI::IsMember(words))->capture_default_str();
}

void add_quantize(CLI::App& app, heed::io::Quantize& to) {
  const auto flag = [&](const char* name, heed::io::Quantize value, const char* what) {
    return app.add_flag_callback(
        name, [&to, value] { to = value; }, what);
  };
  flag("--int8", heed::io::Quantize::int8, "weights of linear layers and tables in 8 bits")
      ->excludes(flag("--bf16", heed::io::Quantize::bf16, "the same in 16 bits"));
}

void add_folder(CLI::App& app, const std::string& flag, std::string& folder) {
  app.add_option(flag, folder, "the model's folder")->capture_default_str();
}

void add_report(CLI::App& app, std::string& report) {
  app.add_option("--report", report,
                 "the report's file; left out: report.html in the model's folder");
}

void add_stop_and_resume(CLI::App& app, heed::Index& stop_after, bool& resume) {
  add_size(app, "--stop-after", stop_after, 0, "stop after this step, to be resumed; 0: not");
  app.add_flag("--resume", resume, "go on with the run in the folder");
}

std::string report_path(const std::string& report, const std::string& folder) {
  return report.empty() ? folder + "/report.html" : report;
}

void print_interrupted(const std::string& folder) {
  if (!std::filesystem::exists(folder + "/" + heed::io::kWeightsFile)) {
    return fmt::print("interrupted before the first step\n");
  }
  fmt::print("interrupted; the best model so far is in {}\n", folder);
}

void set_up(int threads, std::uint64_t seed) {
  if (threads > 0) heed::set_num_threads(threads);
  heed::manual_seed(seed);
}

void for_lines(const std::string& wanted, const std::function<void(const std::string&)>& body) {
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

void for_texts(const std::string& wanted, const std::function<void(const std::string&)>& check,
               const std::function<void(const std::string&)>& body) {
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

int run(const char* program, CLI::App& app, int argc, char** argv,
        const std::function<void()>& body) {
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
