#include "trainer.h"

#include <fmt/format.h>

#include <chrono>

#include "../../autograd/ops/cross_entropy.h"
#include "../../core/error.h"
#include "../../io/safetensors.h"
#include "../../optim/clip.h"
#include "../../optim/schedule.h"
#include "../../train/early_stopping.h"
#include "../../train/interrupt.h"
#include "../../train/progress.h"
#include "evaluation.h"

namespace document_classifier {
namespace {

constexpr const char* kStateFile = "training.safetensors";

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

// One training run: what changes from epoch to epoch.
class Run {
 public:
  Run(Classifier& classifier, const Corpus& corpus, const TrainerOptions& options)
      : classifier_(classifier),
        corpus_(corpus),
        options_(options),
        adam_(classifier.model->parameters(), {.lr = options.learning_rate}),
        schedule_(adam_, options.epochs, options.learning_rate / 20),
        order_(options.seed + 17) {
    for (const Example& example : corpus.train) {
      encoded_.push_back(data::encode(example.document, classifier.vocabulary));
    }
    lengths_ = data::lengths_of(encoded_);
    if (options.resume) restore();
  }

  Training train() {
    const train::InterruptGuard guard;
    train::EarlyStopping stopping(options_.patience);
    for (const EpochFigures& figures : training_.epochs)
      stopping.update(figures.validation_accuracy);
    while (static_cast<Index>(training_.epochs.size()) < options_.epochs &&
           !stopping.should_stop()) {
      const double start = now();
      EpochFigures figures{};
      if (!run_epoch(figures.train_loss)) {
        training_.interrupted = true;
        break;
      }
      figures.seconds = now() - start;
      const Evaluation validation =
          evaluate(classifier_, corpus_.validation, 2 * options_.batch_size);
      figures.validation_loss = validation.loss;
      figures.validation_accuracy = validation.confusion.accuracy();
      training_.epochs.push_back(figures);
      schedule_.step();
      fmt::print("epoch {}  train loss {:.4f}  validation loss {:.4f}  accuracy {:.4f}  {:.1f} s\n",
                 training_.epochs.size(), figures.train_loss, figures.validation_loss,
                 figures.validation_accuracy, figures.seconds);
      std::fflush(stdout);
      const bool better = stopping.update(figures.validation_accuracy);
      if (better) {
        save(classifier_, options_.out, {{kStateFile, state()}});
        saved_ = true;
      } else {
        io::save_directory(options_.out, {{kStateFile, state()}});
      }
    }
    if (!saved_) save(classifier_, options_.out);
    restore_best();
    return std::move(training_);
  }

 private:
  // False when it was interrupted.
  bool run_epoch(double& loss) {
    HierarchicalAttention& model = *classifier_.model;
    model.train();
    const auto batches = data::batches_by_length(lengths_, options_.batch_size, order_);
    train::Progress progress(
        fmt::format("epoch {}/{}", training_.epochs.size() + 1, options_.epochs),
        static_cast<Index>(batches.size()));
    train::RunningMean mean;
    Index done = 0;
    for (const auto& batch : batches) {
      const auto block = data::make_document_batch(encoded_, batch);
      adam_.zero_grad();
      const Tensor error = cross_entropy(model(block).logits, block.labels);
      error.backward();
      optim::clip_grad_norm(model.parameters(), options_.clip);
      adam_.step();
      mean.add(error.item(), static_cast<double>(batch.size()));
      progress.update(++done, mean.mean());
      if (train::interrupted()) return false;
    }
    loss = mean.mean();
    return true;
  }

  // The last weights, the optimizer, the random streams and the figures so far.
  std::string state() const {
    io::NamedArrays arrays;
    for (const auto& [key, tensor] : classifier_.model->state_dict()) {
      arrays.emplace_back("model." + key, tensor.array());
    }
    for (const auto& [key, array] : adam_.state_dict())
      arrays.emplace_back("optimizer." + key, array);
    const auto order = order_.state();
    const auto dropout = default_generator().state();
    arrays.emplace_back(
        "generators",
        Array::from<std::int64_t>(
            {static_cast<std::int64_t>(order.seed), static_cast<std::int64_t>(order.offset),
             static_cast<std::int64_t>(dropout.seed), static_cast<std::int64_t>(dropout.offset)}));
    std::vector<double> figures;
    for (const EpochFigures& e : training_.epochs) {
      figures.insert(figures.end(),
                     {e.train_loss, e.validation_loss, e.validation_accuracy, e.seconds});
    }
    arrays.emplace_back("figures",
                        Array::from(figures, {static_cast<Index>(training_.epochs.size()), 4}));
    return io::encode_safetensors(arrays);
  }

  void restore() {
    const std::string path = options_.out + "/" + kStateFile;
    const auto file =
        io::decode_safetensors(io::read_from_directory(options_.out, kStateFile), path);
    nn::NamedTensors weights;
    io::NamedArrays optimizer;
    const auto fail = [&](const std::string& what) { throw FormatError(path, 0, what); };
    bool complete = false;
    for (const auto& [key, array] : file.arrays) {
      if (key.starts_with("model.")) {
        weights.emplace_back(key.substr(6), Tensor(array));
      } else if (key.starts_with("optimizer.")) {
        optimizer.emplace_back(key.substr(10), array);
      } else if (key == "generators") {
        if (array.dtype() != DType::i64 || array.numel() != 4) fail("'generators' is not i64[4]");
        const auto* numbers = array.data<std::int64_t>();
        order_.set_state(
            {static_cast<std::uint64_t>(numbers[0]), static_cast<std::uint64_t>(numbers[1])});
        default_generator().set_state(
            {static_cast<std::uint64_t>(numbers[2]), static_cast<std::uint64_t>(numbers[3])});
        complete = true;
      } else if (key == "figures") {
        if (array.dtype() != DType::f64 || array.rank() != 2 || array.size(1) != 4) {
          fail("'figures' is not f64[epochs, 4]");
        }
        const double* row = array.data<double>();
        for (Index e = 0; e < array.size(0); ++e, row += 4) {
          training_.epochs.push_back({row[0], row[1], row[2], row[3]});
        }
      }
    }
    if (!complete) fail("the state of the random streams is missing");
    try {
      classifier_.model->load_state_dict(weights);
      adam_.load_state_dict(optimizer);
    } catch (const Error& error) {
      fail(error.what());
    }
    for (std::size_t e = 0; e < training_.epochs.size(); ++e) schedule_.step();
    saved_ = true;
  }

  // The weights on disk are those of the best epoch.
  void restore_best() {
    const Classifier best = load(options_.out);
    classifier_.model->load_state_dict(best.model->state_dict());
  }

  Classifier& classifier_;
  const Corpus& corpus_;
  const TrainerOptions& options_;
  optim::Adam adam_;
  optim::CosineAnnealingLR schedule_;  // a step an epoch
  Generator order_;
  std::vector<data::EncodedDocument> encoded_;
  std::vector<data::LengthKey> lengths_;
  Training training_;
  bool saved_ = false;
};

}  // namespace

Training train_classifier(Classifier& classifier, const Corpus& corpus,
                          const TrainerOptions& options) {
  return Run(classifier, corpus, options).train();
}

}  // namespace document_classifier
