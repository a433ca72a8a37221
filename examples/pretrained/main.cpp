// pretrained check | write | train: see README.md.

#include <fmt/format.h>

#include "../../heed.h"
#include "../../pretrained/pretrained.h"
#include "../command_line.h"
#include "figures.h"
#include "tuning.h"

namespace others {
namespace {

using namespace heed;
using namespace heed::pretrained;

struct Flags {
  std::string models = "../shared/pretrained", model, tokens, prompt, text, out, adapters;
  WritingOptions writing;
  TuningOptions tuning;
  std::uint64_t seed = 1;
  int threads = 0;
};

// Whether all figures hold; a line of each that does not, or of all, and one a model.
bool check(const Flags& flags, bool all) {
  bool held = true;
  const std::vector<Comparison> found = compare_figures(flags.models);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Comparison& each = found[i];
    held = held && each.holds();
    if (all || !each.holds()) {
      fmt::print("{:<12} {:<44} {:.2g}, at most {:.2g}: {}\n", each.model, each.what, each.found,
                 each.limit, each.holds() ? "ok" : "MISSED");
    }
  }
  for (const char* model : {"nano_sort", "stories260k", "aren"}) {
    Index count = 0, holding = 0;
    double worst = 0;
    for (const Comparison& each : found) {
      if (each.model != model) continue;
      ++count;
      holding += each.holds() ? 1 : 0;
      if (each.limit > 0) worst = std::max(worst, each.found);
    }
    if (count > 0) {
      fmt::print("{}: {} of {} figures hold, numbers within {:.2g}\n", model, holding, count,
                 worst);
    }
  }
  return held;
}

void write_text(const Flags& flags) {
  const auto model = read_llama2c(flags.model);
  if (!flags.adapters.empty()) {
    io::load_lora(flags.adapters, *model);
    nn::merge_lora(*model);
  }
  const ScoredTokens tokens(flags.tokens, model->options().vocabulary);
  std::vector<Index> prompt{ScoredTokens::kBegin};
  const std::vector<Index> begun = tokens.encode(flags.prompt);
  prompt.insert(prompt.end(), begun.begin(), begun.end());
  fmt::print("{}", flags.prompt);
  Generator generator(flags.seed);
  WritingOptions options = flags.writing;
  options.end = ScoredTokens::kBegin;
  write(*model, prompt, options, generator, [&](Index before, Index token) {
    fmt::print("{}", tokens.decode(before, token));
    std::fflush(stdout);
  });
  fmt::print("\n");
}

// Whether there is anything to write.
bool train_on(Flags& flags) {
  const auto model = read_llama2c(flags.model);
  const ScoredTokens tokens(flags.tokens, model->options().vocabulary);
  model->train();
  flags.tuning.seed = flags.seed;
  const Tuned found = tune(*model, tokens, flags.text, flags.tuning);
  if (found.interrupted && !found.any) {
    fmt::print("interrupted before the first look at what was held out; nothing is written\n");
    return false;
  }
  if (flags.tuning.lora > 0) {
    io::save_lora(flags.out, *model);
  } else {
    write_llama2c(flags.out, *model);
  }
  fmt::print("{}loss of what was held out: {:.4f} before, {:.4f} after; the {} {}\n",
             found.interrupted ? "interrupted; " : "", found.before, found.after,
             flags.tuning.lora > 0 ? "adapters are" : "model is", flags.out);
  return true;
}

int run(int argc, char** argv) {
  Flags flags;
  bool all = false, well = true;
  CLI::App app("Models that others trained");
  CLI::App* checked = app.add_subcommand("check", "compare with the figures of their authors");
  checked->add_option("--models", flags.models, "folder of nano_sort, stories260k, aren");
  checked->add_flag("--all", all, "every figure, not only those that are missed");
  CLI::App* written = app.add_subcommand("write", "write a text, token by token");
  written->add_option("--prompt", flags.prompt, "what it begins with");
  command_line::add_size(*written, "--length", flags.writing.length, 1,
                         "tokens, with the prompt's");
  command_line::add_number(*written, "--temperature", flags.writing.choice.temperature,
                           CLI::Range(0.0, 10.0), "0: the likeliest");
  command_line::add_size(*written, "--top-k", flags.writing.choice.top_k, 0,
                         "draw among so many; 0: all");
  command_line::add_number(*written, "--top-p", flags.writing.choice.top_p, CLI::Range(1e-9, 1.0),
                           "draw among the likeliest that have this share together");
  command_line::add_number(*written, "--min-p", flags.writing.choice.min_p, CLI::Range(0.0, 1.0),
                           "draw among those at least so likely, as a share of the likeliest");
  written->add_option("--adapters", flags.adapters, "low-rank ones that train --lora wrote");
  CLI::App* trained = app.add_subcommand("train", "go on learning, on a text");
  for (CLI::App* each : {written, trained}) {
    each->add_option("--model", flags.model, "a file of llama2.c")->required();
    each->add_option("--tokens", flags.tokens, "its tokens")->required();
    command_line::add_seed(*each, flags.seed);
  }
  trained->add_option("--data", flags.text, "the text")->required();
  trained->add_option("--out", flags.out, "the file that the model goes to, or its adapters")
      ->required();
  command_line::add_size(*trained, "--steps", flags.tuning.steps, 1, "of training");
  command_line::add_size(*trained, "--batch", flags.tuning.batch, 1, "windows a step");
  command_line::add_size(*trained, "--length", flags.tuning.length, 1, "tokens a window");
  command_line::add_size(*trained, "--lora", flags.tuning.lora, 0,
                         "rank of adapters that learn alone; 0: the whole model");
  command_line::add_number(*trained, "--lr", flags.tuning.lr, CLI::PositiveNumber, "highest rate");
  for (CLI::App* each : {checked, written, trained})
    command_line::add_threads(*each, flags.threads);
  const int code = command_line::run("pretrained", app, argc, argv, [&] {
    command_line::set_up(flags.threads, flags.seed);
    if (*checked) well = check(flags, all);
    if (*written) write_text(flags);
    if (*trained) well = train_on(flags);
  });
  return code == 0 && !well ? 1 : code;
}

}  // namespace
}  // namespace others

int main(int argc, char** argv) { return others::run(argc, argv); }
