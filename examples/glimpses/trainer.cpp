#include "trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../autograd/ops/arrange.h"
#include "../../autograd/ops/compare.h"
#include "../../autograd/ops/cross_entropy.h"
#include "../../autograd/ops/elementwise.h"
#include "../../autograd/ops/reduce.h"
#include "../../autograd/stochastic/baselines.h"
#include "../../core/error.h"
#include "../../io/training_state.h"
#include "../../optim/adam.h"
#include "../../optim/clip.h"
#include "../../optim/schedule.h"
#include "../../train/interrupt.h"
#include "../../train/percent.h"
#include "../../train/progress.h"
#include "../training_run.h"
#include "evaluation.h"

namespace glimpses {
namespace {

struct Sums {
  double loss = 0, error = 0, seen = 0, seconds = 0;
};

// One training run: what changes from step to step.
class Run {
 public:
  Run(GlimpseModel& model, const Digits& train, const Digits& validation,
      const TrainerOptions& options)
      : model_(model),
        digits_(train),
        validation_(validation),
        options_(options),
        steps_((train.count() + options.batch_size - 1) / options.batch_size),
        adam_(model.parameters(), {.lr = options.learning_rate}),
        schedule_(adam_, optim::rate::cosine(steps_ * options.epochs, options.learning_rate / 100)),
        places_(options.seed + 17) {
    if (options.resume) restore();
  }

  Training train() {
    const train::InterruptGuard guard;
    while (schedule_.steps() < steps_ * options_.epochs && !training_.interrupted) {
      if (!run_epoch()) {
        training_.interrupted = true;
        keep(training_.curve.empty());
      } else {
        look();
      }
    }
    model_.load_state_dict(load(options_.out)->state_dict());  // that of the best look
    return std::move(training_);
  }

 private:
  bool stopped() const {
    return train::interrupted() ||
           (options_.stop_after > 0 && schedule_.steps() >= options_.stop_after);
  }

  // To the end of the epoch; false when it was stopped before.
  bool run_epoch() {
    model_.train();
    const Index epoch = schedule_.steps() / steps_, end = (epoch + 1) * steps_;
    // The order follows from seed and epoch alone, so that a run can be resumed within it.
    const std::vector<Index> order =
        Generator(options_.seed + 1000003 * static_cast<std::uint64_t>(epoch + 1))
            .permutation(digits_.count());
    const Index first = schedule_.steps();
    train::Progress progress(fmt::format("epoch {}/{}", epoch + 1, options_.epochs), end - first);
    training_run::Stopwatch watch;
    while (schedule_.steps() < end) {
      if (stopped()) return false;
      const Index from = (schedule_.steps() - epoch * steps_) * options_.batch_size;
      const Index to = std::min(from + options_.batch_size, digits_.count());
      step({order.begin() + from, order.begin() + to});
      sums_.seconds += watch.lap();
      progress.update(schedule_.steps() - first, sums_.loss / sums_.seen);
    }
    return true;
  }

  void step(const std::vector<Index>& which) {
    const Batch batch = batch_of(digits_, which, model_.options.size, places_);
    const Losses losses =
        losses_of(model_(batch.images, options_.runs), batch.labels, options_.runs, options_.every);
    adam_.zero_grad();
    losses.total.backward();
    optim::clip_grad_norm(model_.parameters(), options_.clip);
    adam_.step();
    schedule_.step();
    const auto count = static_cast<double>(which.size());
    sums_.loss += losses.classes * count;
    sums_.error += losses.error * count;
    sums_.seen += count;
  }

  // At the validation digits; keeps the model if it is the best so far.
  void look() {
    const double error =
        1 - evaluate(model_, validation_, {.runs = options_.validation_runs}).accuracy();
    bool best = true;
    for (const Figures& earlier : training_.curve) {
      best = best && error < earlier.validation_error;
    }
    const double epoch = static_cast<double>(schedule_.steps() / steps_);
    const Figures row{epoch, sums_.loss / sums_.seen, sums_.error / sums_.seen, error,
                      sums_.seconds};
    training_.curve.push_back(row);
    fmt::print(
        "epoch {}  train loss {:.4f}  train error {} %  validation error {} %  "
        "{:.1f} s\n",
        epoch, row.train_loss, train::percent(row.train_error, 2), train::percent(error, 2),
        row.seconds);
    std::fflush(stdout);
    sums_ = {};
    keep(best);
  }

  // The run as it stands, and the model where it is the best.
  void keep(bool best) const { io::save_training(options_.out, state(), files_of(model_), best); }

  std::string state() const {
    io::TrainingState state(model_, adam_);
    state.put("steps", schedule_.steps());
    state.put("steps_an_epoch", steps_);
    state.put("places", places_);
    state.put("figures", training_.curve);
    state.put("epoch", sums_);
    return state.encode();
  }

  void restore() {
    const auto state = io::TrainingState::read(options_.out);
    const Index steps = state.count("steps"), an_epoch = state.count("steps_an_epoch", 1);
    if (steps > steps_ * options_.epochs || an_epoch != steps_) {
      throw ValueError(
          fmt::format("resume: the run has {} steps of {} an epoch; --epochs, --batch and the "
                      "digits give {} of {}",
                      steps, an_epoch, steps_ * options_.epochs, steps_));
    }
    state.get("places", places_);
    state.get("figures", training_.curve);
    state.get("epoch", sums_);
    state.restore(model_, adam_);
    while (schedule_.steps() < steps) schedule_.step();
  }

  GlimpseModel& model_;
  const Digits &digits_, &validation_;
  const TrainerOptions& options_;
  const Index steps_;  // an epoch
  optim::Adam adam_;
  optim::Schedule schedule_;  // counts the steps
  Generator places_;          // of digits in larger images
  Training training_;
  Sums sums_;  // of the epoch so far
};

}  // namespace

Losses losses_of(const Episode& episode, const Tensor& labels, Index runs, double every) {
  const Tensor classes = repeat_interleave(labels, runs, 0);
  Tensor loss = cross_entropy(episode.logits.back(), classes);
  const double nats = loss.item();
  const std::size_t earlier = episode.logits.size() - 1;
  for (std::size_t t = 0; every > 0 && t < earlier; ++t) {
    loss =
        loss + cross_entropy(episode.logits[t], classes) * (every / static_cast<double>(earlier));
  }
  const Tensor right = argmax(episode.logits.back(), -1) == classes;
  const Tensor reward = right.array().to(loss.dtype());
  Samples samples = episode.samples;
  samples.add_reward(reward);
  loss = loss + samples.surrogate(episode.baselines);
  for (std::size_t t = 0; t < episode.baselines.size(); ++t) {
    loss = loss + 0.5 * baseline_loss(episode.baselines[t], -reward);
  }
  return {loss, nats, 1 - mean(reward).item()};
}

Training train_model(GlimpseModel& model, const Digits& train, const Digits& validation,
                     const TrainerOptions& options) {
  return Run(model, train, validation, options).train();
}

}  // namespace glimpses
