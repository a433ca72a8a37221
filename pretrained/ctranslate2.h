// Transformers that write one text for another, as CTranslate2 keeps them (github.com/OpenNMT/
// CTranslate2), the second version of its files:
//
//   uint32 version; string name of the model's kind; uint32 its revision; uint32 count of variables;
//   of each: string name, uint8 rank, uint32 sizes, uint8 bytes an element, uint32 elements, the
//   elements. A string is uint16 length, its final zero counted, and the bytes.
//
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

struct TransliteratorOptions {
  Index source_words = 0, target_words = 0, encoder_layers = 0, decoder_layers = 0;
  attention::TransformerOptions stack;
};

/// Embeddings times sqrt(width) plus sinusoidal positions (first half sines, second half cosines, as
/// tensor2tensor has them), both stacks, and a projection.
class SequenceModel : public nn::Module {
 public:
  explicit SequenceModel(const TransliteratorOptions& options);

  nn::Embedding &source, &target;
  attention::Transformer& transformer;
  nn::Linear& projection;

  /// i64 [B, S] -> [B, S, width]; what stands beyond a length is masked.
  Tensor encode(const Tensor& ids, const attention::Mask& mask) const;
  /// i64 [B, T] behind those -> logits [B, T, target words].
  Tensor operator()(const Tensor& source_ids, const Tensor& target_ids,
                    const attention::Mask& mask) const;
  /// Words [B] at `place` -> logits [B, target words].
  Tensor step(const Tensor& words, Index place, attention::TransformerDecoder::State& state) const;

 private:
  Tensor embedded(const nn::Embedding& table, const Tensor& ids, Index first) const;
};

/// A model with its vocabularies.
struct Translator {
  std::unique_ptr<SequenceModel> model;
  std::vector<std::string> source_words, target_words;

  /// -1 for a word that is none.
  static Index find(const std::vector<std::string>& words, const std::string& word);
  /// The numbers of words. Throws ValueError for one that is none and where there is no `<unk>`.
  static std::vector<Index> ids(const std::vector<std::string>& vocabulary,
                                const std::vector<std::string>& words);

  /// The n best of each source; `options.begin`, .end of `<s>` and `</s>` unless they are given (not
  /// negative). Throws as beam_search() and ids(), ValueError for an empty source.
  std::vector<std::vector<nn::Hypothesis>> translate(
      const std::vector<std::vector<std::string>>& sources, nn::BeamSearchOptions options = {
                                                                .begin = -1, .end = -1}) const;
  std::vector<std::string> words(const nn::Hypothesis& hypothesis) const;
};

/// The model in a folder: model.bin, source_vocabulary.txt, target_vocabulary.txt; `heads` is not in
/// the file. Throws IoError, FormatError with a path.
Translator read_ctranslate2(const std::string& folder, Index heads = 8);

}  // namespace heed::pretrained
