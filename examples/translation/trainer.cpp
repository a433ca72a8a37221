#include "trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/cross_entropy.h"
#include "../../autograd/ops/index.h"
#include "../../autograd/ops/reduce.h"
#include "../../autograd/ops/shape.h"
#include "../../core/error.h"
#include "../../optim/adadelta.h"
#include "../../optim/adam.h"
#include "../../optim/clip.h"
#include "../../train/early_stopping.h"
#include "../../train/interrupt.h"
#include "../../train/progress.h"
#include "longest.h"
#include "training_state.h"

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

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

template <class Options>
std::vector<optim::ParameterGroup<Options>> groups_of(const Translator& model, Options options,
                                                      double weight_decay) {
  std::vector<Tensor> matrices, vectors;
  for (const Tensor& p : model.parameters()) (p.rank() > 1 ? matrices : vectors).push_back(p);
  options.weight_decay = 0;
  Options decayed = options;
  decayed.weight_decay = weight_decay;
  return {{matrices, decayed}, {vectors, options}};
}

std::unique_ptr<optim::Optimizer> optimizer_of(const Translator& model,
                                               const TrainerOptions& options) {
  if (options.adadelta) {
    const optim::AdadeltaOptions made{.lr = options.learning_rate, .rho = 0.95};
    return std::make_unique<optim::Adadelta>(groups_of(model, made, options.weight_decay));
  }
  const optim::AdamWOptions made{
      .lr = options.learning_rate, .betas = {0.9, 0.98}, .eps = 1e-9, .weight_decay = 0};
  return std::make_unique<optim::AdamW>(groups_of(model, made, options.weight_decay));
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

[[noreturn]] void refuse(const Setting& before) {
  throw heed::ValueError(
      fmt::format("resume: the run had {} pairs to train on, {} to validate, --batch {} and --seed "
                  "{}: it goes on with the same only",
                  before.pairs, before.validation, before.batch_tokens, before.seed));
}

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
    state_.sums.resize(3);
    const Setting setting = {static_cast<Index>(examples_.size()),
                             static_cast<Index>(judged_.size()), options.batch_tokens,
                             options.seed};
    if (options.resume) {
      state_ = restore_state(options.out, model_, *optimizer_);
      if (!(state_.setting == setting)) refuse(state_.setting);
    }
    state_.setting = setting;
  }

  Training train() {
    const heed::train::InterruptGuard guard;
    while (state_.epoch < options_.epochs && !tired()) {
      if (!run_epoch()) {
        training_.interrupted = true;
        keep(state_.figures.empty());
        break;
      }
      look();
    }
    if (!state_.figures.empty()) model_.load_state_dict(load(options_.out).model->state_dict());
    collect();
    return std::move(training_);
  }

 private:
  double& loss() { return state_.sums[0]; }
  double& words() { return state_.sums[1]; }
  double& seconds() { return state_.sums[2]; }

  void collect() {
    for (std::size_t i = 0; i < state_.figures.size(); i += TrainingState::kFigures) {
      const double* row = &state_.figures[i];
      training_.curve.push_back({row[0], row[1], row[2], row[3], row[4], row[5]});
    }
  }

  // BLEU of the epochs so far; true when they do not improve any more.
  bool tired() const {
    if (options_.patience == 0) return false;
    heed::train::EarlyStopping stopping(options_.patience);
    for (std::size_t i = 0; i < state_.figures.size(); i += TrainingState::kFigures) {
      stopping.update(state_.figures[i + 3]);
    }
    return stopping.should_stop();
  }

  bool stopped() const {
    return heed::train::interrupted() ||
           (options_.stop_after > 0 && state_.steps >= options_.stop_after);
  }

  void step(const Batch& batch, double done) {
    const double share = options_.own_words * done;
    const Rows before = share > 0 ? own_words(model_, batch, share) : batch.before;
    optimizer_->set_lr(rate_at(options_, state_.steps, done));
    optimizer_->zero_grad();
    const Tensor features = flatten(model_.features(batch.source, before), 0, 1);
    const Tensor cost = cross_entropy(model_.logits(index_select(features, 0, batch.places)),
                                      batch.targets, {.label_smoothing = options_.label_smoothing});
    cost.backward();
    optim::clip_grad_norm(model_.parameters(), options_.clip);
    optimizer_->step();
    const auto count = static_cast<double>(batch.targets.numel());
    loss() += cost.item() * count;
    words() += count;
  }

  // To the end of the epoch; false when it was stopped before.
  bool run_epoch() {
    model_.train();
    // Of its own, so that a run that goes on in the middle of an epoch meets the same batches.
    heed::Generator order(options_.seed * 1000003 + static_cast<std::uint64_t>(state_.epoch));
    const auto batches = batches_by_tokens(examples_, options_.batch_tokens, &order);
    const auto count = static_cast<Index>(batches.size());
    heed::train::Progress progress(fmt::format("epoch {}/{}", state_.epoch + 1, options_.epochs),
                                   count);
    double start = now();
    while (state_.batch < count) {
      if (stopped()) return false;
      const double part = static_cast<double>(state_.batch) / static_cast<double>(count);
      step(batch_of(examples_, batches[static_cast<std::size_t>(state_.batch)]),
           (static_cast<double>(state_.epoch) + part) / static_cast<double>(options_.epochs));
      ++state_.batch;
      ++state_.steps;
      seconds() += now() - start;
      start = now();
      if (options_.save_steps > 0 && state_.steps % options_.save_steps == 0) {
        keep(state_.figures.empty());
      }
      progress.update(state_.batch, loss() / words());
    }
    return true;
  }

  // At the validation pairs, with the mean of the last epochs' ends; keeps it if it is the best.
  void look() {
    state_.ends.push_back(weights_of(model_));
    if (static_cast<Index>(state_.ends.size()) > options_.average) {
      state_.ends.erase(state_.ends.begin());
    }
    const Weights last = state_.ends.back();
    if (state_.ends.size() > 1) put_weights(model_, mean_of(state_.ends));
    model_.eval();
    const double validation_loss = likelihood(model_, judged_, 4 * options_.batch_tokens).loss;
    const auto found = translate(language_, validation_.source, {.beam = 1});
    const double bleu = measure(best_texts(found), validation_).bleu;
    bool best = true;
    for (std::size_t i = 3; i < state_.figures.size(); i += TrainingState::kFigures) {
      best = best && bleu > state_.figures[i];
    }
    const double epoch = static_cast<double>(++state_.epoch);
    const double mean = loss() / words(), rate = words() / seconds();
    state_.figures.insert(state_.figures.end(),
                          {epoch, mean, validation_loss, bleu, seconds(), rate});
    fmt::print("epoch {}  train loss {:.4f}  validation loss {:.4f}  BLEU {:.2f}  {:.1f} s\n",
               state_.epoch, mean, validation_loss, bleu, seconds());
    std::fflush(stdout);
    std::fill(state_.sums.begin(), state_.sums.end(), 0);
    state_.batch = 0;
    // The folder gets what was judged, the state goes on with what was trained.
    io::DirectoryFiles files;
    const Weights judged = weights_of(model_);
    put_weights(model_, last);
    files.emplace_back(kStateFile, encode_state(state_, model_, *optimizer_));
    if (best) {
      put_weights(model_, judged);
      save(language_, options_.out, std::move(files));
      put_weights(model_, last);
    } else {
      io::save_directory(options_.out, files);
    }
  }

  // The run as it stands, and the model too where there is none yet.
  void keep(bool model_too) const {
    io::DirectoryFiles files = {{kStateFile, encode_state(state_, model_, *optimizer_)}};
    if (model_too) {
      save(language_, options_.out, std::move(files));
    } else {
      io::save_directory(options_.out, files);
    }
  }

  Language& language_;
  Translator& model_;
  std::vector<Example> examples_, judged_;
  const Part& validation_;
  const TrainerOptions& options_;
  std::unique_ptr<optim::Optimizer> optimizer_;
  TrainingState state_;
  Training training_;
};

}  // namespace

Training train_translator(Language& language, const Part& train, const Part& validation,
                          const TrainerOptions& options) {
  return Run(language, train, validation, options).train();
}

}  // namespace translation
