// The hierarchical attention network of Yang et al. 2016: words to a sentence, sentences to a
// document, each by a bidirectional GRU whose states are pooled by attention; then a linear
// classifier.
#pragma once

#include <string>
#include <vector>

#include "../../attention/mechanisms/pooling/pooling.h"
#include "../../data/document_batch.h"
#include "../../nn/dropout.h"
#include "../../nn/embedding.h"
#include "../../nn/gru.h"
#include "../../nn/linear.h"

namespace document_classifier {

using namespace heed;  // an application speaks the library's language

/// What stands where the paper has attention: its own pooling, or the two it is compared with.
enum class PoolingKind { attention, average, maximum };

/// "attention", "average", "maximum". Throws ValueError for other names.
PoolingKind pooling_kind(const std::string& name);
const char* name(PoolingKind kind);

struct ModelOptions {
  Index vocabulary = 0;
  Index classes = 0;
  Index embedding = 100;
  Index hidden = 50;  ///< of each direction
  double dropout = 0.3;
  PoolingKind pooling = PoolingKind::attention;
};

/// One level of the hierarchy: a sequence of vectors to one vector.
class Level : public nn::Module {
 public:
  Level(Index input, Index hidden, PoolingKind pooling);

  nn::GRU& encoder;

  /// x [B, T, input], the first lengths[b] places of row b -> context [B, 2 hidden], weights [B,
  /// T].
  attention::Attended operator()(const Tensor& x, const std::vector<Index>& lengths,
                                 bool need_weights);

 private:
  PoolingKind kind_;
  attention::AttentionPooling* attend_ = nullptr;
};

struct Reading {
  Tensor logits;  ///< [B, classes]
  // Only when asked for; empty for average and maximum pooling, which have no weights.
  std::vector<std::vector<double>> words;      ///< of each sentence of the batch
  std::vector<std::vector<double>> sentences;  ///< of each document
};

class HierarchicalAttention : public nn::Module {
 public:
  explicit HierarchicalAttention(const ModelOptions& options);

  ModelOptions options;
  nn::Embedding& embedding;
  nn::Dropout& dropout;
  Level& words;
  Level& sentences;
  nn::Linear& classifier;

  Reading operator()(const data::DocumentBatch& batch, bool need_weights = false);

 private:
  /// Sentence vectors [N, 2 hidden], in the batch's order.
  Tensor read_sentences(const data::DocumentBatch& batch,
                        std::vector<std::vector<double>>* weights);
};

}  // namespace document_classifier
