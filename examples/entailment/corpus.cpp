#include "corpus.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../core/error.h"
#include "../../data/batches.h"
#include "../../data/generated/entailment.h"
#include "../../data/sick.h"
#include "../../data/stem.h"
#include "../../data/tokenizer.h"

namespace entailment {
namespace {

constexpr std::size_t kLongest = 100;  // words of a sentence
constexpr Index kHeldOut = 1000;       // generated pairs to validate, and to test
// Streams of the seed: the same pairs whatever else is drawn.
constexpr std::uint64_t kTrainStream = 0x7a11, kValidationStream = 0x5e1f, kTestStream = 0x7e57;

std::vector<Pair> pairs_of(const std::vector<data::SentencePair>& given, const std::string& path,
                           bool stems, bool turned = false) {
  std::vector<Pair> out;
  for (const data::SentencePair& each : given) try {
      const Sentence premise = read_sentence("premise", each.premise, stems);
      const Sentence hypothesis = read_sentence("hypothesis", each.hypothesis, stems);
      out.push_back({premise, hypothesis, static_cast<Index>(each.relation)});
      if (turned) out.push_back({hypothesis, premise, static_cast<Index>(each.back)});
    } catch (const ValueError& error) {
      throw FormatError::at_line(path, each.line, error.message());
    }
  return out;
}

Side side_of(const std::vector<Pair>& pairs, const std::vector<Index>& rows, Sentence Pair::*own,
             Sentence Pair::*other, const data::Vocabulary& vocabulary) {
  std::vector<std::vector<Index>> ids, shared;
  for (const Index row : rows) {
    const Pair& pair = pairs[static_cast<std::size_t>(row)];
    const auto& keys = (pair.*own).keys;
    const auto& there = (pair.*other).keys;
    ids.push_back(vocabulary.ids(keys));
    shared.emplace_back();
    for (const std::string& key : keys) {
      shared.back().push_back(std::count(there.begin(), there.end(), key) > 0 ? 1 : 0);
    }
  }
  data::Padded padded = data::pad(ids);
  return {padded.ids, data::pad(shared).ids, std::move(padded.lengths)};
}

}  // namespace

Sentence read_sentence(const std::string& what, const std::string& text, bool stems) {
  Sentence out{data::tokenize(text), {}};
  if (out.words.empty()) throw ValueError(fmt::format("the {} has no words", what));
  if (out.words.size() > kLongest) {
    throw ValueError(
        fmt::format("the {} has {} words; at most {} are read", what, out.words.size(), kLongest));
  }
  for (const std::string& word : out.words) out.keys.push_back(stems ? data::stem(word) : word);
  return out;
}

Corpus load_corpus(const CorpusOptions& options, bool stems) {
  data::Sick read;
  if (options.data.empty()) {
    const auto draw = [&](Index count, std::uint64_t stream) {
      Generator generator(options.seed * 0x10001 + stream);
      return data::generate_entailment(count, generator);
    };
    read = {draw(options.pairs, kTrainStream), draw(kHeldOut, kValidationStream),
            draw(kHeldOut, kTestStream), "generated pairs"};
  } else {
    read = data::read_sick(options.data);
  }
  return {pairs_of(read.train, read.path, stems, options.turned),
          pairs_of(read.trial, read.path, stems), pairs_of(read.test, read.path, stems)};
}

data::Vocabulary vocabulary_of(const std::vector<Pair>& pairs, Index min_count) {
  data::WordCounts counts;
  for (const Pair& pair : pairs) {
    for (const std::string& key : pair.premise.keys) ++counts[key];
    for (const std::string& key : pair.hypothesis.keys) ++counts[key];
  }
  return data::Vocabulary::from_counts(counts, {.min_count = min_count});
}

Batch batch_of(const std::vector<Pair>& pairs, const std::vector<Index>& rows,
               const data::Vocabulary& vocabulary) {
  std::vector<Index> labels;
  for (const Index row : rows) labels.push_back(pairs[static_cast<std::size_t>(row)].label);
  return {side_of(pairs, rows, &Pair::premise, &Pair::hypothesis, vocabulary),
          side_of(pairs, rows, &Pair::hypothesis, &Pair::premise, vocabulary), Array::from(labels)};
}

}  // namespace entailment
