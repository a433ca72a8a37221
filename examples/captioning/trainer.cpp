#include "trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../io/safetensors.h"
#include "../../optim/adam.h"
#include "../../optim/clip.h"
#include "../../optim/schedule.h"
#include "../../train/interrupt.h"
#include "../../train/progress.h"
#include "caption_loss.h"

namespace captioning {

using heed::Array;
using heed::DType;
using heed::FormatError;
using heed::ValueError;
namespace io = heed::io;
namespace optim = heed::optim;
namespace train = heed::train;

namespace {

constexpr const char* kStateFile = "training.safetensors";

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
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
  Run(Describer& describer, const Corpus& corpus, const TrainerOptions& options)
      : describer_(describer),
        model_(*describer.model),
        corpus_(corpus),
        options_(options),
        adam_(model_.parameters(), optim::AdamOptions{.lr = options.learning_rate}),
        schedule_(adam_, rate_of(options)),
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
    model_.load_state_dict(load(options_.out).model->state_dict());
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
      adam_.zero_grad();
      const Batch batch = next_batch();
      const CaptionLoss loss = caption_loss(
          model_, batch, {options_.lambda, options_.lambda_r, options_.lambda_e, options_.draws},
          options_.decay, baselines_);
      loss.total.backward();
      optim::clip_grad_norm(model_.parameters(), options_.clip);
      adam_.step();
      schedule_.step();
      loss_sum_ += loss.words * static_cast<double>(batch.images.size(0));
      words_ += static_cast<double>(loss.count);
      seconds_ += now() - start;
      start = now();
      progress.update(schedule_.steps() - done, loss_sum_ / words_);
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
    training_.curve.push_back({static_cast<double>(schedule_.steps()), loss_sum_ / words_,
                               measures.loss, measures.exact, measures.pointing, seconds_});
    fmt::print(
        "step {}  train loss {:.4f}  validation loss {:.4f}  exact {:.3f}  pointing {:.3f}  "
        "{:.1f} s\n",
        schedule_.steps(), loss_sum_ / words_, measures.loss, measures.exact, measures.pointing,
        seconds_);
    std::fflush(stdout);
    loss_sum_ = words_ = seconds_ = 0;
    keep(best);
  }

  // The run as it stands, and the model where it is the best.
  void keep(bool best) const {
    if (best) {
      save(describer_, options_.out, {{kStateFile, state()}});
    } else {
      io::save_directory(options_.out, {{kStateFile, state()}});
    }
  }

  // The last weights, the optimizer, the random streams, the baselines and the figures so far.
  std::string state() const {
    io::NamedArrays arrays;
    for (const auto& [key, tensor] : model_.state_dict()) {
      arrays.emplace_back("model." + key, tensor.array());
    }
    for (const auto& [key, array] : adam_.state_dict()) {
      arrays.emplace_back("optimizer." + key, array);
    }
    const auto rows = rows_.state(), looks = heed::default_generator().state();
    arrays.emplace_back("progress", Array::from<std::int64_t>(
                                        {schedule_.steps(), static_cast<std::int64_t>(rows.seed),
                                         static_cast<std::int64_t>(rows.offset),
                                         static_cast<std::int64_t>(looks.seed),
                                         static_cast<std::int64_t>(looks.offset)}));
    std::vector<double> figures, baselines;
    for (const Figures& row : training_.curve) {
      figures.insert(figures.end(),
                     {row.step, row.train_loss, row.loss, row.exact, row.pointing, row.seconds});
    }
    for (const auto& each : baselines_) baselines.push_back(each.value(DType::f64).item());
    arrays.emplace_back("figures",
                        Array::from(figures, {static_cast<Index>(training_.curve.size()), 6}));
    arrays.emplace_back("baselines",
                        Array::from(baselines, {1, static_cast<Index>(baselines.size())}));
    arrays.emplace_back("interval", Array::from<double>({loss_sum_, words_, seconds_}));
    return io::encode_safetensors(arrays);
  }

  void restore() {
    const std::string path = options_.out + "/" + kStateFile;
    const auto file =
        io::decode_safetensors(io::read_from_directory(options_.out, kStateFile), path);
    nn::NamedTensors weights;
    io::NamedArrays optimizer;
    Array progress, figures, baselines, interval;
    for (const auto& [key, array] : file.arrays) {
      if (key.starts_with("model.")) weights.emplace_back(key.substr(6), Tensor(array));
      if (key.starts_with("optimizer.")) optimizer.emplace_back(key.substr(10), array);
      if (key == "progress") progress = array;
      if (key == "figures") figures = array;
      if (key == "baselines") baselines = array;
      if (key == "interval") interval = array;
    }
    const auto need = [&](const char* what, const Array& array, DType dtype, Index rank,
                          Index last) {
      if (array.defined() && array.dtype() == dtype && array.rank() == rank &&
          (last < 0 || array.size(-1) == last)) {
        return;
      }
      throw FormatError(path, 0, fmt::format("'{}' is missing or of a wrong shape", what));
    };
    need("progress", progress, DType::i64, 1, 5);
    need("figures", figures, DType::f64, 2, 6);
    need("baselines", baselines, DType::f64, 2, -1);
    need("interval", interval, DType::f64, 1, 3);
    try {
      model_.load_state_dict(weights);
      adam_.load_state_dict(optimizer);
    } catch (const heed::Error& error) {
      throw FormatError(path, 0, error.what());
    }
    const auto* numbers = progress.data<std::int64_t>();
    if (numbers[0] < 0 || numbers[0] > options_.steps) {
      throw ValueError(fmt::format("resume: the run has {} steps already, more than --steps {}",
                                   numbers[0], options_.steps));
    }
    for (std::int64_t i = 0; i < numbers[0]; ++i) schedule_.step();
    const auto bits = [&](int i) { return static_cast<std::uint64_t>(numbers[i]); };
    rows_.set_state({bits(1), bits(2)});
    heed::default_generator().set_state({bits(3), bits(4)});
    const double* row = figures.data<double>();
    for (Index i = 0; i < figures.size(0); ++i, row += 6) {
      training_.curve.push_back({row[0], row[1], row[2], row[3], row[4], row[5]});
    }
    for (const double value : baselines.to_vector<double>()) {
      baselines_.emplace_back(options_.decay);
      baselines_.back().update(heed::tensor(value, DType::f64));
    }
    const double* so_far = interval.data<double>();
    loss_sum_ = so_far[0];
    words_ = so_far[1];
    seconds_ = so_far[2];
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
  double loss_sum_ = 0, words_ = 0, seconds_ = 0;  // of the interval so far
};

}  // namespace

Training train_describer(Describer& describer, const Corpus& corpus,
                         const TrainerOptions& options) {
  return Run(describer, corpus, options).train();
}

}  // namespace captioning
