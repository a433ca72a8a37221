#include "../../data/babi.h"

#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {
namespace {

// The lines of a story as read_babi() numbers them.
std::string written(const data::BabiStory& story) {
  std::string out;
  std::size_t line = 0, question = 0;
  std::vector<std::size_t> line_of;
  const auto add = [&](const std::vector<std::string>& words, char end) {
    out += std::to_string(++line);
    for (const std::string& word : words) out += ' ' + word;
    out += end;
  };
  const auto ask = [&](std::size_t known) {
    for (; question < story.questions.size() && story.questions[question].known == known;
         ++question) {
      const data::BabiQuestion& it = story.questions[question];
      add(it.words, '?');
      out += '\t' + it.answer + '\t';
      for (const std::size_t support : it.supports) out += std::to_string(line_of[support]) + ' ';
      out += '\n';
    }
  };
  ask(0);
  for (const auto& sentence : story.sentences) {
    add(sentence, '.');
    out += '\n';
    line_of.push_back(line);
    ask(line_of.size());
  }
  return out;
}

std::string written(const std::vector<data::BabiStory>& stories) {
  std::string out;
  for (const data::BabiStory& story : stories) out += written(story);
  return out;
}

}  // namespace

void babi(std::string_view input) {
  static InputFile file, copy;
  const std::string& path = file.write(input);
  std::vector<data::BabiStory> stories;
  // A word of one letter takes a string of 32 bytes in a vector that doubles.
  const bool accepted =
      accepts({path}, input.size(), {.fixed = buffers(input), .factor = 200 * unpacked(input)},
              [&] { stories = data::read_babi(path); });
  if (!accepted) return;
  for (const data::BabiStory& story : stories) {
    require(!story.questions.empty(), "a story has a question");
    for (const data::BabiQuestion& question : story.questions) {
      require(question.known <= story.sentences.size(), "a question knows sentences there are");
      for (const std::size_t support : question.supports) {
        require(support < question.known, "a question rests on what stood before");
      }
    }
  }
  const std::string text = written(stories);
  require(written(data::read_babi(copy.write(text))) == text, "stories read back equal");
}

}  // namespace heed::fuzz
