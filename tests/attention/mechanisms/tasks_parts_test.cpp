// Parts of attention, each alone between two linear layers, learn tasks that need it, and that what
// stands in its place otherwise, after the same steps, does not learn.
#include <gtest/gtest.h>

#include "../../../attention/attend.h"
#include "../../../attention/mechanisms/hard/hard_monotonic.h"
#include "../../../attention/mechanisms/pooling/multi_dimensional.h"
#include "../../../attention/normalisers/monotonic.h"
#include "../../../attention/normalisers/sigmoid.h"
#include "../../../attention/scores/additive.h"
#include "../../../attention/scores/monotonic_energy.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/generator.h"
#include "learning_task.h"

namespace heed::attention {
namespace {

constexpr Index kKinds = 6, kColours = 4, kWidth = 16;

Tensor hot(const Ids& numbers, const Shape& shape, Index classes) {
  return one_hot(ids(numbers, shape), classes, DType::f32);
}

// How often does what is asked for stand in a text, up to three times?
TaskBatch counted(Dice& dice, Index count) {
  constexpr Index kText = 6, kMost = 3;
  Ids kinds, asked, answers;
  for (Index b = 0; b < count; ++b) {
    const Index wanted = dice(kKinds), times = dice(kMost + 1);
    const Ids order = dice.order(kText);
    for (const Index place : order) {
      const Index other = (wanted + 1 + dice(kKinds - 1)) % kKinds;
      kinds.push_back(place < times ? wanted : other);
    }
    asked.push_back(wanted);
    answers.push_back(times);
  }
  return {{hot(kinds, {count, kText}, kKinds), hot(asked, {count, 1}, kKinds)},
          ids(answers, {count})};
}

class Counter : public nn::Module {
 public:
  explicit Counter(std::shared_ptr<Normaliser> normaliser) : normaliser_(std::move(normaliser)) {}
  nn::Linear& query = child<nn::Linear>("query", kKinds, kWidth);
  nn::Linear& key = child<nn::Linear>("key", kKinds, kWidth);
  nn::Linear& hidden = child<nn::Linear>("hidden", 1, 32);
  nn::Linear& out = child<nn::Linear>("out", 32, 4);

  // Each thing gives 1: what is seen is how much weight there is.
  Tensor operator()(const std::vector<Tensor>& x) const {
    const Tensor value = ones({x[0].size(0), x[0].size(1), 1});
    const Tensor seen =
        attend(query(x[1]), key(x[0]), value, {.normaliser = normaliser_.get()}).context;
    return out(relu(hidden(squeeze(seen, 1))));
  }

 private:
  std::shared_ptr<Normaliser> normaliser_;
};

TEST(TasksOfParts, WeightsThatSumToAnythingCount) {
  const auto figure = [](const char* what, std::shared_ptr<Normaliser> normaliser) {
    manual_seed(1);
    Counter made(std::move(normaliser));
    return learnt(
        what, made, counted, [&](const auto& x) { return made(x); }, 1000, 0.01);
  };
  EXPECT_GT(figure("sigmoid", std::make_shared<Sigmoid>()), 0.95);
  EXPECT_GT(figure("softmax-plus-one", std::make_shared<SoftmaxPlusOne>()), 0.95);
  EXPECT_LT(figure("  without: softmax", std::make_shared<Softmax>()), 0.8);
}

// Four things of a text have a mark each: the first property of the first, the second of the
// second, and so on, as one number?
constexpr Index kMarks = 4, kMarked = kMarks + 1 + kMarks;

TaskBatch marked(Dice& dice, Index count) {
  constexpr Index kText = 6;
  Ids marks, properties, answers;
  for (Index b = 0; b < count; ++b) {
    Index answer = 0;
    for (const Index mark : dice.order(kText)) {
      marks.push_back(std::min(mark, kMarks));
      for (Index m = 0; m < kMarks; ++m) {
        properties.push_back(dice(2));
        if (m == mark) answer += properties.back() << m;
      }
    }
    answers.push_back(answer);
  }
  return {{concat({hot(marks, {count, kText}, kMarks + 1),
                   to(ids(properties, {count, kText, kMarks}), DType::f32)},
                  -1)},
          ids(answers, {count})};
}

enum class Looks { source_to_token, token_to_token, feature_wise, one_weight };

class Marks : public nn::Module {
 public:
  explicit Marks(Looks looks) : looks_(looks) {}
  nn::Linear& text = child<nn::Linear>("text", kMarked, kWidth);
  SourceToToken& source = child<SourceToToken>("source", kWidth);
  TokenToToken& token = child<TokenToToken>("token", kWidth);
  FeatureWise& features = child<FeatureWise>("features", 1, kWidth, kWidth, kWidth);
  Additive& whole = child<Additive>("whole", 1, kWidth, kWidth);
  nn::Linear& hidden = child<nn::Linear>("hidden", kWidth, 48);
  nn::Linear& out = child<nn::Linear>("out", 48, kColours* kColours);

  Tensor operator()(const std::vector<Tensor>& x) const {
    return out(relu(hidden(seen(text(x[0])))));
  }

 private:
  Tensor seen(const Tensor& words) const {
    if (looks_ == Looks::source_to_token) return source(words).context;
    if (looks_ == Looks::token_to_token) return mean(token(words).context, {1});
    const Tensor query = ones({words.size(0), 1, 1});
    const Score& score =
        looks_ == Looks::feature_wise ? static_cast<const Score&>(features) : whole;
    return squeeze(attend(score, query, words, words).context, 1);
  }
  Looks looks_;
};

TEST(TasksOfParts, AWeightForEachFeatureLooksAtSeveralThingsAtOnce) {
  const auto figure = [](const char* what, Looks looks) {
    manual_seed(2);
    Marks made(looks);
    return learnt(
        what, made, marked, [&](const auto& x) { return made(x); }, 800, 0.01);
  };
  EXPECT_GT(figure("source2token", Looks::source_to_token), 0.95);
  EXPECT_GT(figure("token2token", Looks::token_to_token), 0.95);
  EXPECT_GT(figure("feature-wise", Looks::feature_wise), 0.95);
  EXPECT_LT(figure("  without: one weight for all features", Looks::one_weight), 0.7);
}

// Which token stood three places back?
constexpr Index kRun = 8, kBack = 3;

TaskBatch behind(Dice& dice, Index count) {
  Ids kinds, answers;
  for (Index b = 0; b < count; ++b) {
    for (Index t = 0; t < kRun; ++t) {
      kinds.push_back(dice(kKinds));
      answers.push_back(t < kBack ? -100 : kinds[static_cast<std::size_t>(b * kRun + t - kBack)]);
    }
  }
  return {{hot(kinds, {count, kRun}, kKinds)}, ids(answers, {count * kRun})};
}

class Offsets : public nn::Module {
 public:
  explicit Offsets(bool biased) : biased_(biased) {}
  nn::Linear& query = child<nn::Linear>("query", kKinds, kWidth);
  nn::Linear& key = child<nn::Linear>("key", kKinds, kWidth);
  Tensor& table = parameter("table", zeros({2 * kRun - 1}));
  nn::Linear& out = child<nn::Linear>("out", kKinds, kKinds);

  Tensor operator()(const std::vector<Tensor>& x) const {
    Terms terms{.mask = Mask::causal()};
    if (biased_) terms.offset_bias = table;
    const Tensor seen = attend(query(x[0]), key(x[0]), x[0], terms).context;
    return out(reshape(seen, {-1, kKinds}));
  }

 private:
  bool biased_;
};

TEST(TasksOfParts, ABiasByOffsetFindsAPlace) {
  double figures[2];
  for (const bool biased : {true, false}) {
    manual_seed(3);
    Offsets made(biased);
    figures[biased ? 1 : 0] = learnt(
        biased ? "a bias by offset" : "  without", made, behind,
        [&](const auto& x) { return made(x); }, 400, 0.05);
  }
  EXPECT_GT(figures[1], 0.95);
  EXPECT_LT(figures[0], 0.6);
}

// Things of two classes in turn among blanks: the colours of the first four, one after the other.
constexpr Index kThings = 4, kLine = 9;

TaskBatch in_turn(Dice& dice, Index count) {
  Ids classes, colours, queries, answers;
  for (Index b = 0; b < count; ++b) {
    Ids order = dice.order(kLine);
    order.resize(static_cast<std::size_t>(kThings));
    Index so_far = 0;
    for (Index t = 0; t < kLine; ++t) {
      const bool thing = std::find(order.begin(), order.end(), t) != order.end();
      classes.push_back(thing ? so_far++ % 2 : 2);
      colours.push_back(dice(kColours));
      if (thing) answers.push_back(colours.back());
    }
    for (Index i = 0; i < kThings; ++i) queries.push_back(i % 2);
  }
  const Shape line{count, kLine};
  return {{hot(classes, line, 3), hot(colours, line, kColours), hot(queries, {count, kThings}, 2)},
          ids(answers, {count * kThings})};
}

// Learns by the mean of all places where it may stop; stops in earnest afterwards.
class Walker : public nn::Module {
 public:
  explicit Walker(bool walks) : walks_(walks) {}
  std::shared_ptr<MonotonicEnergy> energy = std::make_shared<MonotonicEnergy>(
      MonotonicEnergyOptions{.query_width = 2, .key_width = 3, .hidden = kWidth, .offset = -1});
  HardMonotonic& hard = child<HardMonotonic>("hard", HardMonotonicOptions{.score = energy});
  Monotonic& mean_of = child<Monotonic>("mean", 1.0);
  nn::Linear& out = child<nn::Linear>("out", kColours, kColours);

  Tensor operator()(const std::vector<Tensor>& x) const {
    Tensor seen;
    if (walks_ && !recording()) {
      HardMonotonicMemory memory = hard.begin(x[0], x[1]);
      std::vector<Tensor> steps;
      for (Index i = 0; i < kThings; ++i) steps.push_back(memory.step(select(x[2], 1, i)).context);
      seen = stack(steps, 1);
    } else {
      seen = attend(*energy, x[2], x[0], x[1], {.normaliser = walks_ ? &mean_of : nullptr}).context;
    }
    return out(reshape(seen, {-1, kColours}));
  }

 private:
  bool walks_;
};

TEST(TasksOfParts, AWalkFindsTheNextOne) {
  double figures[2];
  for (const bool walks : {true, false}) {
    manual_seed(4);
    Walker made(walks);
    if (walks) {
      made.hard.eval();  // no draws: in earnest, it stops where p > 0.5
    }
    figures[walks ? 1 : 0] = learnt(
        walks ? "hard monotonic" : "  without: softmax", made, in_turn,
        [&](const auto& x) { return made(x); }, 600, 0.02);
  }
  EXPECT_GT(figures[1], 0.95);
  EXPECT_LT(figures[0], 0.75);
}

}  // namespace
}  // namespace heed::attention
