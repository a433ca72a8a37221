// Transformers that write one text for another, as CTranslate2 keeps them (ctranslate2_file.h).
// Beside model.bin stand the vocabularies, a word a line. Layers are pre-norm with a last norm;
// queries, keys and values of self-attention are one matrix, keys and values of the other attention
// another.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sequence_model.h"

namespace heed::pretrained {

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

/// The model in a folder: model.bin, source_vocabulary.txt, target_vocabulary.txt. How many heads
/// there are is not in the file. Throws IoError, FormatError with a path.
Translator read_ctranslate2(const std::string& folder, Index heads = 8);

}  // namespace heed::pretrained
