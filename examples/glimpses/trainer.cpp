#include "trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "../../autograd/ops/arrange.h"
#include "../../autograd/ops/compare.h"
#include "../../autograd/ops/cross_entropy.h"
#include "../../autograd/ops/elementwise.h"
#include "../../autograd/ops/reduce.h"
#include "../../autograd/stochastic/baselines.h"
#include "../../core/error.h"
#include "../../io/safetensors.h"
#include "../../optim/adam.h"
#include "../../optim/clip.h"
#include "../../optim/schedule.h"
#include "../../train/interrupt.h"
#include "../../train/progress.h"
#include "evaluation.h"

namespace glimpses {
namespace {

constexpr const char* kStateFile = "training.safetensors";
constexpr Index kColumns = 5;  // of Figures

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

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
           (options_.stop_after > 0 && schedule_.steps() >= options_.stop_after &&
            schedule_.steps() < steps_ * options_.epochs);
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
    double start = now();
    while (schedule_.steps() < end) {
      if (stopped()) return false;
      const Index from = (schedule_.steps() - epoch * steps_) * options_.batch_size;
      const Index to = std::min(from + options_.batch_size, digits_.count());
      step({order.begin() + from, order.begin() + to});
      seconds_ += now() - start;
      start = now();
      progress.update(schedule_.steps() - first, loss_sum_ / seen_);
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
    loss_sum_ += losses.classes * count;
    error_sum_ += losses.error * count;
    seen_ += count;
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
    const Figures row{epoch, loss_sum_ / seen_, error_sum_ / seen_, error, seconds_};
    training_.curve.push_back(row);
    fmt::print(
        "epoch {}  train loss {:.4f}  train error {:.2f} %  validation error {:.2f} %  "
        "{:.1f} s\n",
        epoch, row.train_loss, 100 * row.train_error, 100 * error, seconds_);
    std::fflush(stdout);
    loss_sum_ = error_sum_ = seen_ = seconds_ = 0;
    keep(best);
  }

  // The run as it stands, and the model where it is the best.
  void keep(bool best) const {
    if (best) {
      save(model_, options_.out, {{kStateFile, state()}});
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
    const auto places = places_.state(), glimpses = default_generator().state();
    arrays.emplace_back(
        "progress",
        Array::from<std::int64_t>(
            {schedule_.steps(), steps_, static_cast<std::int64_t>(places.seed),
             static_cast<std::int64_t>(places.offset), static_cast<std::int64_t>(glimpses.seed),
             static_cast<std::int64_t>(glimpses.offset)}));
    std::vector<double> figures;
    for (const Figures& row : training_.curve) {
      figures.insert(figures.end(), {row.epoch, row.train_loss, row.train_error,
                                     row.validation_error, row.seconds});
    }
    arrays.emplace_back(
        "figures", Array::from(figures, {static_cast<Index>(training_.curve.size()), kColumns}));
    arrays.emplace_back("epoch", Array::from<double>({loss_sum_, error_sum_, seen_, seconds_}));
    return io::encode_safetensors(arrays);
  }

  void restore() {
    const std::string path = options_.out + "/" + kStateFile;
    const auto file =
        io::decode_safetensors(io::read_from_directory(options_.out, kStateFile), path);
    nn::NamedTensors weights;
    io::NamedArrays optimizer;
    Array progress, figures, epoch;
    for (const auto& [key, array] : file.arrays) {
      if (key.starts_with("model.")) weights.emplace_back(key.substr(6), Tensor(array));
      if (key.starts_with("optimizer.")) optimizer.emplace_back(key.substr(10), array);
      if (key == "progress") progress = array;
      if (key == "figures") figures = array;
      if (key == "epoch") epoch = array;
    }
    const auto need = [&](const char* what, const Array& array, DType dtype, Index rank,
                          Index last) {
      if (array.defined() && array.dtype() == dtype && array.rank() == rank &&
          array.size(-1) == last) {
        return;
      }
      throw FormatError(path, 0, fmt::format("'{}' is missing or of a wrong shape", what));
    };
    need("progress", progress, DType::i64, 1, 6);
    need("figures", figures, DType::f64, 2, kColumns);
    need("epoch", epoch, DType::f64, 1, 4);
    try {
      model_.load_state_dict(weights);
      adam_.load_state_dict(optimizer);
    } catch (const Error& error) {
      throw FormatError(path, 0, error.what());
    }
    const auto* numbers = progress.data<std::int64_t>();
    if (numbers[0] < 0 || numbers[0] > steps_ * options_.epochs || numbers[1] != steps_) {
      throw ValueError(
          fmt::format("resume: the run has {} steps of {} an epoch; --epochs, --batch and the "
                      "digits give {} of {}",
                      numbers[0], numbers[1], steps_ * options_.epochs, steps_));
    }
    for (std::int64_t i = 0; i < numbers[0]; ++i) schedule_.step();
    const auto bits = [&](int i) { return static_cast<std::uint64_t>(numbers[i]); };
    places_.set_state({bits(2), bits(3)});
    default_generator().set_state({bits(4), bits(5)});
    const double* row = figures.data<double>();
    for (Index i = 0; i < figures.size(0); ++i, row += kColumns) {
      training_.curve.push_back({row[0], row[1], row[2], row[3], row[4]});
    }
    const double* so_far = epoch.data<double>();
    loss_sum_ = so_far[0];
    error_sum_ = so_far[1];
    seen_ = so_far[2];
    seconds_ = so_far[3];
  }

  GlimpseModel& model_;
  const Digits &digits_, &validation_;
  const TrainerOptions& options_;
  const Index steps_;  // an epoch
  optim::Adam adam_;
  optim::Schedule schedule_;  // counts the steps
  Generator places_;          // of digits in larger images
  Training training_;
  double loss_sum_ = 0, error_sum_ = 0, seen_ = 0, seconds_ = 0;  // of the epoch so far
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
