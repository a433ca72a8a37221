#include <gtest/gtest.h>

#include <ostream>

#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/losses/cross_entropy.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../data/subwords.h"
#include "../../../nn/gradcheck.h"
#include "../../../nn/init.h"
#include "small_models.h"

namespace translation {
namespace {

using heed::NoGrad;
using heed::Shape;

struct Case {
  std::string name;
  ModelOptions options;
};
void PrintTo(const Case& of, std::ostream* out) { *out << of.name; }

std::vector<Case> cases() {
  ModelOptions cho = small("seq2seq"), one = small("transformer");
  cho.style = "cho";
  one.layers = 1;
  std::vector<Case> out = {{"sutskever", small("seq2seq")},
                           {"cho", cho},
                           {"bahdanau", small("bahdanau")},
                           {"luong_dot", luong("dot", "global")},
                           {"luong_general", luong("general", "global")},
                           {"luong_concat", luong("concat", "global")},
                           {"luong_location", luong("location", "global")},
                           {"luong_local_m", luong("general", "local-m")},
                           {"luong_local_p", luong("general", "local-p")},
                           {"luong_local_location", luong("location", "local-p")},
                           {"luong_feeding", luong("general", "global", true)},
                           {"luong_feeding_local_m", luong("dot", "local-m", true)},
                           {"luong_feeding_local_p", luong("concat", "local-p", true)},
                           {"conv", small("conv")},
                           {"transformer", small("transformer")},
                           {"transformer_one_layer", one}};
  for (const char* tied :
       {"sutskever", "cho", "bahdanau", "luong_general", "conv", "transformer"}) {
    const auto same = [&](const Case& of) { return of.name == tied; };
    Case copy = *std::find_if(out.begin(), out.end(), same);
    copy.name += "_tied_shared";
    copy.options.tied = copy.options.shared = true;
    copy.options.source_words = kTargets;
    out.push_back(copy);
  }
  return out;
}

class TranslationModels : public testing::TestWithParam<Case> {
 protected:
  TranslationModels() {
    heed::manual_seed(5);
    made_ = make_translator(GetParam().options);
    // Larger numbers than those to begin with, so that every part matters.
    for (const Tensor& p : made_->parameters()) nn::normal_(p, 0, 0.5);
    made_->eval();
    source = rows(kRead, options().source_words, data::kPadding, 7);
    before = rows(kWritten, kTargets, data::kPadding, 11);
  }
  const ModelOptions& options() const { return GetParam().options; }
  Translator& model() { return *made_; }

  // [T, V] of row b alone.
  Tensor alone(Index b, const Rows& words) {
    return select(model().logits(model().features(row(source, b), words)), 0, 0);
  }

  // What step() gives of the looks of a whole: [B, T, K]; undefined where there are none.
  Tensor expected(const std::vector<Look>& looks) const {
    if (looks.empty()) return Tensor();
    std::size_t first = 0, count = looks.size();
    if (options().model == "transformer") count = static_cast<std::size_t>(options().heads);
    Tensor sum = looks[first].weights;
    while (++first < count) sum = sum + looks[first].weights;
    return sum / static_cast<double>(count);
  }

  std::unique_ptr<Translator> made_;
  Rows source, before;
};

TEST_P(TranslationModels, StepByStepEqualsTheWhole) {
  const NoGrad scope;
  std::vector<Look> looks;
  const Tensor whole = model().logits(model().features(source, before, &looks));
  const Tensor weights = expected(looks);
  const auto writing = model().start(source);
  for (Index t = 0; t < before.ids.size(1); ++t) {
    Tensor seen;
    const Tensor logits =
        writing->step(select(before.ids, 1, t), options().model == "seq2seq" ? nullptr : &seen);
    ASSERT_EQ(logits.shape(), (Shape{3, kTargets}));
    for (Index b = 0; b < 3; ++b) {
      if (t >= kWritten[static_cast<std::size_t>(b)]) continue;
      EXPECT_LT(difference(select(logits, 0, b), select(select(whole, 0, b), 0, t)), 1e-10)
          << "row " << b << ", step " << t;
      if (!weights.defined()) continue;
      EXPECT_LT(difference(select(seen, 0, b), select(select(weights, 0, b), 0, t)), 1e-10)
          << "weights of row " << b << ", step " << t;
    }
  }
}

TEST_P(TranslationModels, PaddingChangesNothing) {
  const NoGrad scope;
  // The same words, and others behind them.
  const Rows filled = rows(kRead, options().source_words, -1, 7);
  const Rows filled_before = rows(kWritten, kTargets, -1, 11);
  ASSERT_NE(filled.ids.array().to_vector<Index>(), source.ids.array().to_vector<Index>());
  const Tensor whole = model().logits(model().features(source, before));
  const Tensor other = model().logits(model().features(filled, filled_before));
  for (Index b = 0; b < 3; ++b) {
    const Index T = kWritten[static_cast<std::size_t>(b)];
    const Tensor one = alone(b, row(before, b));
    EXPECT_LT(difference(narrow(select(whole, 0, b), 0, 0, T), one), 1e-10) << "row " << b;
    EXPECT_LT(difference(narrow(select(other, 0, b), 0, 0, T), one), 1e-10) << "row " << b;
  }
}

TEST_P(TranslationModels, CarriesOnWithOtherRows) {
  const NoGrad scope;
  const auto writing = model().start(source);
  struct Text {
    Index source;
    std::vector<Index> words;
  };
  std::vector<Text> texts = {{0, {}}, {1, {}}, {2, {}}};
  Index next = 3;
  const auto step = [&] {
    std::vector<Index> words;
    for (Text& text : texts) {
      words.push_back(text.words.emplace_back(next));
      next = next % (kTargets - 1) + 1;
    }
    const Tensor logits = writing->step(numbers(words), nullptr);
    for (std::size_t r = 0; r < texts.size(); ++r) {
      const auto T = static_cast<Index>(texts[r].words.size());
      const Rows said = {reshape(numbers(texts[r].words), Shape{1, T}), {T}};
      EXPECT_LT(difference(select(logits, 0, static_cast<Index>(r)),
                           select(alone(texts[r].source, said), 0, -1)),
                1e-10)
          << "row " << r << " after " << T << " steps";
    }
  };
  const auto reorder = [&](const std::vector<Index>& with, bool sources) {
    std::vector<Text> old;
    std::swap(old, texts);
    for (const Index r : with) texts.push_back(old[static_cast<std::size_t>(r)]);
    writing->reorder(numbers(with), sources);
  };
  step();
  reorder({2, 2, 0, 0, 1, 1}, true);
  step();
  reorder({1, 0, 3, 3, 4, 5}, false);
  step();
  reorder({3, 5}, true);
  step();
  reorder({1, 0, 0}, true);
  reorder({0, 2, 1}, false);
  step();
}

TEST_P(TranslationModels, LooksAddUpToOne) {
  const NoGrad scope;
  std::vector<Look> looks;
  model().features(source, before, &looks);
  std::vector<std::string> names;
  for (const Look& look : looks) names.push_back(look.name);
  std::vector<std::string> all = {"attention"};
  if (options().model == "seq2seq") all = {};
  if (options().model == "conv") all = {"layer 1", "layer 2"};
  if (options().model == "transformer") {
    all = {"layer 1 head 1", "layer 1 head 2", "layer 1 head 3"};
    if (options().layers == 2) {
      all.insert(all.end(), {"layer 2 head 1", "layer 2 head 2", "layer 2 head 3"});
    }
  }
  EXPECT_EQ(names, all);
  for (const Look& look : looks) {
    ASSERT_EQ(look.weights.shape(), (Shape{3, 5, 7})) << look.name;
    const std::vector<double> w = look.weights.array().contiguous().to_vector<double>();
    for (std::size_t b = 0; b < 3; ++b) {
      for (std::size_t t = 0; t < static_cast<std::size_t>(kWritten[b]); ++t) {
        double sum = 0;
        for (std::size_t k = 0; k < 7; ++k) {
          const double each = w[(b * 5 + t) * 7 + k];
          EXPECT_GE(each, 0);
          if (static_cast<Index>(k) >= kRead[b]) {
            EXPECT_EQ(each, 0) << "padding";
          }
          sum += each;
        }
        if (options().attention == "global") {
          EXPECT_NEAR(sum, 1, 1e-12) << look.name;
        } else if (options().attention == "local-m") {  // none where a window is behind the end
          const auto last = static_cast<Index>(t) - options().half_width;
          EXPECT_NEAR(sum, last < kRead[b] ? 1 : 0, 1e-12);
        } else {  // the Gaussian takes away from it
          EXPECT_LT(sum, 1);
          EXPECT_GT(sum, 0);
        }
      }
    }
  }
}

TEST_P(TranslationModels, Gradients) {
  const Tensor targets = reshape(rows({5, 5, 5}, kTargets, 0, 13).ids, {-1});
  std::vector<Index> real;
  for (Index b = 0; b < 3; ++b) {
    for (Index t = 0; t < kWritten[static_cast<std::size_t>(b)]; ++t) real.push_back(5 * b + t);
  }
  heed::GradcheckOptions few;
  few.max_elements = 4;
  few.step = 1e-4;  // away from the kinks of ReLU and maxout, and the edges of windows
  if (options().model == "conv") {  // of several layers the encoder gets the mean of gradients
    ModelOptions one = options();
    one.layers = 1;
    made_ = make_translator(one);
    made_->eval();
    for (const Tensor& p : made_->parameters()) nn::normal_(p, 0, 0.5);
  }
  const auto report = nn::gradcheck(
      model(),
      [&] {
        const Tensor features = model().features(source, before);
        const Tensor flat = reshape(features, Shape{15, features.size(2)});
        return cross_entropy(model().logits(index_select(flat, 0, numbers(real))),
                             index_select(targets, 0, numbers(real)), {.label_smoothing = 0.1});
      },
      few);
  EXPECT_TRUE(report) << report.text();
}

TEST_P(TranslationModels, DropoutIsOfTraining) {
  const NoGrad scope;
  const Tensor calm = model().features(source, before);
  EXPECT_EQ(difference(calm, model().features(source, before)), 0);
  model().train();
  const Tensor one = model().features(source, before);
  EXPECT_GT(difference(one, model().features(source, before)), 1e-3);
}

TEST_P(TranslationModels, TablesAreTied) {
  const std::string table = "tables.target_words.weight";
  const nn::NamedTensors all = model().state_dict();
  const auto at = [&](const std::string& name) {
    for (const auto& [key, tensor] : all) {
      if (key == name) return tensor.array();
    }
    ADD_FAILURE() << name << " is not there";
    return Array();
  };
  const double* const own = at(table).data<double>();
  EXPECT_EQ(at("tables.source_words.weight").data<double>() == own, options().shared);
  EXPECT_EQ(at("tables.out.weight").data<double>() == own, options().tied);
}

INSTANTIATE_TEST_SUITE_P(All, TranslationModels, testing::ValuesIn(cases()),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace translation
