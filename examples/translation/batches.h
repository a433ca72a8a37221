// Sentence pairs as numbers, and batches of about as many tokens each.
#pragma once

#include <cstdint>
#include <vector>

#include "../../core/generator.h"
#include "translator.h"

namespace translation {

/// A pair; the source with its end mark, the target without marks.
struct Example {
  std::vector<Index> source, target;
};

struct Batch {
  Rows source;
  Rows before;     ///< the target behind the begin mark: what is known before each word
  Tensor places;   ///< i64 [N]: where real words are in the flattened [B T]
  Tensor targets;  ///< i64 [N]: the words there, end marks among them
};

/// Of these examples. Throws ValueError without any.
Batch batch_of(const std::vector<Example>& examples, const std::vector<Index>& chosen);
/// Sources alone, to be translated. Throws ValueError without any.
Rows rows_of(const std::vector<std::vector<Index>>& rows);

/// Cuts the examples into batches of similar lengths: rows times the longest target, its end mark
/// included, is at most `tokens`, but for single rows that are longer. Which examples meet, and the
/// order of the batches, are drawn; with `generator` null nothing is, and short ones come first.
std::vector<std::vector<Index>> batches_by_tokens(const std::vector<Example>& examples,
                                                  Index tokens, heed::Generator* generator);

}  // namespace translation
