#include "tuning.h"

#include <algorithm>

#include "../../heed.h"
#include "../../train/train.h"

namespace others {

using namespace heed;
using pretrained::DecoderOnly, pretrained::ScoredTokens;

namespace {

// Line by line: no token goes over a line's end.
std::vector<Index> tokens_of(const ScoredTokens& tokens, const std::string& path) {
  std::vector<Index> out{ScoredTokens::kBegin};
  std::vector<std::string> lines;
  for (data::LineReader reader(path); reader.next(lines);) {
    for (const std::string& line : lines) {
      const std::vector<Index> found = tokens.encode(line + "\n", out.size() == 1);
      out.insert(out.end(), found.begin(), found.end());
    }
  }
  return out;
}

Tensor loss_of(const DecoderOnly& model, const data::Windows& windows) {
  const Tensor logits = model(windows.inputs);
  return cross_entropy(reshape(logits, {-1, logits.size(2)}),
                       reshape(Tensor(windows.targets), {-1}));
}

}  // namespace

Tuned tune(DecoderOnly& model, const ScoredTokens& tokens, const std::string& text_file,
           const TuningOptions& options) {
  const std::vector<Index> all = tokens_of(tokens, text_file);
  const Index length = std::min(options.length, model.options().context);
  const Index held_out = std::ssize(all) / 10;
  if (held_out < 2 || std::ssize(all) - held_out <= length) {
    throw ValueError(text_file + ": too few tokens to learn from");
  }
  const std::vector<Index> text(all.begin(), all.end() - held_out),
      rest(all.end() - held_out, all.end());
  const std::vector<data::Windows> judged = data::all_windows(rest, 4 * options.batch, length);
  const auto loss = [&] {
    double sum = 0, count = 0;
    for (const data::Windows& windows : judged) {
      const auto own = static_cast<double>(windows.targets.numel());
      sum += own * loss_of(model, windows).item();
      count += own;
    }
    return sum / count;
  };
  Tuned out;
  {
    const NoGrad scope;
    out.before = loss();
  }
  if (options.lora > 0) {
    nn::add_lora(model, {.rank = options.lora, .alpha = 2 * static_cast<double>(options.lora)});
  }
  optim::AdamW adam(optim::decaying_matrices(
      model.parameters(), optim::AdamWOptions{.lr = options.lr, .weight_decay = 0.1}));
  train::Run run(model, adam, {.steps = options.steps, .clip = 1});
  run.schedule(optim::rate::warm_up_and_cosine(options.steps, options.steps / 20));
  run.validate([&]() -> train::Figures { return {{"validation loss", loss()}}; });
  auto batches = data::drawn(
      [&](Generator& generator) {
        return data::random_windows(text, options.batch, length, generator);
      },
      options.seed);
  const train::Training done =
      run(batches, [&](const data::Windows& windows) { return loss_of(model, windows); });
  out.interrupted = done.interrupted;
  out.any = !done.rounds.empty();
  const NoGrad scope;
  out.after = loss();  // of the weights that were kept, not of the last round's
  return out;
}

}  // namespace others
