// Tokenizers learned by the sentencepiece library (Kudo & Richardson 2018): Unigram (Kudo 2018) and
// BPE. They are .model files, which PretrainedTokenizer::read_sentencepiece reads without it.
//
// Of the library heed::subwords, as subwords.h is.
#pragma once

#include <string>
#include <vector>

#include "../core/shape.h"

namespace heed::data {

struct SentencepieceTraining {
  bool unigram = true;         ///< else BPE
  Index size = 8000;           ///< of the vocabulary, at most
  bool byte_fallback = false;  ///< bytes of characters that are not there
  bool normalises = true;      ///< by NFKC and the library's table of blanks (nmt_nfkc)
  double coverage = 0.9995;    ///< of characters by the vocabulary's
};

/// A .model file's bytes. Throws ValueError for options and texts of which the library can make
/// none, and where the program was built without it.
std::string train_sentencepiece(const std::vector<std::string>& texts,
                                const SentencepieceTraining& options);

}  // namespace heed::data
