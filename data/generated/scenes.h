// Scenes to describe: two or three things at different places of a 3 x 3 grid, coloured shapes or
// handwritten digits, and the one sentence that is right for them. Things come in reading order,
// and what joins them is "left of" where they stand in one row, else "above":
//
//   a red circle left of a blue square above a green cross
//   a three left of a seven
//
// Which thing a word names is known, so that it can be asked whether the model looked there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../core/generator.h"
#include "../mnist.h"

namespace heed::data {

inline constexpr Index kScenePlaces = 3;                             // along each side
inline constexpr Index kScenePlaceSize = 16;                         // in dots
inline constexpr Index kSceneSide = kScenePlaces * kScenePlaceSize;  // of an image

struct Scene {
  std::vector<std::uint8_t> image;  ///< RGB planes [3, kSceneSide, kSceneSide]
  std::vector<std::string> words;
  std::vector<Index> places;  ///< of each word: row kScenePlaces + column of what it names, or -1
};

/// A thing before it is drawn.
struct SceneThing {
  std::vector<std::string> names;  ///< "red", "circle"
  Index place;
};

/// The sentence of things in reading order, with the places its words name.
void say_things(const std::vector<SceneThing>& things, Scene& scene);

/// Coloured shapes on a noisy dark ground; sizes, shades and places vary a little.
Scene shape_scene(Generator& generator);
/// Of the digits [begin, end), each shrunk to 14 x 14. Throws ValueError when there is none.
Scene digit_scene(const Digits& digits, Index begin, Index end, Generator& generator);

/// Of a PNG or JPEG file, which nobody has described: its middle, made as small as a scene. Throws
/// IoError, FormatError.
Scene picture_scene(const std::string& path);

/// All words that scenes of "shapes" or of "mnist" may use. Throws ValueError for other data.
std::vector<std::string> scene_words(const std::string& data);

}  // namespace heed::data
