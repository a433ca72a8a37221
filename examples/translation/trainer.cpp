#include "trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/cross_entropy.h"
#include "../../autograd/ops/index.h"
#include "../../autograd/ops/reduce.h"
#include "../../autograd/ops/shape.h"
#include "../../core/error.h"
#include "../../io/training_state.h"
#include "../../optim/adadelta.h"
#include "../../optim/adam.h"
#include "../../optim/clip.h"
#include "../../train/early_stopping.h"
#include "../../train/interrupt.h"
#include "../../train/progress.h"
#include "../training_run.h"
#include "averages.h"
#include "longest.h"

namespace translation {

namespace io = heed::io;
namespace optim = heed::optim;

Fall fall_of(const std::string& name) {
  if (name == "none") return Fall::none;
  if (name == "inverse-root") return Fall::inverse_root;
  if (name == "cosine") return Fall::cosine;
  throw heed::ValueError("fall: '" + name + "' is none of none, inverse-root, cosine");
}

namespace {

std::unique_ptr<optim::Optimizer> optimizer_of(const Translator& model,
                                               const TrainerOptions& options) {
  using training_run::decaying_matrices;
  if (options.adadelta) {
    const optim::AdadeltaOptions made{
        .lr = options.learning_rate, .rho = 0.95, .weight_decay = options.weight_decay};
    return std::make_unique<optim::Adadelta>(decaying_matrices(model.parameters(), made));
  }
  const optim::AdamWOptions made{.lr = options.learning_rate,
                                 .betas = {0.9, 0.98},
                                 .eps = 1e-9,
                                 .weight_decay = options.weight_decay};
  return std::make_unique<optim::AdamW>(decaying_matrices(model.parameters(), made));
}

// The rate at a step, `done` of the whole training, 0 to 1.
double rate_at(const TrainerOptions& options, Index step, double done) {
  const auto n = static_cast<double>(step + 1), warm = static_cast<double>(options.warm_up);
  double rate = options.learning_rate;
  if (n < warm) rate *= n / warm;
  if (options.fall == Fall::inverse_root && n > warm && warm > 0) rate *= std::sqrt(warm / n);
  if (options.fall == Fall::cosine) {
    rate *= 0.01 + 0.99 * (1 + std::cos(std::numbers::pi * done)) / 2;
  }
  return rate;
}

// Puts the model's own words, each with probability `share`, in the places of those before.
Rows own_words(const Translator& model, const Batch& batch, double share) {
  const heed::NoGrad scope;
  const Tensor features = flatten(model.features(batch.source, batch.before), 0, 1);
  const Tensor logits = model.logits(index_select(features, 0, batch.places));
  const auto own = argmax(logits, -1).array().to_vector<std::int64_t>();
  const auto places = batch.places.array().to_vector<std::int64_t>();
  const auto draws = heed::default_generator()
                         .bernoulli({static_cast<Index>(own.size())}, share)
                         .to_vector<bool>();
  heed::Array ids = batch.before.ids.array().clone();
  const Index T = ids.size(1);
  auto* id = ids.mutable_data<std::int64_t>();
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    const bool same_row = places[i + 1] / T == places[i] / T;
    if (draws[i] && same_row) id[places[i] + 1] = own[i];
  }
  return {Tensor(ids), batch.before.lengths};
}

struct Sums {
  double loss = 0, words = 0, seconds = 0;
};

// One training run: what changes from step to step.
class Run {
 public:
  Run(Language& language, const Part& train, const Part& validation, const TrainerOptions& options)
      : language_(language),
        model_(*language.model),
        examples_(encode(language, train)),
        judged_(encode(language, validation)),
        validation_(validation),
        options_(options),
        optimizer_(optimizer_of(model_, options)) {
    if (has_places(model_.options)) {  // now, not after hours
      for (const auto* examples : {&examples_, &judged_}) {
        for (const Example& pair : *examples) {
          check_longest(model_.options, static_cast<Index>(pair.source.size()));
          check_longest(model_.options, static_cast<Index>(pair.target.size()) + 1);
        }
      }
    }
    if (options.resume) restore();
  }

  Training train() {
    const heed::train::InterruptGuard guard;
    while (epoch_ < options_.epochs && !tired()) {
      if (!run_epoch()) {
        training_.interrupted = true;
        keep(training_.curve.empty());
        break;
      }
      look();
    }
    if (!training_.curve.empty()) model_.load_state_dict(load(options_.out).model->state_dict());
    return std::move(training_);
  }

 private:
  // BLEU of the epochs so far; true when they do not improve any more.
  bool tired() const {
    if (options_.patience == 0) return false;
    heed::train::EarlyStopping stopping(options_.patience);
    for (const Figures& row : training_.curve) stopping.update(row.bleu);
    return stopping.should_stop();
  }

  bool stopped() const {
    return heed::train::interrupted() || (options_.stop_after > 0 && steps_ >= options_.stop_after);
  }

  void step(const Batch& batch, double done) {
    const double share = options_.own_words * done;
    const Rows before = share > 0 ? own_words(model_, batch, share) : batch.before;
    optimizer_->set_lr(rate_at(options_, steps_, done));
    optimizer_->zero_grad();
    const Tensor features = flatten(model_.features(batch.source, before), 0, 1);
    const Tensor cost = cross_entropy(model_.logits(index_select(features, 0, batch.places)),
                                      batch.targets, {.label_smoothing = options_.label_smoothing});
    cost.backward();
    optim::clip_grad_norm(model_.parameters(), options_.clip);
    optimizer_->step();
    const auto count = static_cast<double>(batch.targets.numel());
    sums_.loss += cost.item() * count;
    sums_.words += count;
  }

  // To the end of the epoch; false when it was stopped before.
  bool run_epoch() {
    model_.train();
    // Of its own, so that a run that goes on in the middle of an epoch meets the same batches.
    heed::Generator order(options_.seed * 1000003 + static_cast<std::uint64_t>(epoch_));
    const auto batches = batches_by_tokens(examples_, options_.batch_tokens, &order);
    const auto count = static_cast<Index>(batches.size());
    heed::train::Progress progress(fmt::format("epoch {}/{}", epoch_ + 1, options_.epochs), count);
    training_run::Stopwatch watch;
    while (batch_ < count) {
      if (stopped()) return false;
      const double part = static_cast<double>(batch_) / static_cast<double>(count);
      step(batch_of(examples_, batches[static_cast<std::size_t>(batch_)]),
           (static_cast<double>(epoch_) + part) / static_cast<double>(options_.epochs));
      ++batch_;
      ++steps_;
      sums_.seconds += watch.lap();
      if (options_.save_steps > 0 && steps_ % options_.save_steps == 0) {
        keep(training_.curve.empty());
      }
      progress.update(batch_, sums_.loss / sums_.words);
    }
    return true;
  }

  // At the validation pairs, with the mean of the last epochs' ends; keeps it if it is the best.
  void look() {
    ends_.push_back(weights_of(model_));
    if (static_cast<Index>(ends_.size()) > options_.average) ends_.erase(ends_.begin());
    const Weights last = ends_.back();
    if (ends_.size() > 1) model_.load_state_dict(mean_of(ends_));
    model_.eval();
    const double validation_loss = likelihood(model_, judged_, 4 * options_.batch_tokens).loss;
    const auto found = translate(language_, validation_.source, {.beam = 1});
    const double bleu = measure(best_texts(found), validation_).bleu;
    bool best = true;
    for (const Figures& row : training_.curve) best = best && bleu > row.bleu;
    const double mean = sums_.loss / sums_.words;
    training_.curve.push_back({static_cast<double>(++epoch_), mean, validation_loss, bleu,
                               sums_.seconds, sums_.words / sums_.seconds});
    fmt::print("epoch {}  train loss {:.4f}  validation loss {:.4f}  BLEU {:.2f}  {:.1f} s\n",
               epoch_, mean, validation_loss, bleu, sums_.seconds);
    std::fflush(stdout);
    sums_ = {};
    batch_ = 0;
    // The folder gets what was judged, the state goes on with what was trained.
    io::DirectoryFiles judged = files_of(language_);
    model_.load_state_dict(last);
    io::save_training(options_.out, state(), std::move(judged), best);
  }

  // The run as it stands, and the model too where there is none yet.
  void keep(bool model_too) const {
    io::save_training(options_.out, state(), files_of(language_), model_too);
  }

  // What a run that goes on must have in common with the one it goes on from.
  std::string setting() const {
    return fmt::format(
        "{} pairs to train on, {} to validate, --batch {}, --seed {} and --optimizer {}",
        examples_.size(), judged_.size(), options_.batch_tokens, options_.seed,
        options_.adadelta ? "adadelta" : "adam");
  }

  std::string state() const {
    io::TrainingState state(model_, *optimizer_);
    state.put("setting", setting());
    state.put("epoch", epoch_);
    state.put("batch", batch_);
    state.put("steps", steps_);
    for (std::size_t i = 0; i < ends_.size(); ++i) state.put(fmt::format("end.{}", i), ends_[i]);
    state.put("sums", sums_);
    state.put("figures", training_.curve);
    return state.encode();
  }

  void restore() {
    const auto state = io::TrainingState::read(options_.out);
    if (const std::string& before = state.text("setting"); before != setting()) {
      throw heed::ValueError(
          fmt::format("resume: the run had {}: it goes on with the same only", before));
    }
    epoch_ = state.count("epoch");
    batch_ = state.count("batch");
    steps_ = state.count("steps");
    for (;;) {
      const std::string name = fmt::format("end.{}", ends_.size());
      const Weights end = state.tensors(name);
      if (end.empty()) break;
      if (!alike(end, model_.state_dict())) state.refuse(name + " does not fit the model");
      ends_.push_back(end);
    }
    state.get("sums", sums_);
    state.get("figures", training_.curve);
    state.restore(model_, *optimizer_);
  }

  Language& language_;
  Translator& model_;
  std::vector<Example> examples_, judged_;
  const Part& validation_;
  const TrainerOptions& options_;
  std::unique_ptr<optim::Optimizer> optimizer_;
  Index epoch_ = 0;            // epochs that are through
  Index batch_ = 0;            // batches of the next that are
  Index steps_ = 0;            // in all
  std::vector<Weights> ends_;  // of the last epochs, to be averaged
  Sums sums_;                  // of the epoch so far
  Training training_;
};

}  // namespace

Training train_translator(Language& language, const Part& train, const Part& validation,
                          const TrainerOptions& options) {
  return Run(language, train, validation, options).train();
}

}  // namespace translation
