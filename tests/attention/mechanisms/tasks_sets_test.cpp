// Mechanisms over sets and latents learn tasks that need them, and that their counterparts, of the
// same size and after the same steps, do not learn.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "../../../attention/mechanisms/sets/hopfield.h"
#include "../../../attention/mechanisms/sets/neural_process.h"
#include "../../../attention/mechanisms/sets/perceiver.h"
#include "../../../attention/mechanisms/sets/set_transformer.h"
#include "../../../attention/mechanisms/sets/slot_attention.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/generator.h"
#include "../../../nn/linear.h"
#include "../../../optim/adam.h"
#include "learning_task.h"

namespace heed::attention {
namespace {

// Each thing of a set has a name and a colour, and points to another; one bears a mark. What is the
// colour of the one that it points to?
constexpr Index kThings = 5, kColours = 4, kWidth = 2 * kThings + kColours + 1;

TaskBatch pointed(Dice& dice, Index count) {
  Ids names, pointers, colours, marks, answers;
  for (Index b = 0; b < count; ++b) {
    const Index marked = dice(kThings), to = dice(kThings);
    for (const Index thing : dice.order(kThings)) {
      names.push_back(thing);
      pointers.push_back(thing == marked ? to : dice(kThings));
      colours.push_back(dice(kColours));
      marks.push_back(thing == marked ? 1 : 0);
      if (thing == to) answers.push_back(colours.back());
    }
  }
  const Shape shape{count, kThings};
  const auto hot = [&](const Ids& x, Index n) { return one_hot(ids(x, shape), n, DType::f32); };
  return {{concat({hot(names, kThings), hot(pointers, kThings), hot(colours, kColours),
                   unsqueeze(to(ids(marks, shape), DType::f32), -1)},
                  -1)},
          ids(answers, {count})};
}

// A set as the mean of what is made of each, whatever the others are (Zaheer et al. 2017).
class DeepSet : public nn::Module {
 public:
  nn::Linear& first = child<nn::Linear>("first", kWidth, 32);
  nn::Linear& second = child<nn::Linear>("second", 32, 32);
  nn::Linear& third = child<nn::Linear>("third", 32, 32);
  nn::Linear& out = child<nn::Linear>("out", 32, kColours);
  Tensor operator()(const Tensor& x) const {
    return out(relu(third(mean(relu(second(relu(first(x)))), {1}))));
  }
};

class SetReader : public nn::Module {
 public:
  explicit SetReader(Index points) : points_(points) {}

 private:
  Index points_;

 public:
  nn::Linear& in = child<nn::Linear>("in", kWidth, 16);
  SetTransformer& read = child<SetTransformer>(
      "read", SetTransformerOptions{.blocks = {.width = 16, .heads = 2}, .points = points_});
  nn::Linear& out = child<nn::Linear>("out", 16, kColours);
  Tensor operator()(const Tensor& x) const { return out(squeeze(read(in(x)).context, 1)); }
};

class LatentReader : public nn::Module {
 public:
  nn::Linear& in = child<nn::Linear>("in", kWidth, 16);
  Perceiver& read = child<Perceiver>(
      "read",
      PerceiverOptions{
          .input_width = 16, .latents = 3, .width = 16, .heads = 2, .blocks = 3, .hidden = 32});
  nn::Linear& out = child<nn::Linear>("out", 16, kColours);
  Tensor operator()(const Tensor& x) const { return out(mean(read(in(x)).context, {1})); }
};

TEST(TasksOfSets, SetTransformersFollowWhatAThingPointsTo) {
  manual_seed(1);
  SetReader pairs(0), induced(kThings);
  LatentReader latents;
  DeepSet without;
  const auto run = [](const char* what, auto& model, int steps, double lr) {
    return learnt(
        what, model, pointed, [&](const auto& x) { return model(x[0]); }, steps, lr);
  };
  const double by_pairs = run("Set Transformer, SAB", pairs, 800, 0.005);
  const double by_points = run("Set Transformer, ISAB", induced, 1200, 0.003);
  const double by_latents = run("Perceiver", latents, 1200, 0.005);
  const double guessed = run("  without: Deep Sets", without, 1200, 0.005);
  EXPECT_GT(by_pairs, 0.9);
  EXPECT_GT(by_points, 0.9);
  EXPECT_GT(by_latents, 0.9);
  EXPECT_LT(guessed, 0.6);
}

// The colours of some things, asked for by their names, out of what three latents know.
TaskBatch asked(Dice& dice, Index count) {
  Ids names, colours, questions, answers;
  for (Index b = 0; b < count; ++b) {
    Ids own(static_cast<std::size_t>(kThings));
    for (Index& colour : own) colour = dice(kColours);
    for (const Index thing : dice.order(kThings)) {
      names.push_back(thing);
      colours.push_back(own[static_cast<std::size_t>(thing)]);
    }
    for (Index i = 0; i < 2; ++i) {
      questions.push_back(dice(kThings));
      answers.push_back(own[static_cast<std::size_t>(questions.back())]);
    }
  }
  return {{concat({one_hot(ids(names, {count, kThings}), kThings, DType::f32),
                   one_hot(ids(colours, {count, kThings}), kColours, DType::f32)},
                  -1),
           one_hot(ids(questions, {count, 2}), kThings, DType::f32)},
          ids(answers, {count * 2})};
}

class Answerer : public nn::Module {
 public:
  nn::Linear& in = child<nn::Linear>("in", kThings + kColours, 16);
  nn::Linear& ask = child<nn::Linear>("ask", kThings, 16);
  Perceiver& read = child<Perceiver>("read", PerceiverOptions{.input_width = 16,
                                                              .latents = 8,
                                                              .width = 16,
                                                              .heads = 2,
                                                              .hidden = 32,
                                                              .query_width = 16});
  nn::Linear& first = child<nn::Linear>("first", 32, 32);
  nn::Linear& out = child<nn::Linear>("out", 16, kColours);
  nn::Linear& guess = child<nn::Linear>("guess", 32, kColours);
  Tensor operator()(const std::vector<Tensor>& x) const {
    return reshape(out(read(ask(x[1]), in(x[0])).context), {-1, kColours});
  }
  // The mean of all beside the question.
  Tensor without(const std::vector<Tensor>& x) const {
    const Tensor all = expand(mean(relu(in(x[0])), {1}, true), {x[0].size(0), 2, 16});
    return reshape(guess(relu(first(concat({all, ask(x[1])}, -1)))), {-1, kColours});
  }
};

TEST(TasksOfSets, PerceiverIoAnswersWhatIsAsked) {
  manual_seed(3);
  Answerer with, without;
  const double found = learnt(
      "Perceiver IO", with, asked, [&](const auto& x) { return with(x); }, 1500, 0.004);
  const double guessed = learnt(
      "  without: the mean and the question", without, asked,
      [&](const auto& x) { return without.without(x); }, 1500, 0.004);
  EXPECT_GT(found, 0.9);
  EXPECT_LT(guessed, 0.85);
}

// Stored patterns of random signs, each with a colour; a state that has some of one's signs turned.
constexpr Index kPatterns = 8, kSigns = 16;

TaskBatch reminded(Dice& dice, Index count) {
  std::vector<float> patterns, states;
  Ids colours, answers;
  for (Index b = 0; b < count; ++b) {
    const Index meant = dice(kPatterns);
    std::vector<float> own;
    for (Index i = 0; i < kPatterns; ++i) {
      for (Index s = 0; s < kSigns; ++s) {
        patterns.push_back(dice(2) == 0 ? -1.0F : 1.0F);
        if (i == meant) own.push_back(patterns.back());
      }
      colours.push_back(dice(kColours));
      if (i == meant) answers.push_back(colours.back());
    }
    for (Index turned = 0; turned < 2; ++turned) {
      own[static_cast<std::size_t>(dice(kSigns))] *= -1;
    }
    states.insert(states.end(), own.begin(), own.end());
  }
  const Tensor stored = Tensor(Array::from(patterns, {count, kPatterns, kSigns}));
  return {{Tensor(Array::from(states, {count, 1, kSigns})),
           concat({stored, one_hot(ids(colours, {count, kPatterns}), kColours, DType::f32)}, -1)},
          ids(answers, {count})};
}

TEST(TasksOfSets, HopfieldRemembers) {
  manual_seed(3);
  Hopfield with({.state_width = kSigns,
                 .stored_width = kSigns + kColours,
                 .head_width = 32,
                 .output = kColours,
                 .updates = 2});
  const double found = learnt(
      "Hopfield", with, reminded,
      [&](const auto& x) { return squeeze(with(x[0], x[1]).context, 1); }, 400, 0.01);
  WithoutAttention without(2 * kSigns + kColours, 48, kColours);
  const double guessed = learnt(
      "  without: means of both", without, reminded,
      [&](const auto& x) { return without(x[0], x[1]); }, 400, 0.01);
  EXPECT_GT(found, 0.9);
  EXPECT_LT(guessed, 0.5);
}

// Points of two things, each thing somewhere else each time: which belong to the first point's?
constexpr Index kPoints = 8, kPlane = 2;

TaskBatch scattered(Dice& dice, Index count) {
  std::vector<float> points;
  Ids answers;
  const auto noise = [&] { return (static_cast<float>(dice(2001)) - 1000) / 1000; };
  for (Index b = 0; b < count; ++b) {
    float centres[2][kPlane];
    do {
      for (auto& centre : centres) {
        for (float& x : centre) x = 3 * noise();
      }
    } while (std::abs(centres[0][0] - centres[1][0]) + std::abs(centres[0][1] - centres[1][1]) <
             2.5F);
    for (Index i = 0; i < kPoints; ++i) {
      const Index thing = i == 0 ? 0 : dice(2);
      for (Index d = 0; d < kPlane; ++d) points.push_back(centres[thing][d] + 0.4F * noise());
      answers.push_back(i == 0 ? -100 : thing == 0 ? 1 : 0);
    }
  }
  return {{Tensor(Array::from(points, {count, kPoints, kPlane}))}, ids(answers, {count * kPoints})};
}

class Grouper : public nn::Module {
 public:
  nn::Linear& in = child<nn::Linear>("in", kPlane, 32);
  nn::Linear& more = child<nn::Linear>("more", 32, 32);
  SlotAttention& group = child<SlotAttention>(
      "group", SlotAttentionOptions{.input = 32, .width = 16, .hidden = 32, .times = 4});
  Tensor& starts = parameter("starts", randn({2, 16}));

  // Points are alike as the shares are that two slots have of them.
  Tensor operator()(const Tensor& points) const {
    const Index B = points.size(0);
    const Tensor x = more(relu(in(points)));
    const Tensor slots = group(expand(starts, {B, 2, 16}), x).context;
    return alike(slots, x);
  }
  // The same slots as they begin.
  Tensor without(const Tensor& points) const {
    const Tensor x = more(relu(in(points)));
    return alike(expand(starts, {points.size(0), 2, 16}), x);
  }
  Tensor alike(const Tensor& slots, const Tensor& x) const {
    const Tensor keys = group.key_projection(group.input_norm(x));
    const Tensor queries = group.query_projection(group.slot_norm(slots));
    const Tensor shares = softmax(matmul(keys, transpose(queries, 1, 2)), -1);  // [B, T, 2]
    const Tensor p = sum(shares * narrow(shares, 1, 0, 1), {-1});               // [B, T]
    return reshape(log(stack({1 - p, p}, -1) + 1e-4), {-1, 2});
  }
};

TEST(TasksOfSets, SlotsFindThings) {
  manual_seed(4);
  Grouper with, without;
  const double found = learnt(
      "slot attention", with, scattered, [&](const auto& x) { return with(x[0]); }, 800, 0.005);
  const double guessed = learnt(
      "  without: slots that read nothing", without, scattered,
      [&](const auto& x) { return without.without(x[0]); }, 800, 0.005);
  EXPECT_GT(found, 0.9);
  EXPECT_LT(guessed, 0.85);
}

// Waves of any height and shift, known at some points: how near is what is foretold there to what
// is known? The mean of all points blurs it (Kim et al. 2019, figure 1).
struct Waves {
  Tensor x, y;
};

Waves waves(Dice& dice, Index count, Index points) {
  std::vector<float> x, y;
  const auto unit = [&] { return static_cast<float>(dice(2001)) / 2000; };
  for (Index b = 0; b < count; ++b) {
    const float height = 0.5F + unit(), shift = 6 * unit();
    for (Index i = 0; i < points; ++i) {
      x.push_back(6 * unit() - 3);
      y.push_back(height * std::sin(2 * x.back() + shift));
    }
  }
  return {Tensor(Array::from(x, {count, points, 1})), Tensor(Array::from(y, {count, points, 1}))};
}

double error_at_points(const char* what, bool attentive) {
  manual_seed(5);
  NeuralProcess made({.input = 1, .output = 1, .width = 32, .heads = 2, .attentive = attentive});
  optim::Adam adam(made.parameters(), {.lr = 0.003});
  Dice dice(7);
  for (int step = 0; step < 700; ++step) {
    const Waves all = waves(dice, 16, 18);
    made.zero_grad();
    const auto known = [](const Tensor& of) { return narrow(of, 1, 0, 8); };
    neural_process_loss(made(known(all.x), known(all.y), all.x, all.y), all.y).backward();
    adam.step();
  }
  const NoGrad off;
  const Waves some = waves(dice, 256, 8);
  const double error = mean(square(made(some.x, some.y, some.x).mean - some.y)).item();
  std::printf("%-44s %.4f squared error\n", what, error);
  return error;
}

TEST(TasksOfSets, AttentiveProcessesKnowWhatTheyWereTold) {
  const double told = error_at_points("attentive neural process", true);
  const double blurred = error_at_points("  without: the mean of the points", false);
  EXPECT_LT(told, 0.6 * blurred);
}

}  // namespace
}  // namespace heed::attention
