// Questions about pictures, with their answers: easy-VQA's files, or generated ones (see
// generated/questions.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../core/shape.h"

namespace heed::data {

struct VisualQuestion {
  std::string text, answer;
  Index image = 0;         ///< from 0
  std::uint64_t line = 0;  ///< where it stands in the file, from 1
};

/// A rectangle of dots.
struct Box {
  Index left = 0, top = 0, width = 0, height = 0;
};

struct VisualQuestions {
  Index count = 0, height = 0, width = 0;  ///< of the images
  std::vector<std::uint8_t> images = {};   ///< [count, height, width, 3]: red, green, blue
  std::vector<VisualQuestion> questions = {};
  std::vector<std::vector<Box>> boxes =
      {};                 ///< of each image's things; empty where nobody knows them
  std::string path = {};  ///< of the questions
};

/// A part, "train" or "test", of the folder of easy-VQA's files, plain or gzip: the images
/// PART-images-idx4-ubyte [n, height, width, 3], the questions PART-questions.tsv (question, answer
/// and the image's number from 0) and the answers there are, answers.txt. Throws IoError;
/// FormatError, naming path and line, for images that are no colour images, a blank question, an
/// answer that is none of the list, a number that is none of an image's, and no question at all.
VisualQuestions read_easy_vqa(const std::string& folder, const std::string& part);

}  // namespace heed::data
