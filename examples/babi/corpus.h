// The tasks, from bAbI's files or generated, and how their questions become numbers.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../../autograd/tensor.h"
#include "../../data/babi.h"
#include "../../data/vocabulary.h"

namespace babi {

using namespace heed;  // an application speaks the library's language

inline constexpr int kTasks = 20;

struct CorpusOptions {
  /// A folder of qa1_..._train.txt, qa1_..._test.txt and so on, plain or gzip; empty: generated.
  std::string path;
  Index stories = 200;  ///< generated ones to train on, and as many to test: five questions each
  std::uint64_t seed = 1;
};

struct Task {
  int number;
  std::vector<data::BabiStory> train, test;
};

/// Throws ValueError for a task that there is not; IoError, FormatError.
Task load_task(const CorpusOptions& options, int number);

/// The words and answers of all stories to train on.
data::Vocabulary vocabulary_of(const std::vector<Task>& tasks);

/// A question with what it may use of its story: the last sentences, the oldest first.
struct Example {
  std::vector<std::vector<Index>> sentences;
  std::vector<Index> question;
  Index answer;
};

/// Keeps the last `memory` sentences before each question. An answer that is not in the vocabulary
/// is data::Vocabulary::kUnknown.
std::vector<Example> encode(const std::vector<data::BabiStory>& stories,
                            const data::Vocabulary& vocabulary, Index memory);

/// Nine tenths to learn from and one that is held back, in a drawn order that is always the same.
/// Throws ValueError for fewer than ten.
std::pair<std::vector<Example>, std::vector<Example>> without_a_tenth(
    const std::vector<Example>& examples);

/// Examples side by side, as attention::MemoryNetwork reads them.
struct Batch {
  Tensor story;                ///< i64 [B, N, J], -1 where there is no word
  Tensor question;             ///< i64 [B, L], likewise
  Tensor answers;              ///< i64 [B]
  std::vector<Index> lengths;  ///< sentences of each
};

/// The examples of these numbers, at least one.
Batch batch_of(const std::vector<Example>& examples, const std::vector<Index>& rows);

}  // namespace babi
