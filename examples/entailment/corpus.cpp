#include "corpus.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <set>

#include "../../core/error.h"
#include "../../data/batches.h"
#include "../../data/generated/entailment.h"
#include "../../data/sick.h"
#include "../../data/stem.h"
#include "../../data/tokenizer.h"

namespace entailment {
namespace {

// Streams of the seed: the same pairs whatever else is drawn.
constexpr std::uint64_t kTrainStream = 0x7a11, kValidationStream = 0x5e1f, kTestStream = 0x7e57;
constexpr Index kHeldOut = 1000;

std::vector<data::SentencePair> generated(Index count, std::uint64_t seed, std::uint64_t stream) {
  Generator generator(seed * 0x10001 + stream);
  return data::generate_entailment(count, generator);
}

std::string file_in(const std::string& path) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(path)) return path;
  for (const char* name : {"SICK.tsv", "SICK.tsv.gz", "SICK.txt"}) {
    if (fs::exists(fs::path(path) / name)) return path + "/" + name;
  }
  throw IoError(path, "SICK.tsv, SICK.tsv.gz or SICK.txt", ENOENT);
}

std::vector<Pair> pairs_of(const std::vector<data::SentencePair>& given, bool turned = false) {
  std::vector<Pair> out;
  for (const data::SentencePair& pair : given) {
    const auto premise = words_of("premise", pair.premise);
    const auto hypothesis = words_of("hypothesis", pair.hypothesis);
    out.push_back({premise, hypothesis, static_cast<Index>(pair.relation)});
    if (turned) out.push_back({hypothesis, premise, static_cast<Index>(pair.back)});
  }
  return out;
}

Side side_of(const std::vector<std::vector<std::string>>& own,
             const std::vector<std::vector<std::string>>& other,
             const data::Vocabulary& vocabulary) {
  std::vector<std::vector<Index>> ids, shared;
  for (std::size_t b = 0; b < own.size(); ++b) {
    const std::set<std::string> there(other[b].begin(), other[b].end());
    ids.push_back(vocabulary.ids(own[b]));
    shared.emplace_back();
    for (const std::string& word : own[b]) shared.back().push_back(there.contains(word) ? 1 : 0);
  }
  data::Padded padded = data::pad(ids);
  return {padded.ids, data::pad(shared).ids, std::move(padded.lengths)};
}

}  // namespace

std::vector<std::string> words_of(const std::string& what, const std::string& sentence) {
  auto out = data::tokenize(sentence);
  if (out.empty()) throw ValueError(fmt::format("the {} has no words", what));
  if (out.size() > static_cast<std::size_t>(kLongest)) {
    throw ValueError(
        fmt::format("the {} has {} words; at most {} are read", what, out.size(), kLongest));
  }
  return out;
}

Corpus load_corpus(const CorpusOptions& options) {
  data::Sick read;
  if (options.data.empty()) {
    read.train = generated(options.pairs, options.seed, kTrainStream);
    read.trial = generated(kHeldOut, options.seed, kValidationStream);
    read.test = generated(kHeldOut, options.seed, kTestStream);
  } else {
    read = data::read_sick(file_in(options.data));
  }
  return {pairs_of(read.train, options.turned), pairs_of(read.trial), pairs_of(read.test)};
}

std::vector<std::string> stems_of(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words) out.push_back(data::stem(word));
  return out;
}

data::Vocabulary vocabulary_of(const std::vector<Pair>& pairs, Index min_count) {
  data::WordCounts counts;
  for (const Pair& pair : pairs) {
    for (const auto* words : {&pair.premise, &pair.hypothesis}) {
      for (const std::string& word : stems_of(*words)) ++counts[word];
    }
  }
  return data::Vocabulary::from_counts(counts, {.min_count = min_count});
}

Batch batch_of(const std::vector<Pair>& pairs, const std::vector<Index>& rows,
               const data::Vocabulary& vocabulary) {
  std::vector<std::vector<std::string>> premises, hypotheses;
  std::vector<Index> labels;
  for (const Index row : rows) {
    const Pair& pair = pairs[static_cast<std::size_t>(row)];
    premises.push_back(stems_of(pair.premise));
    hypotheses.push_back(stems_of(pair.hypothesis));
    labels.push_back(pair.label);
  }
  return {side_of(premises, hypotheses, vocabulary), side_of(hypotheses, premises, vocabulary),
          Array::from(labels)};
}

}  // namespace entailment
