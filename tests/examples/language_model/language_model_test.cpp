#include "../../../examples/language_model/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <ostream>
#include <string>

#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/losses/cross_entropy.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/ops/shape/slicing.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../examples/language_model/evaluation.h"
#include "../../../examples/language_model/sampling.h"
#include "../../../nn/gradcheck.h"
#include "../../../nn/init.h"

namespace language_model {
namespace {

constexpr Index kTokens = 17;

ModelOptions small(Positions positions, const std::string& attention = "dot") {
  return {.vocabulary = kTokens,
          .layers = 2,
          .width = 12,
          .heads = 3,
          .context = 11,
          .positions = positions,
          .attention = attention};
}

struct Case {
  Positions positions;
  const char* attention;
};
void PrintTo(const Case& of, std::ostream* out) {
  *out << static_cast<int>(of.positions) << ", " << of.attention;
}

class LanguageModelNetwork : public testing::TestWithParam<Case> {
 protected:
  LanguageModelNetwork() {
    manual_seed(3);
    ModelOptions options = small(GetParam().positions, GetParam().attention);
    options.dtype = DType::f64;
    made_ = std::make_unique<LanguageModel>(options);
    // Larger numbers than those to begin with, so that every part matters.
    for (const Tensor& p : made_->parameters()) nn::normal_(p, 0, 0.5);
  }
  LanguageModel& model() { return *made_; }
  bool steps() const { return reads() || made_->kind.steps; }
  bool reads() const { return made_->reader != nullptr; }
  bool linear() const { return made_->kind.sums_up; }

 private:
  std::unique_ptr<LanguageModel> made_;
};

Tensor ids(Index rows, Index steps) {
  std::vector<std::int64_t> out;
  Generator generator(7);
  for (Index i = 0; i < rows * steps; ++i) out.push_back(generator.below(kTokens));
  return Array::from(out, {rows, steps});
}

TEST_P(LanguageModelNetwork, PackedTextsSeeThemselvesAlone) {
  const Tensor x = flatten(ids(1, 17));
  const Packed packed{x, {0, 5, 5, 6, 17}};
  if (!model().kind.packed) {
    EXPECT_THROW(model()(packed), ValueError);
    return;
  }
  const NoGrad scope;
  const Tensor all = model()(packed);
  ASSERT_EQ(all.shape(), (Shape{17, kTokens}));
  for (Index b = 0; b < packed.sequences(); ++b) {
    const Index first = packed.offsets[static_cast<std::size_t>(b)], count = packed.length(b);
    if (count == 0) continue;
    const Tensor alone = model()(unsqueeze(narrow(x, 0, first, count), 0));
    EXPECT_LE(amax(abs(narrow(all, 0, first, count) - squeeze(alone, 0))).item(), 1e-11) << b;
  }
  EXPECT_THROW(model()(Packed{x, {0, 17}}), ShapeError);  // longer than the context
  EXPECT_THROW(model()(Packed{x, {0, 5, 11}}), ShapeError);
  EXPECT_THROW(model()(Packed{x, {0, 9, 5, 17}}), ValueError);
}

TEST_P(LanguageModelNetwork, GradientsInF64) {
  const Tensor x = ids(2, 5);
  const Tensor targets = reshape(ids(5, 2), {-1});
  GradcheckOptions some;
  some.max_elements = 20;
  if (linear()) some.step = 1e-5;  // norms of small numbers are steep
  // Where a choice of buckets turns, a sum jumps.
  if (!steps()) some.step = 1e-6;
  const auto report = nn::gradcheck(
      model(),
      [&] {
        return cross_entropy(reshape(model()(x), {-1, kTokens}), targets);
      },
      some);
  EXPECT_TRUE(report) << report.text();
}

TEST_P(LanguageModelNetwork, APlaceIsBlindToWhatFollows) {
  const NoGrad scope;
  const Tensor x = ids(1, 11);
  const auto whole = model()(x).array().to_vector<double>();
  const auto part = model()(narrow(x, 1, 0, 7)).array().to_vector<double>();
  for (std::size_t i = 0; i < part.size(); ++i) EXPECT_NEAR(part[i], whole[i], 1e-10);
}

TEST_P(LanguageModelNetwork, StepsEqualTheWhole) {
  const NoGrad scope;
  model().eval();
  const Tensor x = ids(2, 11);
  const Tensor whole = model()(x);
  Past past;
  if (!steps()) {
    EXPECT_THROW(model().step(x, past), ValueError);
    return;
  }
  for (const auto& [first, count] : {std::pair{0, 4}, {4, 1}, {5, 5}, {10, 1}}) {
    const Tensor scores = model().step(narrow(x, 1, first, count), past);
    const Tensor expected = select(whole, 1, first + count - 1);
    EXPECT_THAT(
        scores.array().to_vector<double>(),
        testing::Pointwise(testing::DoubleNear(1e-10), expected.array().to_vector<double>()));
  }
  if (reads()) {  // no text is too long
    EXPECT_EQ(model().step(ids(2, 1), past).shape(), (Shape{2, kTokens}));
    EXPECT_EQ(past.length, 12);
    EXPECT_EQ(model()(ids(1, 12)).shape(), (Shape{1, 12, kTokens}));
    EXPECT_THROW(model()(flatten(ids(1, 12))), ShapeError);
    return;
  }
  EXPECT_THROW(model().step(ids(2, 1), past), ShapeError);
  EXPECT_THROW(model()(ids(1, 12)), ShapeError);
}

TEST_P(LanguageModelNetwork, SamplingWithTheCacheEqualsSamplingWithout) {
  model().eval();
  for (const double temperature : {0.0, 0.8}) {
    SamplingOptions options{.length = 43, .choice = {.temperature = temperature, .top_k = 5}};
    Generator a(11), b(11);
    const auto cached = sample(model(), {3, 1, 4}, options, a);
    options.cache = false;
    EXPECT_EQ(cached, sample(model(), {3, 1, 4}, options, b));
    EXPECT_EQ(cached.size(), 43u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , LanguageModelNetwork,
    testing::Values(Case{Positions::learned, "dot"}, Case{Positions::sinusoidal, "dot"},
                    Case{Positions::rotary, "dot"}, Case{Positions::learned, "synthesizer-dense"},
                    Case{Positions::sinusoidal, "synthesizer-fixed-random+dot-product"},
                    Case{Positions::learned, "linear"}, Case{Positions::learned, "performer"},
                    Case{Positions::sinusoidal, "cosformer"}, Case{Positions::learned, "aft"},
                    Case{Positions::learned, "aft-full"}, Case{Positions::sinusoidal, "aft-local"},
                    Case{Positions::learned, "luna"}, Case{Positions::sinusoidal, "retnet"},
                    Case{Positions::learned, "gla"}, Case{Positions::learned, "ssd"},
                    Case{Positions::learned, "deltanet"},
                    Case{Positions::learned, "gated-deltanet"}, Case{Positions::learned, "rwkv6"},
                    Case{Positions::learned, "gated"}, Case{Positions::rotary, "grouped-query"},
                    Case{Positions::learned, "multi-query"}, Case{Positions::rotary, "latent"},
                    Case{Positions::learned, "latent"}, Case{Positions::learned, "differential"},
                    Case{Positions::rotary, "differential-v2"},
                    Case{Positions::learned, "forgetting"}, Case{Positions::sinusoidal, "cope"},
                    Case{Positions::learned, "transformer-xl"},
                    Case{Positions::learned, "relative"}, Case{Positions::learned, "alibi"},
                    Case{Positions::sinusoidal, "t5"}, Case{Positions::learned, "window"},
                    Case{Positions::learned, "strided"}, Case{Positions::learned, "qk-norm"},
                    Case{Positions::rotary, "sinks"}, Case{Positions::learned, "persistent"},
                    Case{Positions::learned, "sparsemax"}, Case{Positions::learned, "entmax"},
                    Case{Positions::learned, "top-k"}, Case{Positions::learned, "reformer"},
                    Case{Positions::learned, "routing"}, Case{Positions::learned, "lstm"},
                    Case{Positions::learned, "lstmn"}, Case{Positions::rotary, "memory"}));

TEST(LanguageModelAttention, RefusesWhatDoesNotFit) {
  EXPECT_THROW(LanguageModel(small(Positions::rotary, "synthesizer-dense")), ValueError);
  EXPECT_THROW(LanguageModel(small(Positions::learned, "synthesizer-dense+dense")), ValueError);
  EXPECT_THROW(LanguageModel(small(Positions::rotary, "retnet")), ValueError);
  EXPECT_THROW(LanguageModel(small(Positions::learned, "delta")), ValueError);
}

// What is read in rows side by side is scored as what is read alone.
TEST(LanguageModelEvaluation, ReadersGoOn) {
  for (const char* kind : {"lstm", "lstmn", "memory"}) {
    manual_seed(7);
    ModelOptions options = small(Positions::learned, kind);
    Language language;
    language.model = std::make_unique<LanguageModel>(options);
    std::vector<Index> text;
    Generator generator(5);
    for (int i = 0; i < 47; ++i) text.push_back(generator.below(kTokens));
    const double found = evaluate(language, text, 1, false);  // windows of 11, one after the other
    const NoGrad scope;
    const Tensor all = Array::from(text, {1, 47});
    const Tensor logits = (*language.model)(narrow(all, 1, 0, 46));
    const double whole = cross_entropy(squeeze(logits, 0), flatten(narrow(all, 1, 1, 46))).item();
    EXPECT_NEAR(found, whole, 1e-5) << kind;
    EXPECT_NEAR(evaluate(language, text, 3, false), whole, 0.05) << kind;
  }
}

TEST(LanguageModelLooks, AreThoseOfEachLayer) {
  const Tensor text = flatten(ids(1, 7));
  const NoGrad scope;
  for (const auto& [kind, heads] : {std::pair{"dot", 3}, {"lstmn", 1}, {"memory", 1}}) {
    const auto seen = LanguageModel(small(Positions::learned, kind)).looks(text);
    ASSERT_EQ(seen.size(), 2U) << kind;
    EXPECT_EQ(seen[1].shape(), (Shape{heads, 7, 7})) << kind;
  }
  EXPECT_THROW(LanguageModel(small(Positions::learned, "lstm")).looks(text), ValueError);
}

TEST(LanguageModelSampling, TopKAndTemperature) {
  manual_seed(5);
  LanguageModel model(small(Positions::rotary));
  model.eval();
  const NoGrad scope;
  const Tensor scores = select(model(Array::from<std::int64_t>({2}, {1, 1})), 1, -1);
  auto numbers = scores.array().to(DType::f64).to_vector<double>();
  numbers[0] = -1e9;  // the padding is never drawn
  std::vector<Index> order(kTokens);
  for (Index i = 0; i < kTokens; ++i) order[static_cast<std::size_t>(i)] = i;
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return numbers[static_cast<std::size_t>(a)] > numbers[static_cast<std::size_t>(b)];
  });
  Generator generator(13);
  std::vector<int> counts(kTokens);
  for (int i = 0; i < 300; ++i) {
    ++counts[static_cast<std::size_t>(
        sample(model, {2}, {.length = 1, .choice = {.top_k = 3}}, generator)[0])];
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int count = counts[static_cast<std::size_t>(order[i])];
    EXPECT_EQ(count > 0, i < 3) << i;
  }
  EXPECT_EQ(sample(model, {2}, {.length = 1, .choice = {.temperature = 0}}, generator)[0],
            order[0]);
  EXPECT_EQ(sample(model, {2}, {.length = 1, .choice = {.top_k = 1}}, generator)[0], order[0]);
}

TEST(LanguageModelSampling, RefusesBadOptions) {
  LanguageModel model(small(Positions::learned));
  Generator generator(1);
  EXPECT_THROW(sample(model, {}, {}, generator), ValueError);
  EXPECT_THROW(sample(model, {2}, {.length = -1}, generator), ValueError);
  EXPECT_THROW(sample(model, {2}, {.choice = {.temperature = -1}}, generator), ValueError);
  EXPECT_THROW(sample(model, {2}, {.choice = {.temperature = NAN}}, generator), ValueError);
  EXPECT_THROW(sample(model, {2}, {.choice = {.top_k = -1}}, generator), ValueError);
  EXPECT_THROW(sample(model, {kTokens}, {}, generator), IndexError);
  ModelOptions wrong = small(Positions::learned);
  wrong.heads = 5;
  EXPECT_THROW(LanguageModel{wrong}, ValueError);
  wrong = small(Positions::learned);
  wrong.context = 0;
  EXPECT_THROW(LanguageModel{wrong}, ValueError);
}

}  // namespace
}  // namespace language_model
