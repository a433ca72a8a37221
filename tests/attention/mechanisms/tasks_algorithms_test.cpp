// What is learned on short sequences goes on to longer ones where the same small units work at
// every place and in every step; a recurrent network that reads both ways has no such algorithm.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>

#include "../../../attention/mechanisms/memory/neural_gpu.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/losses/cross_entropy.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/generator.h"
#include "../../../nn/embedding.h"
#include "../../../nn/lstm.h"
#include "../../../optim/adam.h"
#include "../../../optim/clip.h"
#include "learning_task.h"

namespace heed::attention {
namespace {

constexpr Index kSymbols = 4, kWidth = 24, kTaught = 6, kAsked = 10;

// Words of n symbols, and the same from behind.
TaskBatch reversed(Dice& dice, Index count, Index n) {
  Ids words, answers;
  for (Index i = 0; i < count * n; ++i) words.push_back(dice(kSymbols));
  for (Index i = 0; i < count * n; ++i) {
    answers.push_back(words[static_cast<std::size_t>(i / n * n + n - 1 - i % n)]);
  }
  return {{ids(words, {count, n})}, ids(answers, {count * n})};
}

struct Wrong {
  double taught, longer;  // shares of symbols of words of kTaught and kAsked
};

// Between an embedding and a layer that reads states [B, T, `states`].
Wrong taught(const char* what, const nn::Module& module, Index states,
             const std::function<Tensor(const Tensor&)>& run) {
  const nn::Embedding embed(kSymbols, kWidth);
  const nn::Linear out(states, kSymbols);
  std::vector<Tensor> parameters;
  for (const nn::Module* part :
       {&module, static_cast<const nn::Module*>(&embed), static_cast<const nn::Module*>(&out)}) {
    for (const Tensor& each : part->parameters()) parameters.push_back(each);
  }
  const auto logits = [&](const TaskBatch& batch) {
    return reshape(out(run(embed(batch.inputs[0]))), {-1, kSymbols});
  };
  optim::Adam adam(parameters, {.lr = 0.007});
  Dice dice(5);
  for (int step = 0; step < 700; ++step) {
    const TaskBatch now = reversed(dice, 16, 1 + dice(kTaught));
    adam.zero_grad();
    cross_entropy(logits(now), now.answers).backward();
    optim::clip_grad_norm(parameters, 1);
    adam.step();
  }
  const NoGrad off;
  const auto wrong = [&](Index n) {
    const TaskBatch test = reversed(dice, 256, n);
    return mean(to(argmax(logits(test), -1) != test.answers, DType::f64)).item();
  };
  const Wrong rates{wrong(kTaught), wrong(kAsked)};
  std::printf("%-36s wrong of %d symbols %.3f, of %d %.3f; %d parameters\n", what,
              static_cast<int>(kTaught), rates.taught, static_cast<int>(kAsked), rates.longer,
              static_cast<int>(module.parameter_count()));
  return rates;
}

TEST(TasksOfAlgorithms, ANeuralGPUReversesLongerWordsThanItWasTaught) {
  manual_seed(1);
  const NeuralGPU gpu({.width = kWidth, .columns = 2, .layers = 1});
  const nn::LSTM lstm({.input = kWidth, .hidden = 40, .bidirectional = true});
  EXPECT_GT(lstm.parameter_count(), gpu.parameter_count());
  const Wrong with =
      taught("neural GPU", gpu, kWidth, [&](const Tensor& x) { return gpu(x).output; });
  const Wrong without = taught("  without: an LSTM both ways", lstm, 80,
                               [&](const Tensor& x) { return lstm(x).output; });
  EXPECT_LT(with.taught, 0.05);
  EXPECT_LT(with.longer, 0.3);
  EXPECT_GT(without.taught, 0.25);
  EXPECT_GT(without.longer, 0.45);
}

}  // namespace
}  // namespace heed::attention
