// The network and the batch of the row transformer, on heed.
#pragma once

#include "../attention/mechanisms/transformer/transformer.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/losses/cross_entropy.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/parallel.h"
#include "../nn/embedding.h"
#include "filled.h"
#include "transformer.h"

namespace bench::transformer {

struct Network : heed::nn::Module {
  heed::nn::Embedding& source = child<heed::nn::Embedding>(
      "source", heed::nn::EmbeddingOptions{.count = kVocabulary, .width = kWidth});
  heed::nn::Embedding& target = child<heed::nn::Embedding>(
      "target", heed::nn::EmbeddingOptions{.count = kVocabulary, .width = kWidth});
  heed::attention::Transformer& transformer = child<heed::attention::Transformer>(
      "transformer", kLayers, kLayers,
      heed::attention::TransformerOptions{
          .width = kWidth, .heads = kHeads, .hidden = kInner, .dropout = 0});
  heed::nn::Linear& vocabulary = child<heed::nn::Linear>("vocabulary", kWidth, kVocabulary);
  heed::Tensor positions = numbers({kSteps, kWidth}, fill_positions);

  // i64[B, T] each -> [B * T, V]
  heed::Tensor operator()(const heed::Tensor& read, const heed::Tensor& fed) const {
    return vocabulary(
        flatten(transformer(source(read) + positions, target(fed) + positions), 0, 1));
  }
};

struct Batch {
  heed::Tensor read = ids({kBatch, kSteps}, fill_source);
  heed::Tensor fed = ids({kBatch, kSteps}, fill_fed);
  heed::Tensor wanted = ids({kBatch * kSteps}, fill_wanted);
  heed::Tensor loss(const Network& network) const {
    return cross_entropy(network(read, fed), wanted);
  }
};

}  // namespace bench::transformer
