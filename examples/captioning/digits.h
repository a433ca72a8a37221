// Scenes of handwritten digits: those of MNIST, each shrunk to 14 x 14, at places of the grid:
//
//   a three left of a seven
#pragma once

#include "scene.h"

namespace captioning {

/// The digits of one part of MNIST.
class Digits {
 public:
  /// Reads PART-images-idx3-ubyte and PART-labels-idx1-ubyte, plain or with .gz, from `folder`;
  /// part is "train" or "t10k". Throws IoError, FormatError.
  Digits(const std::string& folder, const std::string& part);

  Index count() const { return static_cast<Index>(labels_.size()); }
  /// Of the digits [begin, end). Throws ValueError when there is none.
  Scene scene(Generator& generator, Index begin, Index end) const;

 private:
  std::vector<std::uint8_t> images_, labels_;
};

/// All words that a scene of digits may use.
std::vector<std::string> digit_words();

}  // namespace captioning
