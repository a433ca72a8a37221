// Decoders that write while their source comes in learn when to read on, and their counterparts,
// which cannot, do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "../../../attention/masks/wait_k.h"
#include "../../../attention/mechanisms/decoders/latency.h"
#include "../../../attention/mechanisms/decoders/monotonic_heads.h"
#include "../../../attention/mechanisms/decoders/simultaneous.h"
#include "../../../attention/mechanisms/transformer/multi_head.h"
#include "../../../attention/mechanisms/transformer/transformer_decoder.h"
#include "../../../attention/positions/learned.h"
#include "../../../autograd/backward.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/losses/cross_entropy.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/generator.h"
#include "../../../core/parallel.h"
#include "../../../nn/embedding.h"
#include "../../../optim/adam.h"
#include "../../../optim/clip.h"
#include "learning_task.h"

namespace heed::attention {
namespace {

Tensor loss_of(const Tensor& logits, const Tensor& targets) {
  return cross_entropy(reshape(logits, Shape{targets.numel(), logits.size(-1)}),
                       reshape(targets, Shape{targets.numel()}));
}

template <class Loss>
void learn(nn::Module& model, int steps, double lr, const Loss& loss) {
  set_num_threads(1);  // such small models gain nothing by more
  optim::Adam adam(model.parameters(), {.lr = lr});
  for (int step = 0; step < steps; ++step) {
    adam.zero_grad();
    loss().backward();
    optim::clip_grad_norm(model.parameters(), 1);
    adam.step();
  }
}

// Words with hesitations between them, none twice, to be said without these. How far to read for a
// word nobody can know before.
struct Speech {
  static constexpr Index kRows = 32, kWords = 10, kSaid = 5, kHeard = 12;  // 0 hesitates, or begins
  Ids heard, fed, said;
  explicit Speech(Dice& dice, Index rows = kRows) : rows_(rows) {
    for (Index b = 0; b < rows; ++b) {
      const Ids order = dice.order(kWords - 1);
      std::vector<bool> word(kHeard, false);
      for (Index left = kSaid; left > 0;) {
        const auto at = static_cast<std::size_t>(dice(kHeard));
        if (!word[at]) word[at] = true, --left;
      }
      Index next = 0;
      fed.push_back(0);
      for (const bool is : word) {
        heard.push_back(is ? 1 + order[static_cast<std::size_t>(next)] : 0);
        if (!is) continue;
        said.push_back(heard.back());
        if (++next < kSaid) fed.push_back(heard.back());
      }
    }
  }
  Tensor source() const { return ids(heard, {rows_, kHeard}); }
  Tensor before() const { return ids(fed, {rows_, kSaid}); }
  Tensor targets() const { return ids(said, {rows_, kSaid}); }

 private:
  Index rows_;
};

constexpr Index kWidth = 32;

struct Interpreter : nn::Module {
  Interpreter(bool look_back, bool waits) : look_back_(look_back), waits_(waits) {}

 private:
  bool look_back_, waits_;

 public:
  nn::Embedding& source = child<nn::Embedding>("source", Speech::kWords, kWidth);
  nn::Embedding& target = child<nn::Embedding>("target", Speech::kWords, kWidth);
  LearnedPositions& places = child<LearnedPositions>("places", Speech::kHeard, kWidth);
  MonotonicHeads& heads = child<MonotonicHeads>(
      "heads", MonotonicHeadsOptions{
                   .width = kWidth, .heads = 2, .look_back = look_back_, .noise = 1, .offset = -1});
  MultiHead& fixed = child<MultiHead>("fixed", kWidth, 2);
  nn::Linear& out = child<nn::Linear>("out", kWidth, Speech::kWords);

  MonotonicAttended look(const Speech& speech) const {
    const Tensor query = target(speech.before()), keys = places(source(speech.source()));
    if (!waits_) return heads(query, keys);
    // Reads one word for each that it writes, from the third on.
    return {fixed(query, keys, keys, {.mask = masks::wait_k({.wait = 3})})};
  }
};

struct Heard {
  double right, lagging;
};

// One sentence after the other, as they come in.
Heard interpret(const Interpreter& model, Dice& dice) {
  const NoGrad off;
  double right = 0, behind = 0;
  constexpr Index kSentences = 100;
  for (Index n = 0; n < kSentences; ++n) {
    const Speech speech(dice, 1);
    const Tensor keys = select(model.places(model.source(speech.source())), 0, 0);
    MonotonicStream stream = model.heads.stream();
    Index last = 0;
    const SimultaneousText text = write_while_reading(
        {.read =
             [&] {
               if (stream.places() == Speech::kHeard) {
                 stream.end();
                 return false;
               }
               stream.read(narrow(keys, 0, stream.places(), 1));
               return true;
             },
         .write = [&](Index, Index, bool) -> std::optional<Index> {
           const auto step = stream.write(select(model.target(ids({last}, {1})), 0, 0));
           if (!step) return std::nullopt;
           return last = argmax(model.out(step->context), -1).array().to_vector<Index>()[0];
         }},
        -1, Speech::kSaid);
    for (std::size_t i = 0; i < text.words.size(); ++i) {
      right += text.words[i] == speech.said[i] ? 1.0 / (kSentences * Speech::kSaid) : 0;
    }
    std::vector<double> read(text.read.begin(), text.read.end());
    behind += differentiable_average_lagging(tensor(read, {1, Speech::kSaid}, DType::f64),
                                             {Speech::kHeard})
                  .item() /
              kSentences;
  }
  return {right, behind};
}

struct Learnt {
  double share;  // all at once, as in training
  Heard heard;   // word by word; nothing where it waits
};

Learnt speech(bool look_back, bool waits, double cost_of_waiting, int steps = 1200) {
  manual_seed(7);
  Interpreter model(look_back, waits);
  Dice dice(3);
  const std::vector<Index> sources(Speech::kRows, Speech::kHeard);
  learn(model, steps, 0.01, [&] {
    const Speech batch(dice);
    const MonotonicAttended seen = model.look(batch);
    Tensor loss = loss_of(model.out(seen.context), batch.targets());
    if (cost_of_waiting > 0) {
      const MonotonicLatency wait = monotonic_latency(expected_delays(seen.alignment), sources);
      loss = loss + cost_of_waiting * (mean(wait.lagging) + mean(wait.variance));
    }
    return loss;
  });
  model.eval();
  const NoGrad off;
  const Speech fresh(dice, 256);
  const Tensor guesses = argmax(model.out(model.look(fresh).context), -1);
  const double share = mean(to(guesses == fresh.targets(), DType::f64)).item();
  return {share, waits ? Heard{} : interpret(model, dice)};
}

TEST(SimultaneousTasks, HeadsListenForTheNextWord) {
  const Learnt fixed = speech(false, true, 0);
  std::printf("right words: wait-3 %.3f\n", fixed.share);
  EXPECT_LE(fixed.share, 0.7);
  for (const bool look_back : {false, true}) {
    const Learnt made = speech(look_back, false, 0.02);
    std::printf("look_back %d: right words %.3f, word by word %.3f, %.2f behind\n",
                look_back ? 1 : 0, made.share, made.heard.right, made.heard.lagging);
    EXPECT_GE(made.heard.right, 0.9);
  }
}

// Words to be said again, in their order: one could begin at once, or as well hear all first.
struct Repeater : nn::Module {
  static constexpr Index kRows = 32, kSteps = 8, kWords = 12;
  nn::Embedding& source = child<nn::Embedding>("source", kWords, kWidth);
  LearnedPositions& places = child<LearnedPositions>("places", kSteps, kWidth);
  LearnedPositions& steps = child<LearnedPositions>("steps", kSteps, kWidth);
  MonotonicHeads& heads = child<MonotonicHeads>(
      "heads", MonotonicHeadsOptions{.width = kWidth, .heads = 2, .look_back = true, .noise = 1});
  nn::Linear& out = child<nn::Linear>("out", kWidth, kWords);
  MonotonicAttended look(const Tensor& words) const {
    return heads(steps(zeros({words.size(0), kSteps, kWidth})), places(source(words)));
  }
};

Heard repeating(double cost_of_waiting) {
  manual_seed(7);
  Repeater model;
  Dice dice(3);
  const auto draw = [&] {
    Ids words;
    for (Index i = 0; i < Repeater::kRows * Repeater::kSteps; ++i) {
      words.push_back(dice(Repeater::kWords));
    }
    return ids(words, {Repeater::kRows, Repeater::kSteps});
  };
  const std::vector<Index> sources(Repeater::kRows, Repeater::kSteps);
  learn(model, 600, 0.01, [&] {
    const Tensor words = draw();
    const MonotonicAttended seen = model.look(words);
    const MonotonicLatency wait = monotonic_latency(expected_delays(seen.alignment), sources);
    return loss_of(model.out(seen.context), words) +
           cost_of_waiting * (mean(wait.lagging) + mean(wait.variance));
  });
  model.eval();
  model.heads.alignment.hard = true;
  const NoGrad off;
  const Tensor words = draw();
  const MonotonicAttended seen = model.look(words);
  const Tensor delays = amax(expected_delays(seen.alignment), {1});  // of the slowest head
  return {mean(to(argmax(model.out(seen.context), -1) == words, DType::f64)).item(),
          mean(differentiable_average_lagging(delays, sources)).item()};
}

TEST(SimultaneousTasks, WhoPaysForWaitingReadsLess) {
  const Heard paying = repeating(0.1), free = repeating(0);
  std::printf("words behind: paying %.2f (right %.3f), free %.2f (right %.3f)\n", paying.lagging,
              paying.right, free.lagging, free.right);
  EXPECT_GE(paying.right, 0.95);
  EXPECT_LE(paying.lagging, 2);
  EXPECT_GE(free.lagging, 4);
}

// Words, of which each two change places: who writes the first must have read the second.
struct Pairs {
  static constexpr Index kRows = 32, kSteps = 8, kWords = 12;
  Tensor source, fed, targets;
  explicit Pairs(Dice& dice) {
    Ids from, in, to;
    for (Index b = 0; b < kRows; ++b) {
      in.push_back(0);
      for (Index t = 0; t < kSteps; t += 2) {
        const Index first = 1 + dice(kWords - 1), second = 1 + dice(kWords - 1);
        from.insert(from.end(), {first, second});
        to.insert(to.end(), {second, first});
        in.push_back(second);
        if (t + 2 < kSteps) in.push_back(first);
      }
    }
    source = ids(from, {kRows, kSteps});
    fed = ids(in, {kRows, kSteps});
    targets = ids(to, {kRows, kSteps});
  }
};

struct Waiter : nn::Module {
  nn::Embedding& source = child<nn::Embedding>("source", Pairs::kWords, kWidth);
  nn::Embedding& target = child<nn::Embedding>("target", Pairs::kWords, kWidth);
  LearnedPositions& places = child<LearnedPositions>("places", Pairs::kSteps, kWidth);
  LearnedPositions& steps = child<LearnedPositions>("steps", Pairs::kSteps, kWidth);
  TransformerDecoder& decoder = child<TransformerDecoder>(
      "decoder", Index{1},
      TransformerOptions{.width = kWidth, .heads = 2, .hidden = 64, .dropout = 0});
  nn::Linear& out = child<nn::Linear>("out", kWidth, Pairs::kWords);
  Tensor operator()(const Pairs& batch, const Mask& seen) const {
    return out(decoder(steps(target(batch.fed)), places(source(batch.source)),
                       {.mask = Mask::causal()}, {.mask = seen})
                   .output);
  }
};

// Trained under one mask, and asked under wait-2.
double pairs(const Mask& trained, const Mask& asked) {
  manual_seed(7);
  Waiter model;
  Dice dice(3);
  learn(model, 500, 0.005, [&] {
    const Pairs batch(dice);
    return loss_of(model(batch, trained), batch.targets);
  });
  model.eval();
  const NoGrad off;
  double share = 0;
  for (int i = 0; i < 8; ++i) {
    const Pairs batch(dice);
    share += mean(to(argmax(model(batch, asked), -1) == batch.targets, DType::f64)).item() / 8;
  }
  return share;
}

TEST(SimultaneousTasks, WhoWaitsForTwoChangesTwo) {
  const Mask two = masks::wait_k({.wait = 2}), one = masks::wait_k({.wait = 1});
  const double with = pairs(two, two), without = pairs(one, one);
  std::printf("right words: wait-2 %.3f, wait-1 %.3f\n", with, without);
  EXPECT_GE(with, 0.95);
  EXPECT_LE(without, 0.7);
}

}  // namespace
}  // namespace heed::attention
