#include "corpus.h"

#include <fmt/format.h>

#include <map>

#include "../../core/error.h"
#include "../../data/batches.h"
#include "../../data/generated/questions.h"
#include "../../data/tokenizer.h"

namespace vqa {
namespace {

constexpr std::size_t kLongest = 24;  // words of a question
constexpr Index kBoxes = 3;           // of an image

std::vector<std::string> words_in(const std::string& question) {
  std::vector<std::string> out = data::tokenize(question);
  if (out.empty()) throw ValueError("a question without words");
  if (out.size() > kLongest) {
    throw ValueError(
        fmt::format("a question of {} words; at most {} are read", out.size(), kLongest));
  }
  return out;
}

const VisualQuestions& checked(const VisualQuestions& all) {
  for (const VisualQuestion& each : all.questions) try {
      words_in(each.text);
    } catch (const ValueError& error) {
      throw FormatError::at_line(all.path, each.line, error.message());
    }
  return all;
}

}  // namespace

Corpus load_corpus(const CorpusOptions& options) {
  if (options.data.empty()) {
    // A stream of the seed each: the same scenes whatever else is drawn.
    const auto draw = [&](Index scenes, std::uint64_t stream) {
      Generator generator(options.seed * 0x10001 + stream);
      return data::ask_about_scenes(scenes, generator);
    };
    return {draw(options.scenes, 0x40a1), draw(options.held_out, 0x40a2),
            draw(options.held_out, 0x40a3)};
  }
  const VisualQuestions all = checked(data::read_easy_vqa(options.data, "train"));
  const VisualQuestions test = checked(data::read_easy_vqa(options.data, "test"));
  const Index learned = all.count - all.count / 10;
  Corpus out{data::about_images(all, 0, learned), data::about_images(all, learned, all.count),
             test};
  for (const VisualQuestions* part : {&out.train, &out.validation}) {
    if (part->questions.empty())
      throw FormatError(all.path, 0, "too few questions to hold out any");
  }
  return out;
}

std::pair<data::Vocabulary, data::Vocabulary> vocabularies_of(const VisualQuestions& questions) {
  data::WordCounts words, answers;
  for (const VisualQuestion& each : questions.questions) {
    for (const std::string& word : words_in(each.text)) ++words[word];
    ++answers[each.answer];
  }
  return {data::Vocabulary::from_counts(words), data::Vocabulary::from_counts(answers)};
}

Batch batch_of(const VisualQuestions& all, const std::vector<Index>& rows,
               const data::Vocabulary& words, const data::Vocabulary& answers) {
  std::map<Index, Index> places;  // of images in the batch
  std::vector<Index> images, which, labels;
  std::vector<std::vector<Index>> ids;
  for (const Index row : rows) {
    const VisualQuestion& each = all.questions[static_cast<std::size_t>(row)];
    const auto [place, fresh] = places.try_emplace(each.image, static_cast<Index>(images.size()));
    if (fresh) images.push_back(each.image);
    which.push_back(place->second);
    ids.push_back(words.ids(words_in(each.text)));
    labels.push_back(answers.id(each.answer));
  }
  data::Padded padded = data::pad(ids);
  return {data::image_batch(all, images),
          data::box_batch(all, images, kBoxes),
          Array::from(which),
          padded.ids,
          std::move(padded.lengths),
          Array::from(labels)};
}

}  // namespace vqa
