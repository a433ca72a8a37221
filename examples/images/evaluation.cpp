#include "evaluation.h"

#include <fmt/format.h>

#include <cmath>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../data/loader.h"
#include "../../optim/adam.h"
#include "../../train/explanations.h"
#include "../../train/run.h"

namespace images {
namespace {

constexpr Index kDrawn = 112;  // dots of a side, at least

// Of the class token, the patches as the image has them.
Array rollout_of(const Looked& found, const ModelOptions& o) {
  const Tensor seen = select(train::attention_rollout(found.attended), 1, 0);  // [1, T]
  const auto patches = static_cast<double>(seen.size(1) - 1);
  const auto across = std::lround(
      std::sqrt(patches * static_cast<double>(o.width) / static_cast<double>(o.height)));
  return reshape(narrow(seen, 1, 1, seen.size(1) - 1), {-1, across}).array();
}

}  // namespace

train::Training train_classifier(Classifier& classifier, const Corpus& corpus,
                                 const train::FitOptions& options) {
  data::Loader batches(corpus.train.labels,
                       [&](const std::vector<Index>& rows) { return batch_of(corpus.train, rows); },
                       {.size = options.batch, .seed = options.seed + 17});
  optim::AdamW adam(classifier.parameters(),
                    {.lr = options.lr, .weight_decay = options.weight_decay});
  train::Run run(classifier, adam,
                 options.run({"accuracy", train::lowest("validation loss")},
                             fmt::format("{} pictures", corpus.train.count())));
  run.schedule(optim::rate::cosine(options.epochs, options.lr / 20), train::Per::epoch)
      .files([&] { return files_of(classifier); })
      .validate(corpus.validation.count(), 100, [&](const std::vector<Index>& some) {
        const Batch batch = batch_of(corpus.validation, some);
        train::Classified found(static_cast<Index>(classifier.classes.size()));
        found.add(classifier(batch.images).logits, batch.labels);
        return found.part();
      });
  return run(batches, [&](const Batch& batch) {
    return train::Loss{.tensor = cross_entropy(classifier(batch.images).logits, batch.labels),
                       .weight = static_cast<double>(batch.labels.numel())};
  });
}

train::Classified evaluate(Classifier& classifier, const Pictures& pictures) {
  const NoGrad scope;
  classifier.eval();
  data::Loader batches(pictures.labels,
                       [&](const std::vector<Index>& rows) { return batch_of(pictures, rows); },
                       {.size = 100, .shuffle = false});
  train::Classified out(static_cast<Index>(classifier.classes.size()));
  while (const auto each = batches.next()) out.add(classifier(each->images).logits, each->labels);
  return out;
}

Answered answer(Classifier& classifier, const Tensor& image) {
  classifier.eval();
  const Looked found = classifier(image, true);  // recorded: Grad-CAM asks for gradients
  const Index most = argmax(found.logits, -1).array().data<Index>()[0];
  Answered out{classifier.classes[static_cast<std::size_t>(most)],
               select(select(softmax(found.logits, -1), 1, most), 0, 0).item()};
  if (found.theta.defined()) {
    out.theta = select(found.theta, 0, 0).detach();
  } else if (!found.attended.empty()) {
    out.map = rollout_of(found, classifier.options);
  } else if (found.gates.defined()) {
    out.map = select(found.gates, 0, 0).detach().array();
  } else {
    out.map =
        select(train::grad_cam(found.features, select(found.logits, 1, most), found.channels), 0, 0)
            .array();
  }
  return out;
}

train::Picture drawn(const Tensor& image) {
  const Tensor dots = select(image, 0, 0);
  const bool grey = dots.size(0) == 1;
  const auto picture = train::Picture::from(grey ? select(dots, 0, 0).array() : dots.array());
  return picture.scaled(std::max<Index>(1, kDrawn / dots.size(1)));
}

train::Picture drawn(const Tensor& image, const Answered& answered) {
  train::Picture out = drawn(image);
  if (!answered.theta.defined()) {
    out.heat(answered.map);
    return out;
  }
  const float* t = answered.theta.array().contiguous().data<float>();
  const auto at = [&](int row, int corner) {  // of the four corners, one after the other
    const float across = corner % 4 == 0 || corner % 4 == 3 ? -1 : 1;
    const float place =
        t[3 * row] * across + t[3 * row + 1] * (corner % 4 < 2 ? -1 : 1) + t[3 * row + 2];
    return std::lround((place + 1) / 2 * static_cast<float>(row == 0 ? out.width() : out.height()));
  };
  for (int i = 0; i < 4; ++i) {
    out.line(at(0, i), at(1, i), at(0, i + 1), at(1, i + 1), {255, 140, 0});
  }
  return out;
}

}  // namespace images
