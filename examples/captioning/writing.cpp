#include "writing.h"

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../data/loader.h"
#include "../../train/metrics.h"

namespace captioning {
namespace {

// Calls body(batch) for all scenes in their order.
template <class Body>
void for_batches(const Describer& describer, const std::vector<Scene>& scenes, const Body& body) {
  const NoGrad scope;
  describer.model->eval();
  data::Loader batches(
      scenes,
      [&](const std::vector<Index>& rows) { return batch_of(scenes, rows, describer.vocabulary); },
      {.size = 100, .shuffle = false});
  while (const auto batch = batches.next()) body(*batch);
}

std::vector<Caption> write(const Describer& describer, const Batch& batch, Index longest) {
  const Captioner& model = *describer.model;
  std::vector<Caption> out(static_cast<std::size_t>(batch.images.size(0)));
  auto writing = model.begin(model.annotate(batch.images));
  const Index end = describer.vocabulary.id(kEnd);
  std::vector<Index> said(out.size(), describer.vocabulary.id(kBegin));
  bool any = true;
  for (Index t = 0; t < longest && any; ++t) {
    const Captioner::Step step = model.step(Tensor(Array::from(said)), writing);
    const auto next = argmax(step.logits, -1).array().to_vector<Index>();
    any = false;
    for (std::size_t b = 0; b < out.size(); ++b) {
      if (said[b] != end) said[b] = next[b];
      if (said[b] == end) continue;
      any = true;
      const Array looked = step.looked.array().select(0, static_cast<Index>(b));
      out[b].words.push_back(describer.vocabulary.word(said[b]));
      out[b].looked.push_back(looked.reshape({kCells, kCells}).clone());
    }
  }
  return out;
}

train::Picture image_of(const Scene& scene) {
  train::Picture picture(kSceneSide, kSceneSide);
  const auto plane = static_cast<std::size_t>(kSceneSide * kSceneSide);
  for (std::size_t at = 0; at < plane; ++at) {
    picture.set(static_cast<Index>(at) % kSceneSide, static_cast<Index>(at) / kSceneSide,
                {scene.image[at], scene.image[plane + at], scene.image[2 * plane + at]});
  }
  return picture.scaled(2);
}

}  // namespace

std::vector<Caption> write_captions(const Describer& describer, const std::vector<Scene>& scenes,
                                    Index longest) {
  std::vector<Caption> out;
  for_batches(describer, scenes, [&](const Batch& batch) {
    for (Caption& caption : write(describer, batch, longest)) out.push_back(std::move(caption));
  });
  return out;
}

Index place_looked_at(const Array& looked) {
  const Index most = static_cast<Index>(argmax(Tensor(looked)).item());
  const Index row = most / kCells, column = most % kCells;
  return row * data::kScenePlaces / kCells * data::kScenePlaces +
         column * data::kScenePlaces / kCells;
}

Measures measure(const Describer& describer, const std::vector<Scene>& scenes) {
  const std::vector<Caption> captions = write_captions(describer, scenes);
  train::RunningMean exact, pointing, loss;
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
  for_batches(describer, scenes, [&](const Batch& batch) {
    auto writing = model.begin(model.annotate(batch.images));
    for (Index t = 0; t < batch.words.size(1); ++t) {
      const Tensor targets = select(Tensor(batch.targets), 1, t);
      const Tensor logits = model.step(select(Tensor(batch.words), 1, t), writing).logits;
      double count = 0;
      for (const Index id : targets.array().to_vector<Index>()) count += id != 0;
      loss.add(cross_entropy(logits, targets, {.ignore_index = 0}).item(), count);
    }
  });
  return {exact.mean(), pointing.mean(), loss.mean(), pointing.weight(), loss.weight()};
}

train::Picture looks_of(const std::vector<Scene>& scenes, const std::vector<Caption>& captions,
                        bool smooth) {
  std::vector<train::Picture> strips;
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    const train::Picture image = image_of(scenes[i]);
    std::vector<train::CaptionedPicture> looks = {{image, ""}};
    for (std::size_t t = 0; t < captions[i].words.size(); ++t) {
      looks.push_back({image, captions[i].words[t]});
      looks.back().picture.heat(captions[i].looked[t], smooth);
    }
    strips.push_back(strip(looks));
  }
  return stack(strips);
}

}  // namespace captioning
