#include "visual_questions.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"
#include "../core/number_in.h"
#include "../core/quoted.h"
#include "folder_parts.h"
#include "idx.h"
#include "text_file.h"
#include "tsv_columns.h"
#include "utf8.h"

namespace heed::data {
namespace {

std::vector<std::string> read_answers(const std::string& path) {
  TextFile file(path);
  std::vector<std::string> out;
  for (std::string line; file.next(line);) {
    if (!is_blank(line)) out.push_back(line);
  }
  if (out.empty()) throw FormatError(path, 0, "no answers");
  return out;
}

Index image_number(const std::string& text, Index count) {
  const Index out = number_in<Index>(text).value_or(-1);
  return out < count ? out : -1;
}

}  // namespace

std::vector<VisualQuestion> read_visual_questions(const std::string& path, Index images,
                                                  const std::vector<std::string>& answers) {
  TsvColumns table(path, {"1", "2", "3"});
  std::vector<VisualQuestion> out;
  for (std::vector<std::string> row; table.next(row);) {
    const auto fail = [&](const std::string& what) {
      throw FormatError::at_line(path, table.line(), what);
    };
    if (is_blank(row[0])) fail("no question");
    if (std::find(answers.begin(), answers.end(), row[1]) == answers.end()) {
      fail(fmt::format("{} is no answer of answers.txt", in_quotes(row[1])));
    }
    const Index image = image_number(row[2], images);
    if (image < 0) {
      fail(fmt::format("{} is no number of an image, 0 to {}", in_quotes(row[2]), images - 1));
    }
    out.push_back({row[0], row[1], image, table.line()});
  }
  if (out.empty()) throw FormatError(path, 0, "no questions");
  return out;
}

VisualQuestions read_easy_vqa(const std::string& folder, const std::string& part) {
  const std::string images_path = plain_or_packed(folder, part + "-images-idx4-ubyte");
  IdxFile images = read_idx(images_path);
  const Shape& shape = images.shape;
  if (shape.rank() != 4 || shape.numel() == 0 || shape[3] != 3) {
    throw FormatError(
        images_path, 4,
        fmt::format("images of {}, not of [n, height, width, 3], n > 0", to_string(shape)));
  }
  const std::vector<std::string> answers = read_answers(plain_or_packed(folder, "answers.txt"));
  VisualQuestions out{shape[0], shape[1], shape[2], std::move(images.bytes)};
  out.path = plain_or_packed(folder, part + "-questions.tsv");
  out.questions = read_visual_questions(out.path, out.count, answers);
  return out;
}

}  // namespace heed::data
