#include "trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../io/training_state.h"
#include "../../optim/adam.h"
#include "../../optim/clip.h"
#include "../../optim/schedule.h"
#include "../../train/interrupt.h"
#include "../../train/progress.h"
#include "../training_run.h"
#include "caption_loss.h"

namespace captioning {

using heed::DType;
using heed::ValueError;
namespace io = heed::io;
namespace optim = heed::optim;
namespace train = heed::train;

namespace {

struct Sums {
  double loss = 0, words = 0, seconds = 0;
};

// One training run: what changes from step to step.
class Run {
 public:
  Run(Describer& describer, const Corpus& corpus, const TrainerOptions& options)
      : describer_(describer),
        model_(*describer.model),
        corpus_(corpus),
        options_(options),
        adam_(model_.parameters(), optim::AdamOptions{.lr = options.learning_rate}),
        schedule_(adam_, training_run::warm_up_and_cosine(options.learning_rate, options.steps,
                                                          options.warm_up)),
        rows_(options.seed + 17) {
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
      const Batch batch = next_batch();
      const CaptionLoss loss = caption_loss(
          model_, batch, {options_.lambda, options_.lambda_r, options_.lambda_e, options_.draws},
          options_.decay, baselines_);
      loss.total.backward();
      optim::clip_grad_norm(model_.parameters(), options_.clip);
      adam_.step();
      schedule_.step();
      sums_.loss += loss.words * static_cast<double>(batch.images.size(0));
      sums_.words += static_cast<double>(loss.count);
      sums_.seconds += watch.lap();
      progress.update(schedule_.steps() - done, sums_.loss / sums_.words);
    }
    return true;
  }

  Batch next_batch() {
    std::vector<Index> rows(static_cast<std::size_t>(options_.batch_size));
    for (Index& row : rows) row = rows_.below(static_cast<Index>(corpus_.train.size()));
    return batch_of(corpus_.train, rows, describer_.vocabulary);
  }

  // At the validation scenes; keeps the model if it is the best so far.
  void look() {
    const Measures measures = measure(describer_, corpus_.validation);
    bool best = true;
    for (const Figures& earlier : training_.curve) {
      best = best && (measures.exact > earlier.exact ||
                      (measures.exact == earlier.exact && measures.loss < earlier.loss));
    }
    const double train_loss = sums_.loss / sums_.words;
    training_.curve.push_back({static_cast<double>(schedule_.steps()), train_loss, measures.loss,
                               measures.exact, measures.pointing, sums_.seconds});
    fmt::print(
        "step {}  train loss {:.4f}  validation loss {:.4f}  exact {:.3f}  pointing {:.3f}  "
        "{:.1f} s\n",
        schedule_.steps(), train_loss, measures.loss, measures.exact, measures.pointing,
        sums_.seconds);
    std::fflush(stdout);
    sums_ = {};
    keep(best);
  }

  // The run as it stands, and the model where it is the best.
  void keep(bool best) const {
    io::save_training(options_.out, state(), files_of(describer_), best);
  }

  std::string state() const {
    io::TrainingState state(model_, adam_);
    state.put("steps", schedule_.steps());
    state.put("rows", rows_);
    state.put("figures", training_.curve);
    state.put("interval", sums_);
    std::vector<double> baselines;
    for (const auto& each : baselines_) baselines.push_back(each.value(DType::f64).item());
    state.put("baselines", baselines);
    return state.encode();
  }

  void restore() {
    const auto state = io::TrainingState::read(options_.out);
    const Index steps = state.count("steps");
    if (steps > options_.steps) {
      throw ValueError(fmt::format("resume: the run has {} steps already, more than --steps {}",
                                   steps, options_.steps));
    }
    state.get("rows", rows_);
    state.get("figures", training_.curve);
    state.get("interval", sums_);
    std::vector<double> baselines;
    state.get("baselines", baselines);
    for (const double value : baselines) {
      if (std::isnan(value)) state.refuse("a baseline is no number");
      baselines_.emplace_back(options_.decay);
      baselines_.back().update(heed::tensor(value, DType::f64));
    }
    state.restore(model_, adam_);
    while (schedule_.steps() < steps) schedule_.step();
  }

  Describer& describer_;
  Captioner& model_;
  const Corpus& corpus_;
  const TrainerOptions& options_;
  optim::Adam adam_;
  optim::Schedule schedule_;  // counts the steps
  Generator rows_;
  std::vector<heed::MovingAverage> baselines_;
  Training training_;
  Sums sums_;  // of the interval so far
};

}  // namespace

Training train_describer(Describer& describer, const Corpus& corpus,
                         const TrainerOptions& options) {
  return Run(describer, corpus, options).train();
}

}  // namespace captioning
