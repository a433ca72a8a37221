// Transformers that write one text for another, as CTranslate2 keeps them (ctranslate2_file.h).
// Beside model.bin stand the vocabularies, a word a line. Layers are pre-norm with a last norm;
// queries, keys and values of self-attention are one matrix, keys and values of the other attention
// another.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../attention/mechanisms/transformer/transformer.h"
#include "../nn/beam_search.h"
#include "../nn/embedding.h"

namespace heed::pretrained {

struct SequenceModelOptions {
  Index source_words = 0, target_words = 0, encoder_layers = 0, decoder_layers = 0;
  attention::TransformerOptions stack;
};

/// Embeddings times sqrt(width), positions 1, 2 .. (the first half of the width sines, the other
/// cosines), both stacks, and a projection.
class SequenceModel : public nn::Module {
 public:
  explicit SequenceModel(const SequenceModelOptions& options);

  nn::Embedding &source, &target;
  attention::Transformer& transformer;
  nn::Linear& projection;

  /// Sources i64 [B, S] of these lengths -> a search's decoding. It looks on the model.
  std::unique_ptr<nn::Decoding> start(const Tensor& ids, const std::vector<Index>& lengths) const;
  /// Targets i64 [B, T] behind sources i64 [B, S] of these lengths -> logits [B, T, target words].
  Tensor operator()(const Tensor& source_ids, const Tensor& target_ids,
                    const std::vector<Index>& lengths) const;

 private:
  static Tensor embedded(const nn::Embedding& table, const Tensor& ids, Index first);
};

using Words = std::vector<std::string>;

/// A model with its vocabularies.
struct Translator {
  std::unique_ptr<SequenceModel> model;
  Words source_words, target_words;

  /// The numbers of words. Throws ValueError for one that is not there.
  static std::vector<Index> ids(const Words& vocabulary, const Words& words);
  /// The n best of each source, `options` with the marks `<s>` and `</s>` where they are below 0.
  /// Throws as nn::beam_search() and ids(), ValueError for a source without a word.
  std::vector<std::vector<nn::Hypothesis>> translate(const std::vector<Words>& sources,
                                                     nn::BeamSearchOptions options) const;
  Words words(const nn::Hypothesis& hypothesis) const;
};

/// The model in a folder: model.bin, source_vocabulary.txt, target_vocabulary.txt. How many heads there
/// are is not in the file. Throws IoError, FormatError with a path.
Translator read_ctranslate2(const std::string& folder, Index heads = 8);

}  // namespace heed::pretrained
