// Images of digits with their labels: the MNIST files, or digits drawn here, turned, stretched and
// moved at random, with noise. As batches they stand in an image of any size, each at a random
// place (the translated digits of Mnih et al. 2014).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../autograd/tensor.h"
#include "../../core/generator.h"

namespace glimpses {

using namespace heed;  // an application speaks the library's language

inline constexpr Index kClasses = 10;
inline constexpr Index kSide = 28;  ///< of a digit, in pixels

struct Digits {
  std::vector<std::uint8_t> pixels;  ///< [count, kSide, kSide]
  std::vector<Index> labels;         ///< [count], each in 0 .. 9
  Index count() const { return static_cast<Index>(labels.size()); }
};

/// The next `count` digits of the generator's stream, all ten equally likely.
Digits draw_digits(Index count, Generator& generator);

struct CorpusOptions {
  /// A folder with train-images-idx3-ubyte, train-labels-idx1-ubyte and the two of t10k, plain or
  /// as .gz; empty: drawn digits.
  std::string path = "";
  Index drawn = 12000;  ///< to train on; a sixth as many to validate, and to test
  std::uint64_t seed = 1;
};

struct Corpus {
  Digits train, validation, test;
};

/// The last twelfth of the training files (5,000 of MNIST's) is for validation. Throws IoError;
/// FormatError for images that are not kSide x kSide or not as many as labels, or other labels.
Corpus load_corpus(const CorpusOptions& options);

struct Batch {
  Tensor images;  ///< f32 [B, 1, size, size] in [0, 1]
  Tensor labels;  ///< i64 [B]
};

/// The digits named by `which`, each at a place of its own drawn from the generator, on black.
/// Throws ValueError unless size >= kSide.
Batch batch_of(const Digits& digits, const std::vector<Index>& which, Index size,
               Generator& generator);

}  // namespace glimpses
