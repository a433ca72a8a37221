// Questions about pictures, with their answers: easy-VQA's files, or generated ones (see
// generated/questions.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../core/array.h"

namespace heed::data {

struct VisualQuestion {
  std::string text, answer = {};
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

/// A table without a header of questions, answers and the numbers of `images` images. Throws as
/// read_easy_vqa().
std::vector<VisualQuestion> read_visual_questions(const std::string& path, Index images,
                                                  const std::vector<std::string>& answers);

/// A part, "train" or "test", of the folder of easy-VQA's files, plain or gzip: the images
/// PART-images-idx4-ubyte [n, height, width, 3], the questions PART-questions.tsv (question, answer
/// and the image's number from 0) and the answers there are, answers.txt. Throws IoError;
/// FormatError, naming path and line, for images that are no colour images, a blank question, an
/// answer that is none of the list, a number that is none of an image's, and no question at all.
VisualQuestions read_easy_vqa(const std::string& folder, const std::string& part);

/// The images [begin, end), and what is asked about them, numbered anew. Throws IndexError for
/// others than there are.
VisualQuestions about_images(const VisualQuestions& all, Index begin, Index end);

/// A PNG or JPEG file in this size (see fitted()), of which nothing is asked yet. Throws IoError,
/// FormatError, ValueError.
VisualQuestions about_picture(const std::string& path, Index height, Index width);

/// The numbers of the questions of each image that has any.
std::vector<std::vector<Index>> by_image(const VisualQuestions& all);

/// These images, f32 [n, 3, height, width] in [0, 1]. Throws IndexError for a number that is no
/// image's.
Array image_batch(const VisualQuestions& all, const std::vector<Index>& images);
/// 1 in the dots of each of their first `boxes` boxes, f32 [n, boxes, height, width]; all 0 of one
/// that there is not. Throws IndexError for a number that is no image's or whose boxes are missing,
/// and for a box that is not within its image.
Array box_batch(const VisualQuestions& all, const std::vector<Index>& images, Index boxes);

}  // namespace heed::data
