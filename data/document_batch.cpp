#include "document_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "../core/error.h"

namespace heed::data {

DocumentBatch make_document_batch(const std::vector<EncodedDocument>& documents,
                                  const std::vector<Index>& indices) {
  if (indices.empty()) throw ValueError("make_document_batch: there are no indices");
  const auto count = static_cast<Index>(documents.size());
  DocumentBatch batch;
  std::vector<std::vector<Index>> sentences;
  std::vector<Index> labels;
  for (const Index i : indices) {
    if (i < 0 || i >= count) {
      throw IndexError(fmt::format("make_document_batch: index {} is not in [0, {})", i, count));
    }
    const EncodedDocument& document = documents[static_cast<std::size_t>(i)];
    const std::size_t before = sentences.size();
    for (const auto& sentence : document.sentences) {
      if (!sentence.empty()) sentences.push_back(sentence);
    }
    if (sentences.size() == before) sentences.push_back({Vocabulary::kUnknown});
    batch.sentence_counts.push_back(static_cast<Index>(sentences.size() - before));
    labels.push_back(document.label);
  }
  Padded padded = pad(sentences, Vocabulary::kPadding);
  batch.words = std::move(padded.ids);
  batch.word_counts = std::move(padded.lengths);
  batch.labels = Array::from(labels);
  return batch;
}

LengthKey lengths_of(const EncodedDocument& document) {
  LengthKey lengths{0, 0};
  for (const auto& sentence : document.sentences) {
    lengths.first += sentence.empty() ? 0 : 1;
    lengths.second = std::max(lengths.second, static_cast<Index>(sentence.size()));
  }
  return lengths;
}

std::vector<LengthKey> lengths_of(const std::vector<EncodedDocument>& documents) {
  std::vector<LengthKey> lengths;
  lengths.reserve(documents.size());
  for (const EncodedDocument& document : documents) lengths.push_back(lengths_of(document));
  return lengths;
}

}  // namespace heed::data
