#include "copy_batch.h"

#include <algorithm>

#include "batches.h"
#include "coder.h"

namespace heed::data {

CopyBatch copy_batch(const std::vector<CopyExample>& examples, const Vocabulary& vocabulary) {
  CopyBatch out;
  std::vector<std::vector<Index>> source, extended, before, targets;
  for (const CopyExample& each : examples) {
    const ExtendedVocabulary& own = out.vocabularies.emplace_back(vocabulary, each.source);
    out.largest = std::max(out.largest, own.size());
    source.push_back(vocabulary.ids(each.source));
    extended.push_back(own.ids(each.source));
    before.push_back(vocabulary.ids(each.target));
    before.back().insert(before.back().begin(), kBegin);
    targets.push_back(own.ids(each.target));
    targets.back().push_back(kEnd);
  }
  const Padded padded = pad(source);
  out.source = padded.ids;
  out.lengths = padded.lengths;
  out.extended = pad(extended).ids;
  out.before = pad(before).ids;
  out.targets = pad(targets, -1).ids;
  return out;
}

Vocabulary vocabulary_with_marks(WordCounts counts, const VocabularyOptions& options) {
  std::vector<std::string> words;
  for (const std::string_view mark : kMarks) counts.erase(std::string(mark));
  for (const Index mark : {kBegin, kEnd}) words.emplace_back(kMarks[mark]);
  const Vocabulary counted = Vocabulary::from_counts(counts, options);
  for (Index id = 2; id < counted.size(); ++id) words.push_back(counted.word(id));
  return Vocabulary(words);
}

}  // namespace heed::data
