// BERT (Devlin et al. 2019): a Transformer's encoder over words, their places and their segments,
// and what was trained on top of it.
#pragma once

#include "../attention/mechanisms/transformer/transformer_encoder.h"
#include "../nn/embedding.h"

namespace heed::pretrained {

struct BertOptions {
  Index vocabulary = 0, context = 0, segments = 2, layers = 0;
  attention::TransformerOptions stack;
  bool pooler = false;  ///< tanh(pooler(first)) of the first place
  bool masked_words =
      false;          ///< the head that fills in masked words; its matrix is the embedding's
  Index classes = 0;  ///< of a classifier over the pooled; 0: none
};

/// What is there of it.
struct BertOutput {
  Tensor hidden;      ///< [B, T, width]
  Tensor pooled;      ///< [B, width]
  Tensor words;       ///< logits [B, T, vocabulary]
  Tensor classified;  ///< logits [B, classes]
};

class Bert : public nn::Module {
 public:
  /// Throws ValueError, also for a classifier without a pooler.
  explicit Bert(const BertOptions& options);

  nn::Embedding &words, &positions, &segments;
  attention::TransformerNorm& norm;
  nn::Dropout& dropout;
  attention::TransformerEncoder& encoder;
  nn::Linear *pooler, *transform;              ///< null without
  attention::TransformerNorm* transform_norm;  ///< null without masked_words
  Tensor& words_bias;                          ///< [vocabulary]; undefined without masked_words
  nn::Linear* classifier;                      ///< null without

  /// ids i64 [B, T] of these lengths, of which segment i64 [B, T]; undefined: all of the first.
  /// Throws IndexError, ShapeError for more places than the context and segments of another shape.
  BertOutput operator()(const Tensor& ids, const std::vector<Index>& lengths,
                        const Tensor& segment = Tensor()) const;

  const BertOptions& options() const { return options_; }

 private:
  BertOptions options_;
};

}  // namespace heed::pretrained
