#include "writing.h"

#include <algorithm>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/cross_entropy.h"
#include "../../autograd/ops/reduce.h"
#include "../../autograd/ops/shape.h"
#include "../../train/metrics.h"
#include "corpus.h"

namespace captioning {

using heed::Array;

namespace {

constexpr Index kAtOnce = 100;

std::vector<Index> rows_from(Index begin, std::size_t count) {
  std::vector<Index> out;
  for (Index i = begin; i < std::min(begin + kAtOnce, static_cast<Index>(count)); ++i) {
    out.push_back(i);
  }
  return out;
}

double real_words(const Tensor& targets) {
  const auto ids = targets.array().to_vector<std::int64_t>();
  return static_cast<double>(ids.size()) -
         static_cast<double>(std::count(ids.begin(), ids.end(), heed::data::Vocabulary::kPadding));
}

void write_batch(const Describer& describer, const Batch& batch, Index longest,
                 std::vector<Caption>& out) {
  const Captioner& model = *describer.model;
  const std::size_t first = out.size(), count = static_cast<std::size_t>(batch.images.size(0));
  out.resize(first + count);
  auto writing = model.begin(model.annotate(batch.images));
  const Index begin = describer.vocabulary.id(kBegin), end = describer.vocabulary.id(kEnd);
  std::vector<std::int64_t> said(count, begin);
  for (Index t = 0; t < longest; ++t) {
    const Captioner::Step step = model.step(Tensor(Array::from(said)), writing);
    const auto next = argmax(step.logits, -1).array().to_vector<std::int64_t>();
    bool any = false;
    for (std::size_t b = 0; b < count; ++b) {
      if (said[b] == end) continue;
      said[b] = next[b];
      if (said[b] == end) continue;
      any = true;
      Caption& caption = out[first + b];
      caption.words.push_back(describer.vocabulary.word(said[b]));
      caption.looked.push_back(
          step.looked.array().select(0, static_cast<Index>(b)).reshape({kCells, kCells}).clone());
    }
    if (!any) return;
  }
}

}  // namespace

std::vector<Caption> write_captions(const Describer& describer, const std::vector<Scene>& scenes,
                                    Index longest) {
  const heed::NoGrad scope;
  describer.model->eval();
  std::vector<Caption> out;
  for (Index begin = 0; begin < static_cast<Index>(scenes.size()); begin += kAtOnce) {
    write_batch(describer, batch_of(scenes, rows_from(begin, scenes.size()), describer.vocabulary),
                longest, out);
  }
  return out;
}

Index place_looked_at(const Array& looked) {
  const Index most = static_cast<Index>(argmax(Tensor(looked)).item());
  const Index row = most / kCells, column = most % kCells;
  return row * kPlaces / kCells * kPlaces + column * kPlaces / kCells;
}

Measures measure(const Describer& describer, const std::vector<Scene>& scenes) {
  const heed::NoGrad scope;
  const std::vector<Caption> captions = write_captions(describer, scenes);
  heed::train::RunningMean exact, pointing, loss;
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    const Scene& scene = scenes[i];
    const Caption& caption = captions[i];
    exact.add(caption.words == scene.words ? 1 : 0);
    for (std::size_t t = 0; t < scene.words.size(); ++t) {
      if (scene.places[t] < 0) continue;
      const bool said = t < caption.words.size() && caption.words[t] == scene.words[t];
      pointing.add(said && place_looked_at(caption.looked[t]) == scene.places[t] ? 1 : 0);
    }
  }
  const Captioner& model = *describer.model;
  for (Index begin = 0; begin < static_cast<Index>(scenes.size()); begin += kAtOnce) {
    const Batch batch = batch_of(scenes, rows_from(begin, scenes.size()), describer.vocabulary);
    auto writing = model.begin(model.annotate(batch.images));
    for (Index t = 0; t < batch.words.size(1); ++t) {
      const Tensor targets = select(Tensor(batch.targets), 1, t);
      const Tensor logits = model.step(select(Tensor(batch.words), 1, t), writing).logits;
      const double count = real_words(targets);
      loss.add(cross_entropy(logits, targets, {.ignore_index = 0}).item(), count);
    }
  }
  return {exact.mean(), pointing.mean(), loss.mean()};
}

}  // namespace captioning
