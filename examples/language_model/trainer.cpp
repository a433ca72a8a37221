#include "trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/cross_entropy.h"
#include "../../autograd/ops/shape.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../io/training_state.h"
#include "../../optim/adam.h"
#include "../../optim/clip.h"
#include "../../optim/schedule.h"
#include "../../train/interrupt.h"
#include "../../train/metrics.h"
#include "../../train/progress.h"
#include "../training_run.h"
#include "windows.h"

namespace language_model {
namespace {

Tensor loss_of(const LanguageModel& model, const Batch& batch) {
  const Tensor logits = model(batch.inputs);
  return cross_entropy(reshape(logits, {-1, logits.size(2)}), reshape(batch.targets, {-1}));
}

Tensor loss_of(const LanguageModel& model, const PackedBatch& batch) {
  return cross_entropy(model(batch.inputs), batch.targets);
}

std::vector<Line> cut_lines(const Language& language, const std::vector<Index>& text) {
  const Index end_mark = encode("\n", language.level, language.vocabulary).front();
  return lines_of(text, end_mark, language.model->options.context);
}

struct Sums {
  double loss = 0, steps = 0, seconds = 0;
};

// One training run: what changes from step to step.
class Run {
 public:
  Run(Language& language, const std::vector<Index>& text, const std::vector<Index>& validation,
      const TrainerOptions& options)
      : language_(language),
        model_(*language.model),
        text_(text),
        validation_(validation),
        options_(options),
        adam_(training_run::decaying_matrices(
            model_.parameters(), optim::AdamWOptions{.lr = options.learning_rate,
                                                     .betas = {0.9, 0.99},
                                                     .weight_decay = options.weight_decay})),
        schedule_(adam_, training_run::warm_up_and_cosine(options.learning_rate, options.steps,
                                                          options.warm_up)),
        places_(options.seed + 17) {
    if (options.packed) lines_ = cut_lines(language, text);
    if (options.resume) restore();
  }

  Training train() {
    const train::InterruptGuard guard;
    while (schedule_.steps() < options_.steps && !training_.interrupted) {
      if (!run_interval()) {
        training_.interrupted = true;
        keep(training_.curve.empty());
      } else {
        look();
      }
    }
    model_.load_state_dict(load(options_.out).model->state_dict());  // that of the best look
    return std::move(training_);
  }

 private:
  bool stopped() const {
    return train::interrupted() ||
           (options_.stop_after > 0 && schedule_.steps() >= options_.stop_after);
  }

  // To the end of the interval; false when it was stopped before.
  bool run_interval() {
    model_.train();
    const Index done = schedule_.steps();
    const Index end = std::min((done / options_.interval + 1) * options_.interval, options_.steps);
    train::Progress progress(fmt::format("steps to {}/{}", end, options_.steps), end - done);
    training_run::Stopwatch watch;
    while (schedule_.steps() < end) {
      if (stopped()) return false;
      adam_.zero_grad();
      const Tensor loss = next_loss();
      loss.backward();
      optim::clip_grad_norm(model_.parameters(), options_.clip);
      adam_.step();
      schedule_.step();
      sums_.loss += loss.item();
      ++sums_.steps;
      sums_.seconds += watch.lap();
      progress.update(schedule_.steps() - done, sums_.loss / sums_.steps);
    }
    return true;
  }

  Tensor next_loss() {
    const Index context = model_.options.context;
    if (!options_.packed) {
      return loss_of(model_, random_windows(text_, options_.batch_size, context, places_));
    }
    const Index tokens = options_.batch_size * context;
    return loss_of(model_, packed_lines(text_, random_lines(lines_, tokens, places_)));
  }

  // At the validation text; keeps the model if it is the best so far.
  void look() {
    const double loss = evaluate(language_, validation_, 4 * options_.batch_size, options_.packed);
    bool best = true;
    for (const Figures& earlier : training_.curve) {
      best = best && (loss < earlier.validation_loss || std::isnan(earlier.validation_loss));
    }
    const double train_loss = sums_.loss / sums_.steps;
    training_.curve.push_back(
        {static_cast<double>(schedule_.steps()), train_loss, loss, sums_.seconds});
    fmt::print("step {}  train loss {:.4f}  validation loss {:.4f}  {:.1f} s\n", schedule_.steps(),
               train_loss, loss, sums_.seconds);
    std::fflush(stdout);
    sums_ = {};
    keep(best);
  }

  // The run as it stands, and the model where it is the best.
  void keep(bool best) const {
    io::save_training(options_.out, state(), files_of(language_), best);
  }

  std::string state() const {
    io::TrainingState state(model_, adam_);
    state.put("steps", schedule_.steps());
    state.put("places", places_);
    state.put("figures", training_.curve);
    state.put("interval", sums_);
    return state.encode();
  }

  void restore() {
    const auto state = io::TrainingState::read(options_.out);
    const Index steps = state.count("steps");
    if (steps > options_.steps) {
      throw ValueError(fmt::format("resume: the run has {} steps already, more than --steps {}",
                                   steps, options_.steps));
    }
    state.get("places", places_);
    state.get("figures", training_.curve);
    state.get("interval", sums_);
    state.restore(model_, adam_);
    while (schedule_.steps() < steps) schedule_.step();
  }

  Language& language_;
  LanguageModel& model_;
  const std::vector<Index>&text_, &validation_;
  const TrainerOptions& options_;
  std::vector<Line> lines_;  // where they are packed
  optim::AdamW adam_;
  optim::Schedule schedule_;  // counts the steps
  Generator places_;
  Training training_;
  Sums sums_;  // of the interval so far
};

}  // namespace

double evaluate(const Language& language, const std::vector<Index>& text, Index batch_size,
                bool packed) {
  LanguageModel& model = *language.model;
  const NoGrad scope;
  model.eval();
  train::RunningMean mean;
  const auto add = [&](const auto& batch) {
    mean.add(loss_of(model, batch).item(), static_cast<double>(batch.targets.numel()));
  };
  if (packed) {
    const std::vector<Line> lines = cut_lines(language, text);
    if (lines.empty()) throw ValueError("lines: the text has no line behind its first");
    const auto step = static_cast<std::size_t>(batch_size);
    for (std::size_t i = 0; i < lines.size(); i += step) {
      const auto first = lines.begin() + static_cast<std::ptrdiff_t>(i);
      const auto count = static_cast<std::ptrdiff_t>(std::min(step, lines.size() - i));
      add(packed_lines(text, {first, first + count}));
    }
  } else {
    for (const Batch& batch : all_windows(text, batch_size, model.options.context)) add(batch);
  }
  return mean.mean();
}

Training train_language(Language& language, const std::vector<Index>& train,
                        const std::vector<Index>& validation, const TrainerOptions& options) {
  return Run(language, train, validation, options).train();
}

}  // namespace language_model
