#include "corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "../../core/error.h"
#include "world.h"

namespace babi {
namespace {

namespace fs = std::filesystem;

// Streams of the seed: the same stories whatever else is drawn.
constexpr std::uint64_t kTrainStream = 0x7a11, kTestStream = 0x7e57;

std::string file_of(const std::string& folder, int task, const std::string& part) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error) throw IoError(folder, "cannot read the folder of tasks", error.value());
  std::vector<std::string> found;
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename().string();
    const bool ends = name.ends_with("_" + part + ".txt") || name.ends_with("_" + part + ".txt.gz");
    if (ends && name.starts_with(fmt::format("qa{}_", task))) found.push_back(entry.path());
  }
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
    return {number, tell_stories(options.stories, number, train),
            tell_stories(options.stories, number, test)};
  }
  if (number < 1 || number > kTasks) {
    throw ValueError(fmt::format("babi: there is no task {}, only 1 to {}", number, kTasks));
  }
  return {number, data::read_babi(file_of(options.path, number, "train")),
          data::read_babi(file_of(options.path, number, "test"))};
}

data::Vocabulary vocabulary_of(const std::vector<Task>& tasks) {
  data::WordCounts counts;
  for (const Task& task : tasks) {
    for (const data::BabiStory& story : task.train) {
      for (const auto& sentence : story.sentences) {
        for (const std::string& word : sentence) ++counts[word];
      }
      for (const data::BabiQuestion& question : story.questions) {
        for (const std::string& word : question.words) ++counts[word];
        ++counts[question.answer];
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

Batch batch_of(const std::vector<Example>& examples, const std::vector<Index>& which) {
  std::size_t most = 0, longest = 0, asked = 0;
  for (const Index i : which) {
    const Example& example = examples[static_cast<std::size_t>(i)];
    most = std::max(most, example.sentences.size());
    asked = std::max(asked, example.question.size());
    for (const auto& sentence : example.sentences) longest = std::max(longest, sentence.size());
  }
  std::vector<Index> story(which.size() * most * longest, -1), question(which.size() * asked, -1);
  std::vector<Index> answers, lengths;
  for (std::size_t b = 0; b < which.size(); ++b) {
    const Example& example = examples[static_cast<std::size_t>(which[b])];
    for (std::size_t n = 0; n < example.sentences.size(); ++n) {
      const auto& sentence = example.sentences[n];
      std::copy(sentence.begin(), sentence.end(),
                story.begin() + static_cast<std::ptrdiff_t>((b * most + n) * longest));
    }
    std::copy(example.question.begin(), example.question.end(),
              question.begin() + static_cast<std::ptrdiff_t>(b * asked));
    answers.push_back(example.answer);
    lengths.push_back(static_cast<Index>(example.sentences.size()));
  }
  const auto B = static_cast<Index>(which.size());
  return {Tensor(Array::from(story, {B, static_cast<Index>(most), static_cast<Index>(longest)})),
          Tensor(Array::from(question, {B, static_cast<Index>(asked)})),
          Tensor(Array::from(answers)), lengths};
}

}  // namespace babi
