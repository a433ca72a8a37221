// Images of one size with their classes, a byte a dot: what a classifier of images learns from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../core/array.h"
#include "../core/generator.h"
#include "mnist.h"
#include "visual_questions.h"

namespace heed::data {

struct LabelledImages {
  Index channels = 0, height = 0, width = 0;
  std::vector<std::uint8_t> pixels = {};  ///< [count, channels, height, width]
  std::vector<Index> labels = {};
  Index count() const { return static_cast<Index>(labels.size()); }
};

/// The digits, each once as cluttered_digits() has it. Throws ValueError.
LabelledImages placed_digits(const Digits& digits, Index size, Index clutter, Generator& generator);

/// The shapes of easy-VQA's images, numbered as in this list, of those that are asked which they
/// show.
inline const std::vector<std::string> kShownShapes = {"circle", "rectangle", "triangle"};
LabelledImages shown_shapes(const VisualQuestions& questions);

/// Those from `first` on, at most `count`, and none beyond the last. Throws IndexError for a
/// negative number.
LabelledImages part_of(const LabelledImages& images, Index first, Index count);

/// f32 [rows, channels, height, width] in [0, 1]. Throws IndexError.
Array image_batch(const LabelledImages& images, const std::vector<Index>& rows);

}  // namespace heed::data
