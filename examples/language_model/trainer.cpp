#include "trainer.h"

#include <fmt/format.h>

#include "../../data/read_in_order.h"
#include "../../optim/adam.h"
#include "../../optim/decaying_matrices.h"
#include "../../train/run.h"
#include "../../train/team.h"
#include "evaluation.h"

namespace language_model {
namespace {

train::Training train_in_order(const LanguageModel& model, const std::vector<Index>& text,
                               const TrainerOptions& options, train::Run& run) {
  if (!model.reader) throw ValueError("--in-order is for lstm, lstmn and memory");
  if (train::team())
    throw ValueError("--in-order: parts of a text that go on cannot be shared out");
  auto batches = data::read_in_order(text, options.batch, model.options.context, options.seed + 17);
  Past past;  // of the parts, from step to step
  run.carry("past", past.reader);
  return run(batches, [&](const data::Windows& batch) {
    if (batches.index() == 1) past = {};
    const Tensor loss = loss_of(model.go_on(batch.inputs, past), batch.targets);
    for (Tensor& each : past.reader) each = each.detach();
    return loss;
  });
}

}  // namespace

train::Training train_language(Language& language, const std::vector<Index>& text,
                               const std::vector<Index>& validation,
                               const TrainerOptions& options) {
  const LanguageModel& model = *language.model;
  const Index context = model.options.context, side = 4 * options.batch;
  optim::AdamW adam(optim::decaying_matrices(
      model.parameters(),
      optim::AdamWOptions{
          .lr = options.lr, .betas = {0.9, 0.99}, .weight_decay = options.weight_decay}));
  train::RunOptions how = options.run({}, fmt::format("{} tokens", text.size()));
  if (options.packed) how.setting += ", --packed";
  if (options.in_order) how.setting += ", --in-order";
  std::vector<data::Windows> windows;    // of the validation, where it is read in parts
  std::vector<data::LinePlaces> judged;  // the same
  train::Run run(*language.model, adam, how);
  run.files([&] { return files_of(language); })
      .schedule(optim::rate::warm_up_and_cosine(options.steps, options.warm_up));
  const auto part_of = [&](const auto& some) -> train::Part {
    const auto tokens = static_cast<double>(some.targets.numel());
    return {{{"validation loss", loss_of(model, some).item()}}, tokens};
  };
  if (options.packed) {
    judged = cut_lines(language, validation);
    run.validate(judged, side,
                 [&](const auto& some) { return part_of(data::packed_lines(validation, some)); });
  } else if (model.reader) {
    run.validate([&]() -> train::Figures {
      return {{"validation loss", evaluate(language, validation, side, false)}};
    });
  } else {
    windows = data::all_windows(validation, side, context);
    run.validate(windows, 1, [&](const auto& one) { return part_of(one[0]); });
  }
  if (options.in_order) return train_in_order(model, text, options, run);
  const auto learn = [&](auto draw) {
    auto batches = data::drawn(draw, options.seed + 17);
    batches.contents(text);
    return run(batches, [&](const auto& batch) {
      train::Loss out{.tensor = loss_of(model, batch)};
      // Lines of a piece are of any length, and its loss is the mean of its tokens: as many.
      if (options.packed && train::team()) out.weight = static_cast<double>(batch.targets.numel());
      return out;
    });
  };
  if (!options.packed) {
    return learn([&](Generator& places) {
      return data::random_windows(text, options.batch, context, places);
    });
  }
  const std::vector<data::LinePlaces> lines = cut_lines(language, text);
  return learn([&](Generator& places) {
    return data::packed_lines(text, data::random_lines(lines, options.batch * context, places));
  });
}

}  // namespace language_model
