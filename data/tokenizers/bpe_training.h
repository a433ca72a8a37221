// Byte-pair encoding learned from texts (Sennrich et al. 2016), as a tokenizer.json that others
// read, too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../core/shape.h"

namespace heed::data {

enum class BpeKind : std::uint8_t {
  byte_level,  ///< GPT-2's: of bytes; special: <|endoftext|>
  byte_fallback,  ///< LLaMA's: of characters, blanks are U+2581, bytes of what is unknown; <unk>, <s>, </s>
  word_piece,  ///< BERT's: lower case, ##; [PAD], [UNK], [CLS], [SEP], [MASK]
};

struct BpeTraining {
  BpeKind kind = BpeKind::byte_level;
  Index size =
      30000;  ///< of the vocabulary: special tokens, letters, then what is joined, the most frequent first
  Index min_count = 2;       ///< of a pair that is joined
  Index max_letters = 1000;  ///< different ones; rarer ones are unknown. Bytes are always there
};

/// tokenizer.json for PretrainedTokenizer::parse, the same for the same texts. Throws ValueError
/// for a size that has no room for special tokens and bytes, and for numbers that are not positive.
std::string train_bpe(const std::vector<std::string>& texts, const BpeTraining& options);

}  // namespace heed::data
