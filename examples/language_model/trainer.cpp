#include "trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/cross_entropy.h"
#include "../../autograd/ops/shape.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../io/safetensors.h"
#include "../../optim/adam.h"
#include "../../optim/clip.h"
#include "../../optim/schedule.h"
#include "../../train/interrupt.h"
#include "../../train/metrics.h"
#include "../../train/progress.h"
#include "windows.h"

namespace language_model {
namespace {

constexpr const char* kStateFile = "training.safetensors";

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

Tensor loss_of(const LanguageModel& model, const Batch& batch) {
  const Tensor logits = model(batch.inputs);
  return cross_entropy(reshape(logits, {-1, logits.size(2)}), reshape(batch.targets, {-1}));
}

std::vector<optim::ParameterGroup<optim::AdamWOptions>> groups_of(const LanguageModel& model,
                                                                  const TrainerOptions& options) {
  optim::AdamWOptions plain{.lr = options.learning_rate, .betas = {0.9, 0.99}, .weight_decay = 0};
  optim::AdamWOptions decayed = plain;
  decayed.weight_decay = options.weight_decay;
  std::vector<Tensor> matrices, vectors;
  for (const Tensor& p : model.parameters()) (p.rank() > 1 ? matrices : vectors).push_back(p);
  return {{matrices, decayed}, {vectors, plain}};
}

optim::Rate rate_of(const TrainerOptions& options) {
  const Index rest = std::max<Index>(options.steps - options.warm_up, 1);
  const optim::Rate fall = optim::rate::cosine(rest, options.learning_rate / 10);
  if (options.warm_up == 0) return fall;
  const double first = 1 / (static_cast<double>(options.warm_up) + 1);
  return optim::rate::sequential({optim::rate::linear(first, 1, options.warm_up), fall},
                                 {options.warm_up});
}

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
        adam_(groups_of(model_, options)),
        schedule_(adam_, rate_of(options)),
        places_(options.seed + 17) {
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
    restore_best();
    return std::move(training_);
  }

 private:
  bool stopped() const {
    return train::interrupted() ||
           (options_.stop_after > 0 && schedule_.steps() >= options_.stop_after &&
            schedule_.steps() < options_.steps);
  }

  // To the end of the interval; false when it was stopped before.
  bool run_interval() {
    model_.train();
    const Index done = schedule_.steps();
    const Index end = std::min((done / options_.interval + 1) * options_.interval, options_.steps);
    train::Progress progress(fmt::format("steps to {}/{}", end, options_.steps), end - done);
    double start = now();
    while (schedule_.steps() < end) {
      if (stopped()) return false;
      const Batch batch =
          random_windows(text_, options_.batch_size, model_.options.context, places_);
      adam_.zero_grad();
      const Tensor loss = loss_of(model_, batch);
      loss.backward();
      optim::clip_grad_norm(model_.parameters(), options_.clip);
      adam_.step();
      schedule_.step();
      loss_sum_ += loss.item();
      ++loss_count_;
      seconds_ += now() - start;
      start = now();
      progress.update(schedule_.steps() - done, loss_sum_ / loss_count_);
    }
    return true;
  }

  // At the validation text; keeps the model if it is the best so far.
  void look() {
    const double loss = evaluate(model_, validation_, 4 * options_.batch_size);
    bool best = true;
    for (const Figures& earlier : training_.curve) {
      best = best && (loss < earlier.validation_loss || std::isnan(earlier.validation_loss));
    }
    training_.curve.push_back(
        {static_cast<double>(schedule_.steps()), loss_sum_ / loss_count_, loss, seconds_});
    fmt::print("step {}  train loss {:.4f}  validation loss {:.4f}  {:.1f} s\n", schedule_.steps(),
               loss_sum_ / loss_count_, loss, seconds_);
    std::fflush(stdout);
    loss_sum_ = loss_count_ = seconds_ = 0;
    keep(best);
  }

  // The run as it stands, and the model where it is the best.
  void keep(bool best) const {
    if (best) {
      save(language_, options_.out, {{kStateFile, state()}});
    } else {
      io::save_directory(options_.out, {{kStateFile, state()}});
    }
  }

  // The last weights, the optimizer, the random streams and the figures so far.
  std::string state() const {
    io::NamedArrays arrays;
    for (const auto& [key, tensor] : model_.state_dict()) {
      arrays.emplace_back("model." + key, tensor.array());
    }
    for (const auto& [key, array] : adam_.state_dict())
      arrays.emplace_back("optimizer." + key, array);
    const auto places = places_.state();
    const auto dropout = default_generator().state();
    arrays.emplace_back("progress", Array::from<std::int64_t>(
                                        {schedule_.steps(), static_cast<std::int64_t>(places.seed),
                                         static_cast<std::int64_t>(places.offset),
                                         static_cast<std::int64_t>(dropout.seed),
                                         static_cast<std::int64_t>(dropout.offset)}));
    std::vector<double> figures;
    for (const Figures& row : training_.curve) {
      figures.insert(figures.end(), {row.step, row.train_loss, row.validation_loss, row.seconds});
    }
    arrays.emplace_back("figures",
                        Array::from(figures, {static_cast<Index>(training_.curve.size()), 4}));
    arrays.emplace_back("interval", Array::from<double>({loss_sum_, loss_count_, seconds_}));
    return io::encode_safetensors(arrays);
  }

  void restore() {
    const std::string path = options_.out + "/" + kStateFile;
    const auto file =
        io::decode_safetensors(io::read_from_directory(options_.out, kStateFile), path);
    nn::NamedTensors weights;
    io::NamedArrays optimizer;
    Array progress, figures, interval;
    for (const auto& [key, array] : file.arrays) {
      if (key.starts_with("model.")) weights.emplace_back(key.substr(6), Tensor(array));
      if (key.starts_with("optimizer.")) optimizer.emplace_back(key.substr(10), array);
      if (key == "progress") progress = array;
      if (key == "figures") figures = array;
      if (key == "interval") interval = array;
    }
    const auto need = [&](const char* what, const Array& array, DType dtype, Index rank,
                          Index last) {
      if (array.defined() && array.dtype() == dtype && array.rank() == rank &&
          array.size(-1) == last) {
        return;
      }
      throw FormatError(path, 0, fmt::format("'{}' is missing or of a wrong shape", what));
    };
    need("progress", progress, DType::i64, 1, 5);
    need("figures", figures, DType::f64, 2, 4);
    need("interval", interval, DType::f64, 1, 3);
    try {
      model_.load_state_dict(weights);
      adam_.load_state_dict(optimizer);
    } catch (const Error& error) {
      throw FormatError(path, 0, error.what());
    }
    const auto* numbers = progress.data<std::int64_t>();
    if (numbers[0] < 0 || numbers[0] > options_.steps) {
      throw ValueError(fmt::format("resume: the run has {} steps already, more than --steps {}",
                                   numbers[0], options_.steps));
    }
    for (std::int64_t i = 0; i < numbers[0]; ++i) schedule_.step();
    const auto bits = [&](int i) { return static_cast<std::uint64_t>(numbers[i]); };
    places_.set_state({bits(1), bits(2)});
    default_generator().set_state({bits(3), bits(4)});
    const double* row = figures.data<double>();
    for (Index i = 0; i < figures.size(0); ++i, row += 4) {
      training_.curve.push_back({row[0], row[1], row[2], row[3]});
    }
    const double* so_far = interval.data<double>();
    loss_sum_ = so_far[0];
    loss_count_ = so_far[1];
    seconds_ = so_far[2];
  }

  // The weights on disk are those of the best look.
  void restore_best() { model_.load_state_dict(load(options_.out).model->state_dict()); }

  Language& language_;
  LanguageModel& model_;
  const std::vector<Index>&text_, &validation_;
  const TrainerOptions& options_;
  optim::AdamW adam_;
  optim::Schedule schedule_;  // counts the steps
  Generator places_;
  Training training_;
  double loss_sum_ = 0, loss_count_ = 0, seconds_ = 0;  // of the interval so far
};

}  // namespace

double evaluate(LanguageModel& model, const std::vector<Index>& text, Index batch_size) {
  const NoGrad scope;
  model.eval();
  train::RunningMean mean;
  for (const Batch& batch : all_windows(text, batch_size, model.options.context)) {
    mean.add(loss_of(model, batch).item(), static_cast<double>(batch.targets.numel()));
  }
  return mean.mean();
}

Training train_language(Language& language, const std::vector<Index>& train,
                        const std::vector<Index>& validation, const TrainerOptions& options) {
  return Run(language, train, validation, options).train();
}

}  // namespace language_model
