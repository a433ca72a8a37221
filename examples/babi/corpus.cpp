#include "corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "../../core/error.h"
#include "../../data/batches.h"
#include "../../data/generated/stories.h"

namespace babi {
namespace {

namespace fs = std::filesystem;

// Streams of the seed: the same stories whatever else is drawn.
constexpr std::uint64_t kTrainStream = 0x7a11, kTestStream = 0x7e57;

std::string file_of(const std::string& folder, int task, const std::string& part) {
  std::error_code error;
  std::vector<std::string> found;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const bool ends = name.ends_with("_" + part + ".txt") || name.ends_with("_" + part + ".txt.gz");
    if (ends && name.starts_with(fmt::format("qa{}_", task))) found.push_back(at->path());
  }
  if (error) throw IoError(folder, "cannot read the folder of tasks", error.value());
  if (found.empty()) {
    throw IoError(fmt::format("{}/qa{}_*_{}.txt", folder, task, part),
                  fmt::format("task {} has no such file", task), ENOENT);
  }
  return *std::min_element(found.begin(), found.end());
}

}  // namespace

Task load_task(const CorpusOptions& options, int number) {
  if (options.path.empty()) {
    const std::uint64_t seed = options.seed * 0x10001 + static_cast<std::uint64_t>(number) * 0x101;
    Generator train(seed + kTrainStream), test(seed + kTestStream);
    return {number, data::tell_stories(options.stories, number, train),
            data::tell_stories(options.stories, number, test)};
  }
  if (number < 1 || number > kTasks)
    throw ValueError(fmt::format("babi: there is no task {}, only 1 to {}", number, kTasks));
  return {number, data::read_babi(file_of(options.path, number, "train")),
          data::read_babi(file_of(options.path, number, "test"))};
}

data::Vocabulary vocabulary_of(const std::vector<Task>& tasks) {
  data::WordCounts counts;
  const auto count = [&](const std::vector<std::string>& words) {
    for (const std::string& word : words) ++counts[word];
  };
  for (const Task& task : tasks) {
    for (const data::BabiStory& story : task.train) {
      for (const auto& sentence : story.sentences) count(sentence);
      for (const data::BabiQuestion& question : story.questions) {
        count(question.words);
        count({question.answer});
      }
    }
  }
  counts.erase("<pad>");
  counts.erase("<unk>");
  return data::Vocabulary::from_counts(counts);
}

std::vector<Example> encode(const std::vector<data::BabiStory>& stories,
                            const data::Vocabulary& vocabulary, Index memory) {
  std::vector<Example> out;
  for (const data::BabiStory& story : stories) {
    std::vector<std::vector<Index>> sentences;
    for (const auto& sentence : story.sentences) sentences.push_back(vocabulary.ids(sentence));
    for (const data::BabiQuestion& question : story.questions) {
      const auto end = sentences.begin() + static_cast<std::ptrdiff_t>(question.known);
      const auto begin = end - std::min<std::ptrdiff_t>(end - sentences.begin(), memory);
      out.push_back({{begin, end}, vocabulary.ids(question.words), vocabulary.id(question.answer)});
    }
  }
  return out;
}

std::pair<std::vector<Example>, std::vector<Example>> without_a_tenth(
    const std::vector<Example>& examples) {
  if (examples.size() < 10)
    throw ValueError(fmt::format("babi: {} questions are too few to learn from", examples.size()));
  std::vector<Example> rest, held;
  for (const Index i : Generator(0x4e1d).permutation(static_cast<Index>(examples.size()))) {
    (held.size() < examples.size() / 10 ? held : rest)
        .push_back(examples[static_cast<std::size_t>(i)]);
  }
  return {std::move(rest), std::move(held)};
}

Batch batch_of(const std::vector<Example>& examples, const std::vector<Index>& rows) {
  std::size_t most = 1;
  for (const Index i : rows)
    most = std::max(most, examples[static_cast<std::size_t>(i)].sentences.size());
  std::vector<std::vector<Index>> sentences, questions;
  std::vector<Index> answers, lengths;
  for (const Index i : rows) {
    const Example& example = examples[static_cast<std::size_t>(i)];
    sentences.insert(sentences.end(), example.sentences.begin(), example.sentences.end());
    questions.push_back(example.question);
    sentences.resize(questions.size() * most);
    answers.push_back(example.answer);
    lengths.push_back(static_cast<Index>(example.sentences.size()));
  }
  const Array story = data::pad(sentences, -1).ids;  // [B N, J]
  return {Tensor(story.reshape(
              {static_cast<Index>(rows.size()), static_cast<Index>(most), story.shape()[1]})),
          Tensor(data::pad(questions, -1).ids), Tensor(Array::from(answers)), lengths};
}

}  // namespace babi
