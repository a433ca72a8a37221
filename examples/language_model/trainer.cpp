#include "trainer.h"

#include <fmt/format.h>

#include "../../data/loader.h"
#include "../../optim/adam.h"
#include "../../optim/decaying_matrices.h"
#include "../../train/run.h"
#include "../../train/team.h"
#include "evaluation.h"

namespace language_model {
namespace {

// What a reader has read of the parts of a text, from step to step.
struct Carried {
  Past past;
  optim::NamedArrays state_dict() const {
    optim::NamedArrays out;
    for (const Tensor& each : past.reader) {
      out.emplace_back(std::to_string(out.size()), each.array());
    }
    return out;
  }
  void load_state_dict(const optim::NamedArrays& entries) {
    past.reader.clear();
    for (const auto& [name, array] : entries) past.reader.emplace_back(array);
  }
};

train::Training train_in_order(const LanguageModel& model, const std::vector<Index>& text,
                               const TrainerOptions& options, train::Run& run) {
  if (!model.reader) throw ValueError("--in-order is for lstm, lstmn and memory");
  if (train::team())
    throw ValueError("--in-order: parts of a text that go on cannot be shared out");
  data::Loader<data::Windows> batches(
      [&](Generator& generator, Index) {
        // Each pass cuts the text at other places.
        const Index skipped =
            generator.below(std::min<Index>(model.options.context, std::ssize(text) / 2));
        const std::vector<Index> rest(text.begin() + skipped, text.end());
        const auto parts = std::make_shared<std::vector<data::Windows>>(
            data::side_by_side(rest, options.batch, model.options.context).batches);
        return data::Pass<data::Windows>{
            std::ssize(*parts),
            [parts, at = std::size_t{0}](std::optional<data::Windows>* out) mutable {
              if (at == parts->size()) return false;
              if (out) *out = (*parts)[at];
              ++at;
              return true;
            }};
      },
      Generator(options.seed + 17));
  Carried carried;
  run.carry("past", carried);
  return run(batches, [&](const data::Windows& batch) {
    if (batches.index() == 1) carried.past = {};
    const Tensor loss = loss_of(model.go_on(batch.inputs, carried.past), batch.targets);
    for (Tensor& each : carried.past.reader) each = each.detach();
    return loss;
  });
}

}  // namespace

train::Training train_language(Language& language, const std::vector<Index>& text,
                               const std::vector<Index>& validation,
                               const TrainerOptions& options) {
  const LanguageModel& model = *language.model;
  const Index context = model.options.context;
  optim::AdamW adam(optim::decaying_matrices(
      model.parameters(),
      optim::AdamWOptions{
          .lr = options.lr, .betas = {0.9, 0.99}, .weight_decay = options.weight_decay}));
  train::RunOptions how = options.run({}, fmt::format("{} tokens", text.size()));
  if (options.packed) how.setting += ", --packed";
  if (options.in_order) how.setting += ", --in-order";
  train::Run run(*language.model, adam, how);
  run.schedule(optim::rate::warm_up_and_cosine(options.steps, options.warm_up))
      .files([&] { return files_of(language); })
      .validate([&]() -> train::Figures {
        return {
            {"validation loss", evaluate(language, validation, 4 * options.batch, options.packed)}};
      });
  if (options.in_order) return train_in_order(model, text, options, run);
  const auto train = [&](auto draw) {
    auto batches = data::drawn(draw, options.seed + 17);
    return run(batches, [&](const auto& batch) { return loss_of(model, batch); });
  };
  if (!options.packed) {
    return train([&](Generator& places) {
      return data::random_windows(text, options.batch, context, places);
    });
  }
  const std::vector<data::LinePlaces> lines = cut_lines(language, text);
  return train([&](Generator& places) {
    return packed_lines(text, data::random_lines(lines, options.batch * context, places));
  });
}

}  // namespace language_model
