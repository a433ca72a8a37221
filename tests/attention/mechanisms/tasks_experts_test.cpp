// A stack with experts learns a task of several rules in steps that are too few for the dense stack
// with the same active parameters; and the balance loss evens what the experts have to do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "../../../attention/mechanisms/transformer/transformer_encoder.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/losses/cross_entropy.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/generator.h"
#include "../../../nn/linear.h"
#include "../../../optim/adam.h"
#include "learning_task.h"

namespace heed::attention {
namespace {

// Each token says by which rule of sixteen it is to be translated.
constexpr Index kRules = 16, kThings = 16, kLine = 4, kWidth = 32, kExperts = 32;

TaskBatch translated(Dice& dice, Index count) {
  Dice printed(17);  // the same rules each time
  std::vector<Ids> rules;
  for (Index i = 0; i < kRules; ++i) rules.push_back(printed.order(kThings));
  Ids by, things, answers;
  for (Index i = 0; i < count * kLine; ++i) {
    by.push_back(dice(kRules));
    things.push_back(dice(kThings));
    answers.push_back(
        rules[static_cast<std::size_t>(by.back())][static_cast<std::size_t>(things.back())]);
  }
  const Shape shape{count, kLine};
  return {{concat({one_hot(ids(by, shape), kRules, DType::f32),
                   one_hot(ids(things, shape), kThings, DType::f32)},
                  -1)},
          ids(answers, {count * kLine})};
}

// Two experts of two units are as many as four units of the dense part.
TransformerOptions options(Index experts) {
  TransformerOptions out{.width = kWidth,
                         .heads = 1,
                         .hidden = experts == 0 ? Index{4} : Index{2},
                         .dropout = 0,
                         .pre_norm = true,
                         .activation = Activation::swiglu};
  if (experts > 0) {
    out.experts = [experts](MixtureOfExpertsOptions own, Index) {
      own.experts = experts;
      return own;
    };
  }
  return out;
}

class Translator : public nn::Module {
 public:
  explicit Translator(Index experts) : experts_(experts) {}

 private:
  Index experts_;

 public:
  nn::Linear& in = child<nn::Linear>("in", kThings + kRules, kWidth);
  TransformerEncoder& read = child<TransformerEncoder>("read", 1, options(experts_), true);
  nn::Linear& out = child<nn::Linear>("out", kWidth, kThings);

  TransformerOutput states(const Tensor& x) const { return read(in(x)); }
  Tensor answers(const TransformerOutput& seen) const {
    return out(reshape(seen.output, {-1, kWidth}));
  }
};

TEST(TasksOfExperts, AStackKnowsSixteenRules) {
  double figures[2];
  for (const Index experts : {kExperts, Index{0}}) {
    manual_seed(8);
    Translator made(experts);
    figures[experts == 0 ? 0 : 1] = learnt(
        experts == 0 ? "  without: a dense stack of as many active" : "a stack with experts", made,
        translated, [&](const auto& x) { return made.answers(made.states(x[0])); }, 400, 0.01);
  }
  EXPECT_GT(figures[1], 0.9);
  EXPECT_LT(figures[0], 0.75);
}

// The largest share of a layer's choices that one expert has, where 1 / 32 is even.
double largest_share(double weight) {
  manual_seed(9);
  Translator made(kExperts);
  optim::Adam adam(made.parameters(), {.lr = 0.01});
  Dice dice(5);
  for (int step = 0; step < 300; ++step) {
    const TaskBatch batch = translated(dice, 32);
    made.zero_grad();
    const TransformerOutput seen = made.states(batch.inputs[0]);
    (cross_entropy(made.answers(seen), batch.answers) + weight * seen.balance()).backward();
    adam.step();
  }
  const NoGrad off;
  double most = 0;
  for (const Routed& layer : made.states(translated(dice, 1024).inputs[0]).routed) {
    const double all = std::accumulate(layer.load.begin(), layer.load.end(), 0.0);
    const double own = static_cast<double>(*std::max_element(layer.load.begin(), layer.load.end()));
    most = std::max(most, own / all);
  }
  std::printf("balance loss times %.1f: the busiest expert of 32 has %4.1f %%\n", weight,
              100 * most);
  return most;
}

TEST(TasksOfExperts, TheBalanceLossEvensTheLoads) {
  const double even = largest_share(1), free = largest_share(0);
  EXPECT_LT(even, 0.08);
  EXPECT_GT(free, even);
}

}  // namespace
}  // namespace heed::attention
