#include "trainer.h"

#include <fmt/format.h>

#include "../../autograd/ops/cross_entropy.h"
#include "../../core/error.h"
#include "../../io/training_state.h"
#include "../../optim/clip.h"
#include "../../optim/schedule.h"
#include "../../train/early_stopping.h"
#include "../../train/interrupt.h"
#include "../../train/progress.h"
#include "../training_run.h"
#include "evaluation.h"

namespace document_classifier {
namespace {

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
      training_run::Stopwatch watch;
      EpochFigures figures{};
      if (!run_epoch(figures.train_loss)) {
        training_.interrupted = true;
        break;
      }
      figures.seconds = watch.lap();
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
      io::save_training(options_.out, state(), files_of(classifier_), better);
      saved_ = true;
    }
    if (!saved_) io::save_directory(options_.out, files_of(classifier_));
    // The weights on disk are those of the best epoch.
    classifier_.model->load_state_dict(load(options_.out).model->state_dict());
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

  std::string state() const {
    io::TrainingState state(*classifier_.model, adam_);
    state.put("order", order_);
    state.put("figures", training_.epochs);
    return state.encode();
  }

  void restore() {
    const auto state = io::TrainingState::read(options_.out);
    state.get("order", order_);
    state.get("figures", training_.epochs);
    state.restore(*classifier_.model, adam_);
    for (std::size_t e = 0; e < training_.epochs.size(); ++e) schedule_.step();
    saved_ = true;
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
