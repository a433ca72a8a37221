#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../autograd/gradcheck.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/stochastic/enumeration.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../examples/captioning/caption_loss.h"
#include "../../../examples/captioning/writing.h"
#include "../../../nn/gradcheck.h"

namespace captioning {
namespace {

ModelOptions tiny(const std::string& look) {
  return {.vocabulary = vocabulary_of("shapes").size(),
          .channels = 2,
          .width = 5,
          .hidden = 7,
          .attention = look,
          .mean = 0.5,
          .dtype = DType::f64};
}

Batch some_batch(DType dtype) {
  manual_seed(3);
  const Corpus corpus = load_corpus({.scenes = 3, .validation = 0, .test = 0});
  Batch batch = batch_of(corpus.train, {2, 0}, vocabulary_of("shapes"));
  batch.images = batch.images.to(dtype);
  return batch;
}

TEST(CaptioningModel, Shapes) {
  const Batch batch = some_batch(DType::f64);
  for (const char* look : {"soft", "hard"}) {
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
    EXPECT_EQ(amax(step.looked).item() == 1, look == std::string("hard"));
  }
}

// The whole of it, the penalty included, by finite differences.
TEST(CaptioningModel, GradientsOfTheSoftLoss) {
  Batch batch = some_batch(DType::f64);
  batch.words = batch.words.slice(1, 0, 3);
  batch.targets = batch.targets.slice(1, 0, 3);
  Captioner model(tiny("soft"));
  CaptionCost cost({.lambda = 0.3});
  const auto run = [&] { return cost(model, batch).total; };
  const auto report = nn::gradcheck(model, run, {.rtol = 1e-4, .step = 1e-5, .max_elements = 7});
  EXPECT_TRUE(report) << report.text();
  EXPECT_TRUE(cost.baselines().empty());
}

// What is drawn decides: the words' loss is the plain one, the baselines follow the costs.
TEST(CaptioningModel, TheHardLossDrawsAndLearnsItsBaselines) {
  const Batch batch = some_batch(DType::f64);
  Captioner model(tiny("hard"));
  CaptionCost cost({.draws = 1});
  const auto first = cost(model, batch);
  const std::vector<double> baselines = cost.baselines();
  ASSERT_EQ(static_cast<Index>(baselines.size()), batch.words.size(1));
  EXPECT_NEAR(baselines[0], first.words, 0.5);
  EXPECT_GT(baselines[0], baselines.back());
  first.total.backward();
  double norm = 0;
  for (const Tensor& p : model.hard.score.parameters()) {
    norm += sum(abs(p.grad())).item();
  }
  EXPECT_GT(norm, 0);
  EXPECT_NE(first.words, cost(model, batch).words);  // other places were drawn
  CaptionCost other({.draws = 1});
  other.load_state_dict(cost.state_dict());
  EXPECT_EQ(other.baselines(), cost.baselines());
  const auto refused = [&](const Array& averages, const Array& steps) {
    EXPECT_THROW(other.load_state_dict({{"baselines", averages}, {"steps", steps}}), ValueError);
  };
  const Array one = Array::from<Index>({1});
  refused(Array::from<double>({0.5, NAN}), one);
  refused(Array::from<float>({0.5F}), one);
  refused(Array::from<double>({0.5}), Array::from<Index>({1, 2}));
  refused(Array::from<double>({0.5}), Array::from<double>({1}));
  EXPECT_THROW(other.load_state_dict({}), ValueError);
  EXPECT_EQ(other.baselines(), cost.baselines());
}

// It begins soft, and goes on so where it was carried on.
TEST(CaptioningModel, TheFirstStepsMayBeSoft) {
  const Batch batch = some_batch(DType::f64);
  Captioner model(tiny("hard"));
  const LossOptions options{.draws = 1, .soft_steps = 2};
  CaptionCost cost(options), other(options);
  const double soft = cost(model, batch).words;
  other.load_state_dict(cost.state_dict());
  EXPECT_EQ(other(model, batch).words, soft);  // nothing is drawn
  EXPECT_TRUE(other.baselines().empty());
  EXPECT_NE(other(model, batch).words, soft);
  EXPECT_FALSE(other.baselines().empty());
}

// K draws of a scene are K captions of it, each as if it were the only one.
TEST(CaptioningModel, DrawsOfAScenePartAtTheFirstLook) {
  constexpr Index kDraws = 3, kSteps = 4;
  const Batch batch = some_batch(DType::f64);
  Captioner model(tiny("hard"));
  model.eval();
  Generator generator(7);
  std::vector<Array> places;  // [K, B]
  for (Index t = 0; t < kSteps; ++t) {
    std::vector<std::int64_t> drawn(2 * kDraws);
    for (std::int64_t& place : drawn) place = generator.below(kCells * kCells);
    places.push_back(Array::from(drawn, {kDraws, 2}));
  }
  const auto logits_under = [&](const auto& choice_of) {
    std::vector<Choice> prescribed;
    for (const Array& each : places) {
      prescribed.push_back(Choice::hard(Tensor(choice_of(each)), kCells * kCells, DType::f64));
    }
    ReplayedChoices choices(prescribed);
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
  Captioner model(tiny("hard"));
  CaptionCost cost({.draws = 3});
  const auto first = cost(model, batch);
  EXPECT_TRUE(cost.baselines().empty());
  first.total.backward();
  double norm = 0;
  for (const Tensor& p : model.hard.score.parameters()) {
    norm += sum(abs(p.grad())).item();
  }
  EXPECT_GT(norm, 0);
  EXPECT_NE(first.words, cost(model, batch).words);
}

TEST(CaptioningModel, WritesAndPointsAndDraws) {
  Describer describer{vocabulary_of("shapes"),
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
  EXPECT_GT(picture.height(), 3 * 2 * kSceneSide);
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
