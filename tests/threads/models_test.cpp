// Models on several threads: one that all read, and one for each.
#include <gtest/gtest.h>

#include <atomic>

#include "../../attention/mechanisms/pooling/pooling.h"
#include "../../attention/mechanisms/transformer/transformer_encoder.h"
#include "../../autograd/backward.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/dropout.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/allocator.h"
#include "../../core/generator.h"
#include "../../nn/batch_norm.h"
#include "../../nn/conv.h"
#include "../../nn/embedding.h"
#include "../../nn/gru.h"
#include "../../nn/linear.h"
#include "../../optim/adam.h"
#include "../../optim/clip.h"
#include "on_threads.h"

namespace heed {
namespace {

constexpr int kThreads = 8;

// A little of all: a table, a convolution, normalisation, a recurrent layer, self-attention with
// dropout, a pooling.
struct Reader : nn::Module {
  nn::Embedding& words = child<nn::Embedding>("words", 31, 6);
  nn::Conv1d& conv = child<nn::Conv1d>("conv", 6, 6, 3, Conv1dOptions{.same = true});
  nn::BatchNorm1d& norm = child<nn::BatchNorm1d>("norm", 6);
  nn::GRU& gru = child<nn::GRU>("gru", nn::GRUOptions{.input = 6, .hidden = 6});
  attention::TransformerEncoderLayer& layer = child<attention::TransformerEncoderLayer>(
      "layer", attention::TransformerOptions{.width = 6, .heads = 2, .hidden = 13, .dropout = 0.1});
  attention::AttentionPooling& pool = child<attention::AttentionPooling>("pool", 6);
  nn::Linear& out = child<nn::Linear>("out", 6, 3);

  Tensor operator()(const Tensor& ids) const {
    const std::vector<Index> lengths = {11, 5, 2};
    const Tensor x = transpose(norm(conv(transpose(words(ids), 1, 2))), 1, 2);
    const Tensor h = gru(x, lengths).output;
    const auto mask = attention::Mask::lengths(lengths, 11);
    return forwarded(out(pool(layer(h, {.mask = mask}).context, mask).context));
  }
};

Tensor some_ids(int shift) {
  Array ids = Array::empty({3, 11}, DType::i64);
  for (Index i = 0; i < ids.numel(); ++i) {
    ids.mutable_data<std::int64_t>()[i] = (i * 7 + shift) % 31;
  }
  return ids;
}

std::vector<float> floats(const Tensor& x) { return x.array().to_vector<float>(); }

std::vector<float> weights(const nn::Module& model) {
  std::vector<float> out;
  for (const Tensor& parameter : model.parameters()) {
    for (const float x : floats(parameter)) out.push_back(x);
  }
  return out;
}

TEST(OneModel, IsReadByEightThreads) {
  manual_seed(17);
  Reader model;
  model.eval();
  std::atomic<int> calls = 0;
  model.register_forward_hook([&](const nn::Module&, const Tensor& output) {
    ++calls;
    return output * 2;
  });
  std::vector<std::vector<float>> expected;
  for (int t = 0; t < kThreads; ++t) expected.push_back(floats(model(some_ids(t))));
  const MemoryStats before = memory_stats();
  std::vector<int> wrong(kThreads, 0);
  on_threads(kThreads, [&](int t) {
    const InferenceMode mode;
    const auto at = static_cast<std::size_t>(t);
    for (int i = 0; i < 10; ++i) wrong[at] += floats(model(some_ids(t))) != expected[at];
  });
  EXPECT_EQ(wrong, std::vector<int>(kThreads, 0));
  EXPECT_EQ(calls, kThreads * 11);
  EXPECT_EQ(memory_stats().live_bytes, before.live_bytes);
}

// Each differentiates its own graph over the parameters that all share: no grad() is touched.
TEST(OneModel, IsDifferentiatedByEightThreads) {
  manual_seed(17);
  Reader model;
  model.eval();
  const auto gradients = [&](int t) {
    std::vector<float> out;
    for (const Tensor& g : grad({sum(square(model(some_ids(t))))}, model.parameters())) {
      for (const float x : floats(g)) out.push_back(x);
    }
    return out;
  };
  std::vector<std::vector<float>> expected;
  for (int t = 0; t < kThreads; ++t) expected.push_back(gradients(t));
  std::vector<int> wrong(kThreads, 0);
  on_threads(kThreads, [&](int t) {
    const auto at = static_cast<std::size_t>(t);
    for (int i = 0; i < 5; ++i) wrong[at] += gradients(t) != expected[at];
  });
  EXPECT_EQ(wrong, std::vector<int>(kThreads, 0));
}

// Dropout draws from a generator that is put in: the default one belongs to all.
struct Trained : nn::Module {
  nn::Embedding& words = child<nn::Embedding>("words", 31, 6);
  nn::GRU& gru = child<nn::GRU>("gru", nn::GRUOptions{.input = 6, .hidden = 7});
  nn::Linear& out = child<nn::Linear>("out", 7, 3);
  Tensor operator()(const Tensor& ids, Generator& generator) const {
    const Tensor h = dropout(words(ids), 0.2, generator);
    return out(select(gru(h, {11, 5, 2}).h_n, 0, 0));
  }
};

std::vector<float> trained(const Trained& model, int t) {
  Generator generator(static_cast<std::uint64_t>(t));
  optim::Adam adam(model.parameters(), {.lr = 1e-2});
  for (int step = 0; step < 10; ++step) {
    adam.zero_grad();
    mean(square(model(some_ids(t + step), generator))).backward();
    optim::clip_grad_norm(model.parameters(), 1);
    adam.step();
  }
  return weights(model);
}

TEST(EightModels, AreTrainedAtOnceToTheBitsOfOneAfterTheOther) {
  std::vector<std::vector<float>> expected(kThreads), found(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    manual_seed(static_cast<std::uint64_t>(t));
    const Trained model;
    expected[static_cast<std::size_t>(t)] = trained(model, t);
  }
  std::vector<std::unique_ptr<Trained>> models;
  for (int t = 0; t < kThreads; ++t) {
    manual_seed(static_cast<std::uint64_t>(t));
    models.push_back(std::make_unique<Trained>());
  }
  const MemoryStats before = memory_stats();
  on_threads(kThreads, [&](int t) {
    const auto at = static_cast<std::size_t>(t);
    found[at] = trained(*models[at], t);
    for (Tensor& parameter : models[at]->parameters()) parameter.zero_grad();
  });
  EXPECT_EQ(found, expected);
  const MemoryStats after = memory_stats();
  EXPECT_EQ(after.live_nodes, before.live_nodes);
  EXPECT_EQ(after.live_tensors, before.live_tensors);
  EXPECT_EQ(after.live_bytes, before.live_bytes);
}

// Initialised, trained and destroyed on the thread; all draw from the default generator.
TEST(EightModels, LiveAndDieOnTheirThreads) {
  const MemoryStats before = memory_stats();
  on_threads(kThreads, [&](int t) {
    Reader model;
    optim::Adam adam(model.parameters());
    for (int step = 0; step < 3; ++step) {
      adam.zero_grad();
      mean(square(model(some_ids(t + step)))).backward();
      adam.step();
    }
  });
  const MemoryStats after = memory_stats();
  EXPECT_EQ(after.live_nodes, before.live_nodes);
  EXPECT_EQ(after.live_tensors, before.live_tensors);
  EXPECT_EQ(after.live_storages, before.live_storages);
}

}  // namespace
}  // namespace heed
