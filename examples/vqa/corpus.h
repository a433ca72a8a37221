// Questions about pictures, easy-VQA's or generated, and how they become numbers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../../core/array.h"
#include "../../data/visual_questions.h"
#include "../../data/vocabulary.h"
#include "../../io/fields.h"

namespace vqa {

using namespace heed;  // an application speaks the library's language
using data::VisualQuestion, data::VisualQuestions;

struct CorpusOptions {
  std::string data = {};  ///< the folder of easy-VQA's files; empty: generated
  Index scenes = 5000;    ///< generated ones to learn from
  Index held_out = 500;   ///< and to validate, and to test
  std::uint64_t seed = 1;
  void fields(io::Fields& f) {
    f.text("data", data, "the folder of easy-VQA's files; left out: generated scenes");
    f.size("scenes", scenes, 10, 1 << 20, "generated ones to learn from");
    f.size("held_out", held_out, 1, 1 << 20, "generated ones to validate by, and to test");
  }
};

struct Corpus {
  VisualQuestions train, validation, test;
};
/// No image serves two parts: the last tenth of easy-VQA's training images are for validation.
/// Throws IoError, FormatError.
Corpus load_corpus(const CorpusOptions& options);

/// Of the words of the questions, and of the answers.
std::pair<data::Vocabulary, data::Vocabulary> vocabularies_of(const VisualQuestions& questions);

struct Batch {
  Array images;                ///< f32 [I, 3, H, W] in [0, 1]: each that is asked about, once
  Array boxes;                 ///< f32 [I, 3, H, W]: of each of three boxes, 1 in its dots
  Array which;                 ///< i64 [B]: of I, the question's
  Array words;                 ///< i64 [B, T]
  std::vector<Index> lengths;  ///< B
  Array answers;               ///< i64 [B]
};
/// Of these questions. Throws ValueError for one without words or of more than 24, and for none.
Batch batch_of(const VisualQuestions& all, const std::vector<Index>& rows,
               const data::Vocabulary& words, const data::Vocabulary& answers);

}  // namespace vqa
