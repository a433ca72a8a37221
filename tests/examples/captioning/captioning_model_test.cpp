#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../autograd/gradcheck.h"
#include "../../../autograd/ops/elementwise.h"
#include "../../../autograd/ops/reduce.h"
#include "../../../autograd/ops/shape.h"
#include "../../../autograd/stochastic/enumeration.h"
#include "../../../core/generator.h"
#include "../../../examples/captioning/caption_loss.h"
#include "../../../examples/captioning/pictures.h"
#include "../../../nn/gradcheck.h"

namespace captioning {
namespace {

using heed::Array;
using heed::DType;
using heed::Shape;

ModelOptions tiny(Look look) {
  return {.vocabulary = vocabulary_of("shapes").size(),
          .channels = 2,
          .width = 5,
          .hidden = 7,
          .look = look,
          .mean_probability = 0.5,
          .dtype = DType::f64};
}

Batch some_batch(DType dtype) {
  heed::manual_seed(3);
  const Corpus corpus = load_corpus({.scenes = 3, .validation = 0, .test = 0});
  Batch batch = batch_of(corpus.train, {2, 0}, vocabulary_of("shapes"));
  batch.images = batch.images.to(dtype);
  return batch;
}

TEST(CaptioningModel, Shapes) {
  const Batch batch = some_batch(DType::f64);
  for (const Look look : {Look::soft, Look::hard}) {
    Captioner model(tiny(look));
    model.eval();
    const Tensor annotations = model.annotate(batch.images);
    EXPECT_EQ(annotations.shape(), (Shape{2, kCells * kCells, 8}));
    auto writing = model.begin(annotations);
    const auto step = model.step(select(Tensor(batch.words), 1, 0), writing);
    EXPECT_EQ(step.logits.shape(), (Shape{2, model.options.vocabulary}));
    EXPECT_EQ(step.looked.shape(), (Shape{2, kCells * kCells}));
    for (const double total : sum(step.looked, {1}).array().to_vector<double>()) {
      EXPECT_NEAR(total, 1, 1e-12);
    }
    EXPECT_EQ(amax(step.looked).item() == 1, look == Look::hard);
  }
}

// The whole of it, the penalty included, by finite differences.
TEST(CaptioningModel, GradientsOfTheSoftLoss) {
  Batch batch = some_batch(DType::f64);
  batch.words = batch.words.slice(1, 0, 3);
  batch.targets = batch.targets.slice(1, 0, 3);
  Captioner model(tiny(Look::soft));
  std::vector<heed::MovingAverage> baselines;
  const auto run = [&] {
    return caption_loss(model, batch, {.lambda = 0.3}, 0.9, baselines).total;
  };
  const auto report =
      heed::nn::gradcheck(model, run, {.rtol = 1e-4, .step = 1e-5, .max_elements = 7});
  EXPECT_TRUE(report) << report.text();
  EXPECT_TRUE(baselines.empty());
}

// What is drawn decides: the words' loss is the plain one, the baselines follow the costs.
TEST(CaptioningModel, TheHardLossDrawsAndLearnsItsBaselines) {
  const Batch batch = some_batch(DType::f64);
  Captioner model(tiny(Look::hard));
  std::vector<heed::MovingAverage> baselines;
  const auto first = caption_loss(model, batch, {.lambda_e = 0.01}, 0.9, baselines);
  ASSERT_EQ(static_cast<Index>(baselines.size()), batch.words.size(1));
  EXPECT_NEAR(baselines[0].value(DType::f64).item(), first.words, 0.5);
  EXPECT_GT(baselines[0].value().item(), baselines.back().value().item());
  first.total.backward();
  double norm = 0;
  for (const Tensor& p : model.hard.score.parameters()) {
    norm += heed::sum(heed::abs(p.grad())).item();
  }
  EXPECT_GT(norm, 0);
  const auto second = caption_loss(model, batch, {.lambda_e = 0.01}, 0.9, baselines);
  EXPECT_NE(first.words, second.words);  // other places were drawn
}

// K draws of a scene are K captions of it, each as if it were the only one.
TEST(CaptioningModel, DrawsOfAScenePartAtTheFirstLook) {
  constexpr Index kDraws = 3, kSteps = 4;
  const Batch batch = some_batch(DType::f64);
  Captioner model(tiny(Look::hard));
  model.eval();
  heed::Generator generator(7);
  std::vector<Array> places;  // [K, B]
  for (Index t = 0; t < kSteps; ++t) {
    std::vector<std::int64_t> drawn(2 * kDraws);
    for (std::int64_t& place : drawn) place = generator.below(kCells * kCells);
    places.push_back(Array::from(drawn, {kDraws, 2}));
  }
  const auto logits_under = [&](const auto& choice_of) {
    std::vector<heed::Choice> prescribed;
    for (const Array& each : places) {
      prescribed.push_back(
          heed::Choice::hard(Tensor(choice_of(each)), kCells * kCells, DType::f64));
    }
    heed::ReplayedChoices choices(prescribed);
    auto writing = model.begin(model.annotate(batch.images), &choices);
    std::vector<Array> out;
    for (Index t = 0; t < kSteps; ++t) {
      out.push_back(model.step(select(Tensor(batch.words), 1, t), writing).logits.array());
    }
    return out;
  };
  const auto together = logits_under([](const Array& each) { return each; });
  for (Index k = 0; k < kDraws; ++k) {
    const auto alone = logits_under([k](const Array& each) { return each.select(0, k).clone(); });
    for (std::size_t t = 0; t < alone.size(); ++t) {
      ASSERT_EQ(together[t].shape(), (Shape{kDraws, 2, model.options.vocabulary}));
      const auto expected = alone[t].to_vector<double>();
      const auto found = together[t].select(0, k).to_vector<double>();
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12);
    }
  }
}

TEST(CaptioningModel, DrawsAreComparedWithOneAnother) {
  const Batch batch = some_batch(DType::f64);
  Captioner model(tiny(Look::hard));
  std::vector<heed::MovingAverage> baselines;
  const LossOptions options = {.lambda_e = 0.01, .draws = 3};
  const auto first = caption_loss(model, batch, options, 0.9, baselines);
  EXPECT_TRUE(baselines.empty());
  first.total.backward();
  double norm = 0;
  for (const Tensor& p : model.hard.score.parameters()) {
    norm += heed::sum(heed::abs(p.grad())).item();
  }
  EXPECT_GT(norm, 0);
  EXPECT_NE(first.words, caption_loss(model, batch, options, 0.9, baselines).words);
}

TEST(CaptioningModel, WritesAndPointsAndDraws) {
  Describer describer{"shapes", vocabulary_of("shapes"),
                      std::make_unique<Captioner>(ModelOptions{
                          .vocabulary = vocabulary_of("shapes").size(), .channels = 2})};
  const Corpus corpus = load_corpus({.scenes = 0, .validation = 0, .test = 3});
  const auto captions = write_captions(describer, corpus.test, 5);
  ASSERT_EQ(captions.size(), 3U);
  for (const Caption& caption : captions) {
    EXPECT_LE(caption.words.size(), 5U);
    EXPECT_EQ(caption.words.size(), caption.looked.size());
  }
  const Measures measures = measure(describer, corpus.test);
  EXPECT_EQ(measures.exact, 0);
  EXPECT_GT(measures.loss, 1);
  const auto picture = looks_of(corpus.test, captions, true);
  EXPECT_GT(picture.height(), 3 * 2 * kSide);
}

TEST(CaptioningModel, CellsBelongToPlaces) {
  const auto looked = [](Index row, Index column) {
    Array out = Array::zeros({kCells, kCells}, DType::f32);
    out.mutable_data<float>()[row * kCells + column] = 1;
    return place_looked_at(out);
  };
  EXPECT_EQ(looked(0, 0), 0);
  EXPECT_EQ(looked(1, 1), 0);
  EXPECT_EQ(looked(1, 2), 1);
  EXPECT_EQ(looked(2, 5), 5);
  EXPECT_EQ(looked(5, 4), 8);
}

}  // namespace
}  // namespace captioning
