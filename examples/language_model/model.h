// A language model, by default a decoder-only Transformer (Vaswani et al. 2017; Radford et al.
// 2019): pre-norm layers that see only what stands before them, with any causal self-attention of
// the library; or one of the readers of reader.h. The output layer is the embedding's table.
//
//   ids [B, T] -> embedding + positions -> layers, causal -> norm -> logits [B, T, V]
//   ids [B, T] -> embedding -> reader -> dropout -> logits [B, T, V]
#pragma once

#include <memory>
#include <vector>

#include "../../attention/mechanisms/self_attention_kinds.h"
#include "../../attention/mechanisms/transformer/transformer_encoder.h"
#include "../../autograd/ops/packed/packed.h"
#include "../../data/text_level.h"
#include "../../io/model_directory.h"
#include "../../nn/dropout.h"
#include "../../nn/embedding.h"
#include "../known_words.h"
#include "reader.h"

namespace language_model {

/// What is kept of the tokens that were read: each layer's keys and values, or a reader's past.
struct Past {
  attention::TransformerEncoder::State layers;
  Reader::Past reader;
  Index length = 0;  ///< tokens
};

class LanguageModel : public nn::Module {
 public:
  /// Throws ValueError for sizes that do not fit together, and rotary positions with what has no
  /// queries and keys to turn.
  explicit LanguageModel(const ModelOptions& options);

  ModelOptions options;
  attention::SelfAttentionKind kind;  ///< of a reader its name alone
  nn::Embedding& tokens;
  Tensor& places;  ///< [context, width]; undefined unless learned
  nn::Dropout& dropout;
  // One of them.
  attention::TransformerEncoder* layers = nullptr;
  std::shared_ptr<Reader> reader;

  /// [B, T] -> [B, T, V]: row t scores what stands at t + 1. Throws ShapeError for T > context,
  /// unless there is a reader.
  Tensor operator()(const Tensor& ids) const;
  /// The same of texts one behind the other, i64 [N] -> [N, V], each of which sees itself alone.
  /// Throws ShapeError, ValueError as check_offsets(), and ValueError with what takes one text
  /// only:
  /// a Synthesizer, buckets, attention in linear time, a reader.
  Tensor operator()(const Packed& ids) const;
  /// What each layer looks at in a text [T] -> weights [heads, T, T] each. Throws ShapeError,
  /// ValueError with an LSTM.
  std::vector<Array> looks(const Tensor& ids) const;
  /// The next tokens [B, T] of a text -> [B, V], the scores of what follows the last of them. Costs
  /// O(T (past + T) width), in linear time O(T width). Throws ShapeError beyond the context,
  /// GradError while recording, ValueError unless there is a reader or kind.steps.
  Tensor step(const Tensor& ids, Past& past) const;
  /// The scores of what follows each of them, [B, T, V], with a reader.
  Tensor go_on(const Tensor& ids, Past& past) const;

 private:
  // [B, T, width], before the output layer.
  Tensor read(const Tensor& ids, Reader::Past* past, std::vector<Tensor>* looks = nullptr) const;
  // [count, width]; undefined where they are rotary.
  Tensor positions(Index first, Index count) const;
  Tensor embed(const Tensor& ids, const Tensor& rows) const;
  // ids [B, T], the first of which stand at `first`.
  Tensor embed(const Tensor& ids, Index first) const;
};

/// All that it takes to read and write text.
struct Language {
  data::TextLevel level = data::TextLevel::characters;
  data::Vocabulary vocabulary;
  std::unique_ptr<LanguageModel> model;
  command_line::KnownTokens known = {};
  Index batch = 12;  ///< it was trained with: how a reader is evaluated depends on it
};
/// What io::save_directory() writes and load() reads.
io::DirectoryFiles files_of(const Language& language);
/// Throws IoError; FormatError for a damaged folder, or a vocabulary that does not fit the weights.
Language load(const std::string& folder);

}  // namespace language_model
