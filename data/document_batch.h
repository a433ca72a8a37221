// Documents side by side for a hierarchical model. The sentences of all documents follow each other
// in one block, so that none is padding; sentence_counts tells which belong together.
#pragma once

#include <vector>

#include "../core/array.h"
#include "batches.h"
#include "document.h"

namespace heed::data {

struct DocumentBatch {
  Array words;                         // i64 [N, T], filled up with 0
  std::vector<Index> word_counts;      // N, each at least 1
  std::vector<Index> sentence_counts;  // B, each at least 1; their sum is N
  Array labels;                        // i64 [B], kNoLabel where unknown
};

/// The documents of `indices`, in that order. Empty sentences are left out; a document without any
/// gets one sentence of one unknown word. Throws IndexError for an index out of range, ValueError
/// when there are no indices.
DocumentBatch make_document_batch(const std::vector<EncodedDocument>& documents,
                                  const std::vector<Index>& indices);

/// Number of sentences and the longest one, for batches_by_length().
LengthKey lengths_of(const EncodedDocument& document);
std::vector<LengthKey> lengths_of(const std::vector<EncodedDocument>& documents);

}  // namespace heed::data
