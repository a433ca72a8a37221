// Scenes to learn from, to choose the model by and to test it on, generated or made of MNIST's
// digits, and batches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../core/array.h"
#include "../../data/generated/scenes.h"
#include "../../data/vocabulary.h"

namespace captioning {

using namespace heed;  // an application speaks the library's language
using data::Scene, data::kSceneSide;

struct CorpusOptions {
  std::string data = "shapes";  ///< or "mnist"
  std::string path = "";        ///< of MNIST's folder
  Index scenes = 8000;          ///< to train on
  Index validation = 500;       ///< to choose the model by
  Index test = 500;             ///< looked at once, at the end
  std::uint64_t seed = 1;
};

struct Corpus {
  std::vector<Scene> train, validation, test;
};

/// No digit serves two parts: the last sixth of MNIST's training part is for validation, its test
/// part for the test. Throws IoError, FormatError; ValueError for other data.
Corpus load_corpus(const CorpusOptions& options);

inline constexpr const char* kBegin = "<begin>";
inline constexpr const char* kEnd = "<end>";

/// All words of the data, and the two marks. Throws ValueError for other data.
data::Vocabulary vocabulary_of(const std::string& data);

struct Batch {
  Array images;   ///< f32 [B, 3, kSceneSide, kSceneSide] in [0, 1]
  Array words;    ///< i64 [B, T]: <begin> and the words, padded with 0
  Array targets;  ///< i64 [B, T]: the words and <end>, padded with 0
};

/// For what is cut in pieces (data/pieces.h).
inline Index rows_of(const Batch& batch) { return batch.images.size(0); }
inline Batch part_of(const Batch& batch, Index begin, Index end) {
  return {batch.images.slice(0, begin, end), batch.words.slice(0, begin, end),
          batch.targets.slice(0, begin, end)};
}

/// Of these scenes. Throws ValueError without any.
Batch batch_of(const std::vector<Scene>& scenes, const std::vector<Index>& rows,
               const data::Vocabulary& vocabulary);

}  // namespace captioning
