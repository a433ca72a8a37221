// Where a recogniser of speech listened, as a picture: the spectrogram, low sounds at its bottom,
// and above it, to the same scale of time, a row of weights for each word that was heard (Chorowski
// et al. 2015, figure 1). Where the true places of words are known, lines bound them.
#pragma once

#include <string>
#include <vector>

#include "../core/array.h"
#include "picture.h"

namespace heed::train {

struct HeardWords {
  std::string title;               ///< empty: none
  Array spectrum;                  ///< [T, bins], f32 or f64; the least is white, the most black
  std::vector<std::string> words;  ///< each with a row of weights, from the top
  /// [words, places], f32 or f64, the largest of all the full shade; a place stands for `frames` of
  /// the T, the last one for what is left.
  Array weights;
  Index frames = 1;
  struct Place {
    double begin, end;  ///< in frames
    std::string name;
  };
  std::vector<Place> places = {};  ///< the true ones
};

/// Throws ShapeError, DTypeError where the parts do not fit, ValueError unless frames > 0.
Picture heard_picture(const HeardWords& heard);

}  // namespace heed::train
