// Writing captions, and measuring them: how many are exactly right, and how often the model looked
// at what a word names while it said it.
#pragma once

#include <vector>

#include "../../train/picture.h"
#include "model.h"

namespace captioning {

struct Caption {
  std::vector<std::string> words;  ///< without the marks
  std::vector<Array> looked;       ///< of each word, f32 [kCells, kCells]
};

/// The likeliest word, one after the other, at most `longest`.
std::vector<Caption> write_captions(const Describer& describer, const std::vector<Scene>& scenes,
                                    Index longest = 24);

/// The place of the grid, row kScenePlaces + column, in which the cell most looked at lies.
Index place_looked_at(const Array& looked);

struct Measures {
  double exact = 0;     ///< share of captions that are right to the last word
  double pointing = 0;  ///< of the words that name a thing: said right, and looked at the thing
  double loss = 0;      ///< nats a word, each word from the right ones before it
  double named = 0;     ///< words that name a thing
  double words = 0;     ///< all words, and ends
};

/// Throws ValueError without scenes, as write_captions().
Measures measure(const Describer& describer, const std::vector<Scene>& scenes);

/// Where the model looked, one strip below the other: a scene's image, and for each word the image
/// under the heat of what was looked at. The heat of hard attention is one bright cell, not smooth.
train::Picture looks_of(const std::vector<Scene>& scenes, const std::vector<Caption>& captions,
                        bool smooth);

}  // namespace captioning
