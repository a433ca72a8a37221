#include "../../data/visual_questions.h"

#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {

void visual_questions(std::string_view input) {
  static InputFile file, copy;
  constexpr Index kImages = 13;
  const std::vector<std::string> answers = {"yes", "no", "a b"};
  const std::string& path = file.write(input);
  std::vector<data::VisualQuestion> read;
  const bool accepted =
      accepts({path}, input.size(), {.fixed = buffers(input), .factor = 200 * unpacked(input)},
              [&] { read = data::read_visual_questions(path, kImages, answers); });
  if (!accepted) return;
  std::string text = "\n";  // a byte order mark that begins a question must not begin the file
  std::uint64_t line = 0;
  for (const data::VisualQuestion& each : read) {
    require(each.line > line, "questions stand one behind the other");
    line = each.line;
    require(!each.text.empty(), "a question has a text");
    require(each.image >= 0 && each.image < kImages, "a question is about an image");
    text += each.text + "\t" + each.answer + "\t" + std::to_string(each.image) + "\n";
  }
  const auto again = data::read_visual_questions(copy.write(text), kImages, answers);
  require(again.size() == read.size(), "questions read back as many");
  for (std::size_t i = 0; i < again.size(); ++i) {
    require(again[i].text == read[i].text && again[i].answer == read[i].answer &&
                again[i].image == read[i].image,
            "questions read back equal");
  }
}

}  // namespace heed::fuzz
