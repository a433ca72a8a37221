// Mechanisms with a memory learn what the model without it, of the same size and trained on the
// same batches for as many steps, does not.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>

#include "../../../attention/mechanisms/memory/adaptive_computation.h"
#include "../../../attention/mechanisms/memory/key_value_memory.h"
#include "../../../attention/mechanisms/memory/lstmn.h"
#include "../../../attention/mechanisms/memory/memory_network.h"
#include "../../../attention/mechanisms/memory/neural_computer.h"
#include "../../../attention/mechanisms/memory/turing_machine.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/losses/binary_cross_entropy.h"
#include "../../../autograd/ops/losses/cross_entropy.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/generator.h"
#include "../../../nn/lstm.h"
#include "../../../optim/adam.h"
#include "../../../optim/clip.h"

namespace heed::attention {
namespace {

std::vector<Tensor> parameters_of(const std::vector<const nn::Module*>& parts) {
  std::vector<Tensor> out;
  for (const nn::Module* part : parts) {
    for (const Tensor& parameter : part->parameters()) out.push_back(parameter);
  }
  return out;
}

void train(const std::vector<Tensor>& parameters, int steps, double lr,
           const std::function<Tensor()>& loss) {
  optim::Adam adam(parameters, {.lr = lr});
  for (int step = 0; step < steps; ++step) {
    adam.zero_grad();
    loss().backward();
    optim::clip_grad_norm(parameters, 10);
    adam.step();
  }
}

// Of [N, C] logits.
double error_rate(const Tensor& logits, const Tensor& answers) {
  return mean(to(argmax(logits, -1) != answers, DType::f64)).item();
}

Tensor ids(const std::vector<Index>& values, const Shape& shape) {
  return Tensor(Array::from(values, shape));
}

// Sequences of 3 bits after a start sign, to be said `repeats` times, each time after a sign.
constexpr Index kBits = 3;
struct Copying {
  Tensor x, y, counts;
  Copying(Generator& random, Index batch, Index length, Index repeats) {
    const Index steps = 1 + length + repeats * (length + 1), width = kBits + 2;
    Array in = Array::zeros({batch, steps, width}, DType::f32);
    Array out = Array::zeros({batch, steps, kBits}, DType::f32), where = out.clone();
    const auto put = [&](Array& to, Index b, Index t, Index i, double value) {
      to.mutable_data<float>()[(b * steps + t) * to.size(2) + i] = static_cast<float>(value);
    };
    for (Index b = 0; b < batch; ++b) {
      put(in, b, 0, kBits, 1);
      for (Index t = 0; t < length; ++t) {
        for (Index i = 0; i < kBits; ++i) {
          const auto bit = static_cast<double>(random.below(2));
          put(in, b, 1 + t, i, bit);
          for (Index r = 0; r < repeats; ++r) {
            const Index go = 1 + length + r * (length + 1);
            put(in, b, go, kBits + 1, 1);
            put(out, b, go + 1 + t, i, bit);
            put(where, b, go + 1 + t, i, 1);
          }
        }
      }
    }
    x = in;
    y = out;
    counts = where;
  }
};

double bit_errors(const std::function<Tensor(const Tensor&)>& model, Index length, Index repeats) {
  const NoGrad off;
  Generator random(77);
  const Copying test(random, 64, length, repeats);
  const Tensor wrong = to((model(test.x) > 0) != (test.y > 0.5), DType::f32);
  return sum(wrong * test.counts).item() / sum(test.counts).item();
}

// Trained on lengths 1 to 5, asked for 10: the share of bits that are wrong.
double taught_to_repeat(const std::vector<Tensor>& parameters,
                        const std::function<Tensor(const Tensor&)>& model, Index repeats) {
  Generator random(101);
  train(parameters, 1000, 0.01, [&] {
    const Copying now(random, 16, 1 + random.below(5), repeats);
    return binary_cross_entropy_with_logits(model(now.x), now.y, {.weight = now.counts}) *
           (static_cast<double>(now.y.numel()) / sum(now.counts).item());
  });
  return bit_errors(model, 10, repeats);
}

// An LSTM with more numbers than the machine.
double taught_without(Index machine_has, Index hidden, Index repeats) {
  const nn::LSTM lstm({.input = kBits + 2, .hidden = hidden});
  const nn::Linear out(hidden, kBits);
  EXPECT_GT(lstm.parameter_count() + out.parameter_count(), machine_has);
  return taught_to_repeat(
      parameters_of({&lstm, &out}), [&](const Tensor& x) { return out(lstm(x).output); }, repeats);
}

TEST(Tasks, ATuringMachineRepeatsLongerSequencesThanItWasTaught) {
  manual_seed(1);
  const TuringMachine machine({.input = kBits + 2,
                               .output = kBits,
                               .hidden = 32,
                               .slots = 32,
                               .slot_width = 8,
                               .recurrent = false});
  const double with = taught_to_repeat(
      machine.parameters(), [&](const Tensor& x) { return machine(x).output; }, 2);
  const double without = taught_without(machine.parameter_count(), 32, 2);
  std::printf("repeat-copy, length 10: %.3f with, %.3f without\n", with, without);
  EXPECT_LT(with, 0.05);
  EXPECT_GT(without, 0.2);
}

TEST(Tasks, ADifferentiableComputerCopiesLongerSequencesThanItWasTaught) {
  manual_seed(1);
  const NeuralComputer machine(
      {.input = kBits + 2, .output = kBits, .hidden = 32, .slots = 16, .slot_width = 8});
  const double with = taught_to_repeat(
      machine.parameters(), [&](const Tensor& x) { return machine(x).output; }, 1);
  const double without = taught_without(machine.parameter_count(), 48, 1);
  std::printf("copy, length 10: %.3f with, %.3f without\n", with, without);
  EXPECT_LT(with, 0.15);
  EXPECT_GT(without, 0.25);
}

// Who holds which thing, and which thing is where; asked where a person is.
struct Stories {
  static constexpr Index kPeople = 4, kThings = 4, kPlaces = 4;
  static constexpr Index kVocabulary = kPeople + kThings + kPlaces + 2;
  Tensor story, question, answer;
  Stories(Generator& random, Index batch) {
    const Index holds = kVocabulary - 2, is_in = kVocabulary - 1;
    std::vector<Index> told, asked, answers;
    for (Index b = 0; b < batch; ++b) {
      const auto thing_of = random.permutation(kPeople);
      std::vector<Index> place_of;
      for (Index i = 0; i < kThings; ++i) place_of.push_back(random.below(kPlaces));
      for (const Index sentence : random.permutation(kPeople + kThings)) {
        const bool who = sentence < kPeople;
        const Index i = who ? sentence : sentence - kPeople;
        const Index thing = kPeople + (who ? thing_of[static_cast<std::size_t>(i)] : i);
        told.push_back(who ? i : thing);
        told.push_back(who ? holds : is_in);
        told.push_back(who ? thing : kPeople + kThings + place_of[static_cast<std::size_t>(i)]);
      }
      const Index person = random.below(kPeople);
      asked.push_back(person);
      answers.push_back(
          kPeople + kThings +
          place_of[static_cast<std::size_t>(thing_of[static_cast<std::size_t>(person)])]);
    }
    story = ids(told, {batch, kPeople + kThings, 3});
    question = ids(asked, {batch, 1});
    answer = ids(answers, {batch});
  }
};

TEST(Tasks, AQuestionOverTwoFactsNeedsTwoHops) {
  const auto taught = [](Index hops) {
    manual_seed(3);
    MemoryNetwork network(
        {.vocabulary = Stories::kVocabulary, .width = 20, .hops = hops, .slots = 0});
    Generator random(5);
    network.set_linear(true);
    const auto loss = [&] {
      const Stories now(random, 32);
      return cross_entropy(network(now.story, now.question).logits, now.answer);
    };
    train(network.parameters(), 1000, 0.01, loss);
    network.set_linear(false);
    train(network.parameters(), 2500, 0.01, loss);
    network.eval();
    const NoGrad off;
    const Stories test(random, 1000);
    return error_rate(network(test.story, test.question).logits, test.answer);
  };
  const double with = taught(2), without = taught(1);
  std::printf("two facts: %.3f with two hops, %.3f with one\n", with, without);
  EXPECT_LT(with, 0.05);
  EXPECT_GT(without, 0.3);
}

// Slots whose values say nothing of their keys.
TEST(Tasks, ALookUpNeedsKeysThatAreNotValues) {
  constexpr Index kNames = 12, kSlots = 5, kFeatures = 2 * kNames;
  const auto taught = [](bool keys) {
    manual_seed(7);
    const KeyValueMemory memory({.features = kFeatures, .width = 16, .hops = 1});
    Tensor queries, names, values, answers;
    Generator random(9);
    const auto draw = [&](Index batch) {
      std::vector<Index> asked, name, value, answer;
      for (Index b = 0; b < batch; ++b) {
        const auto own = random.permutation(kNames);
        const auto slot = static_cast<std::size_t>(random.below(kSlots));
        for (std::size_t i = 0; i < kSlots; ++i) {
          name.push_back(own[i]);
          value.push_back(kNames + random.below(kNames));
        }
        asked.push_back(own[slot]);
        answer.push_back(value[static_cast<std::size_t>(b * kSlots) + slot] - kNames);
      }
      queries = one_hot(ids(asked, {batch, 1}), kFeatures, DType::f32);
      names = one_hot(ids(name, {batch, kSlots}), kFeatures, DType::f32);
      values = one_hot(ids(value, {batch, kSlots}), kFeatures, DType::f32);
      answers = ids(answer, {batch});
    };
    std::vector<Index> all;
    for (Index i = 0; i < kNames; ++i) all.push_back(kNames + i);
    const Tensor candidates = one_hot(ids(all, {kNames}), kFeatures, DType::f32);
    const auto logits = [&] {
      const Tensor query = memory(queries, keys ? names : values, values).query;
      return squeeze(memory.scores(query, candidates), 1);
    };
    train(memory.parameters(), 500, 0.01, [&] {
      draw(32);
      return cross_entropy(logits(), answers);
    });
    const NoGrad off;
    draw(1000);
    return error_rate(logits(), answers);
  };
  const double with = taught(true), without = taught(false);
  std::printf("look-up: %.3f by keys, %.3f by values\n", with, without);
  EXPECT_LT(with, 0.02);
  EXPECT_GT(without, 0.5);
}

// One of the first tokens is marked; it is asked for at the end.
TEST(Tasks, AnLSTMNRecallsAnEarlyToken) {
  constexpr Index kTokens = 8, kSteps = 40, kHidden = 24;
  const auto taught = [](const std::vector<const nn::Module*>& parts,
                         const std::function<Tensor(const Tensor&)>& last) {
    Generator random(13);
    Tensor x, y;
    const auto draw = [&](Index batch) {
      Array in = Array::zeros({batch, kSteps, kTokens + 1}, DType::f32);
      std::vector<Index> answers;
      for (Index b = 0; b < batch; ++b) {
        const Index marked = random.below(5);
        for (Index t = 0; t < kSteps; ++t) {
          float* row = in.mutable_data<float>() + (b * kSteps + t) * (kTokens + 1);
          const Index token = random.below(kTokens);
          row[token] = 1;
          if (t != marked) continue;
          row[kTokens] = 1;
          answers.push_back(token);
        }
      }
      x = in;
      y = ids(answers, {batch});
    };
    train(parameters_of(parts), 150, 0.01, [&] {
      draw(32);
      return cross_entropy(last(x), y);
    });
    const NoGrad off;
    draw(500);
    return error_rate(last(x), y);
  };
  manual_seed(11);
  const LSTMN lstmn({.input = kTokens + 1, .hidden = kHidden});
  const nn::LSTM lstm({.input = kTokens + 1, .hidden = kHidden + 8});  // as many numbers
  const nn::Linear out(kHidden, kTokens), plain_out(kHidden + 8, kTokens);
  const auto with = taught(
      {&lstmn, &out}, [&](const Tensor& x) { return out(select(lstmn(x).output, 1, kSteps - 1)); });
  const auto without = taught({&lstm, &plain_out}, [&](const Tensor& x) {
    return plain_out(select(lstm(x).output, 1, kSteps - 1));
  });
  std::printf("early token: %.3f with tapes (%ld numbers), %.3f without (%ld)\n", with,
              static_cast<long>(lstmn.parameter_count()), without,
              static_cast<long>(lstm.parameter_count()));
  EXPECT_LT(with, 0.1);
  EXPECT_GT(without, 0.4);
}

// The parity of six numbers that come at once, with four units.
TEST(Tasks, PonderingFindsTheParity) {
  constexpr Index kNumbers = 6, kHidden = 4;
  const auto taught = [](Index max_steps) {
    manual_seed(2);
    const nn::RNNCell cell(kNumbers + 1, kHidden);
    const AdaptiveComputation pondering(
        {.state = kHidden,
         .cell = [&](const Tensor& x, const Tensor& state) { return cell(x, state); },
         .max_steps = max_steps});
    pondering.halting.bias.detach().copy_from(full({1}, -2.0));  // ponders long at first
    const nn::Linear out(kHidden, 2);
    Generator random(102);
    Tensor x, y;
    const auto draw = [&](Index batch) {
      std::vector<double> in;
      std::vector<Index> odd;
      for (Index b = 0; b < batch; ++b) {
        odd.push_back(0);
        for (Index i = 0; i < kNumbers; ++i) {
          const Index one = random.below(2);
          in.push_back(one == 1 ? 1 : -1);
          odd.back() ^= one;
        }
      }
      x = tensor(in, {batch, kNumbers});
      y = ids(odd, {batch});
    };
    train(parameters_of({&cell, &pondering, &out}), 1500, 0.01, [&] {
      draw(128);
      const AdaptiveComputationOutput now = pondering.step(x);
      return cross_entropy(out(now.state), y) + 0.001 * mean(now.cost);
    });
    const NoGrad off;
    draw(1000);
    return error_rate(out(pondering.step(x).state), y);
  };
  const double with = taught(16), without = taught(1);
  std::printf("parity: %.3f with, %.3f without pondering\n", with, without);
  EXPECT_LT(with, 0.04);
  EXPECT_GT(without, 0.08);
}

}  // namespace
}  // namespace heed::attention
