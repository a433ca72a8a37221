// Whole models trained with attention have the same bits for any number of threads, and give back
// what they took.
#include <gtest/gtest.h>

#include <functional>

#include "../../attention/attend.h"
#include "../../attention/mechanisms/transformer/transformer.h"
#include "../../attention/scores/additive.h"
#include "../../autograd/backward.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/allocator.h"
#include "../../core/generator.h"
#include "../../core/parallel.h"
#include "../../nn/cells.h"
#include "../../nn/embedding.h"
#include "../../nn/gru.h"
#include "../../nn/maxout.h"
#include "../../optim/adam.h"

namespace heed::attention {
namespace {

constexpr Index kVocabulary = 211;

Tensor words(Index batch, Index steps, Index shift) {
  Array ids = Array::empty({batch, steps}, DType::i64);
  for (Index i = 0; i < ids.numel(); ++i) {
    ids.mutable_data<std::int64_t>()[i] = (i * 31 + shift) % kVocabulary;
  }
  return ids;
}

struct Translator : nn::Module {
  nn::Embedding& source = child<nn::Embedding>("source", kVocabulary, Index{32});
  nn::Embedding& target = child<nn::Embedding>("target", kVocabulary, Index{32});
  Transformer& transformer =
      child<Transformer>("transformer", Index{1}, Index{1},
                         TransformerOptions{.width = 32, .heads = 4, .hidden = 64, .dropout = 0.1});
  nn::Linear& out = child<nn::Linear>("out", 32, kVocabulary);

  Tensor operator()(const Tensor& read, const Tensor& fed) const {
    return out(transformer(source(read), target(fed), Mask::lengths({13, 7, 11, 2}, 13)));
  }
};

// Bahdanau's: a GRU both ways, additive scores over keys that are prepared once.
struct Seq2Seq : nn::Module {
  nn::Embedding& source = child<nn::Embedding>("source", kVocabulary, Index{24});
  nn::Embedding& target = child<nn::Embedding>("target", kVocabulary, Index{24});
  nn::GRU& encoder =
      child<nn::GRU>("encoder", nn::GRUOptions{.input = 24, .hidden = 32, .bidirectional = true});
  Additive& score = child<Additive>("score", 32, 64, 32);
  nn::GRUCell& cell = child<nn::GRUCell>("cell", 88, 32);
  nn::Maxout& readout = child<nn::Maxout>("readout", 32, 16, 2);
  nn::Linear& out = child<nn::Linear>("out", 16, kVocabulary);

  Tensor operator()(const Tensor& read, const Tensor& fed) const {
    const std::vector<Index> lengths = {13, 7, 11, 2};
    const Tensor states = encoder(source(read), lengths).output;
    const Memory memory(score, states, states, Mask::lengths(lengths, 13));
    const Tensor inputs = target(fed);
    Tensor state = zeros({read.size(0), 32});
    std::vector<Tensor> outs;
    for (Index t = 0; t < fed.size(1); ++t) {
      const Tensor context = squeeze(memory.attend(unsqueeze(state, 1)).context, 1);
      state = cell(concat({select(inputs, 1, t), context}, 1), state);
      outs.push_back(state);
    }
    return out(readout(stack(outs, 1)));
  }
};

template <class Model>
void step(const Model& model, optim::Adam& adam) {
  adam.zero_grad();
  const Tensor logits = model(words(4, 13, 1), words(4, 9, 2));
  cross_entropy(flatten(logits, 0, 1), reshape(words(4, 9, 3), {36})).backward();
  adam.step();
}

template <class Model>
std::vector<float> trained(int threads) {
  set_num_threads(threads);
  manual_seed(13);
  Model model;
  optim::Adam adam(model.parameters(), {.lr = 1e-3});
  for (int i = 0; i < 200; ++i) step(model, adam);
  std::vector<float> all;
  for (const Tensor& parameter : model.parameters()) {
    for (const float x : parameter.array().to_vector<float>()) all.push_back(x);
  }
  return all;
}

template <class Model>
class Trained : public testing::Test {};
using Models = testing::Types<Translator, Seq2Seq>;
TYPED_TEST_SUITE(Trained, Models);

TYPED_TEST(Trained, HasTheSameBitsForAnyNumberOfThreads) {
  const int before = num_threads();
  const auto one = trained<TypeParam>(1);
  for (const int threads : {2, 3, 4}) EXPECT_EQ(trained<TypeParam>(threads), one) << threads;
  set_num_threads(before);
}

TYPED_TEST(Trained, LeavesNothingBehindAndAsksForNothingMore) {
  TypeParam model;
  optim::Adam adam(model.parameters());
  for (int i = 0; i < 3; ++i) step(model, adam);
  const MemoryStats before = memory_stats();
  for (int i = 0; i < 100; ++i) step(model, adam);
  const MemoryStats after = memory_stats();
  EXPECT_EQ(after.live_bytes, before.live_bytes);
  EXPECT_EQ(after.live_tensors, before.live_tensors);
  EXPECT_EQ(after.live_nodes, before.live_nodes);
  EXPECT_EQ(after.system_allocations, before.system_allocations);
}

// One [T, T] block would be 16.8 MB; queries, keys, values and the like are 0.26 MB each.
TEST(Tiled, MakesNoBlockOfQueriesByKeys) {
  constexpr Index kT = 2048, kD = 32;
  manual_seed(3);
  Tensor q = randn({kT, kD}), k = randn({kT, kD}), v = randn({kT, kD});
  for (Tensor* x : {&q, &k, &v}) x->set_requires_grad();
  const Additive additive(kD, kD, kD);
  const ScaledDot scaled_dot;
  for (const Score* score : std::initializer_list<const Score*>{&scaled_dot, &additive}) {
    const std::int64_t reserved = memory_stats().reserved_bytes;
    set_memory_limit(reserved + 14'000'000);
    EXPECT_NO_THROW(sum(attend(*score, q, k, v, {.mask = Mask::causal()}).context).backward());
    set_memory_limit(0);
  }
}

}  // namespace
}  // namespace heed::attention
