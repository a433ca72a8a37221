// The self-attention of a whole stack as something to look at: its layers from top to bottom, the
// heads of each from left to right, as a page to explore and as a picture.
//
// Weights that are not finite, or below 0, count as 0. Words may hold anything, as alignment.h's.
// Both throw DTypeError for weights that are not f32 or f64, ShapeError where a layer's are not
// [heads, words, words], one head and one word or more, and ValueError for a text of no layers.
#pragma once

#include <string>
#include <vector>

#include "../core/array.h"
#include "picture.h"

namespace heed::train {

struct SelfAttended {
  std::vector<std::string> words;
  std::vector<Array> layers;  ///< of each layer [heads, words, words]; a row is the word that looks
};

/// An HTML page that needs no network, light or dark: for each text its words, and a small matrix
/// for every head. Pointing at a head, or moving to it by keys, draws its arcs above the words,
/// from each word to those that it looks at, and shades the words by what they get; pointing at a
/// word leaves what this one looks at. A click keeps a head.
std::string self_attention_page(const std::string& title, const std::vector<SelfAttended>& texts);

/// All matrices of a text on white, its words beside the first head's; the largest weight of each
/// is the full shade. Throws ShapeError for more than 2^28 dots.
Picture self_attention_picture(const SelfAttended& text);

/// Both, as PATH.html and PATH.png. Throws IoError, too.
void write_self_attention(const std::string& path, const std::string& title,
                          const SelfAttended& text);

}  // namespace heed::train
