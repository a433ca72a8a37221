// Images of digits with their labels: the MNIST files, or digits drawn here, turned, stretched and
// moved at random, with noise. As batches they stand in an image of any size, each at a random
// place (the translated digits of Mnih et al. 2014).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../autograd/tensor.h"
#include "../../core/generator.h"
#include "../../data/generated/drawn_digits.h"
#include "../../data/mnist.h"
#include "../../io/fields.h"

namespace glimpses {

using namespace heed;  // an application speaks the library's language
using data::Digits, data::draw_digits;

inline constexpr Index kClasses = 10;
inline constexpr Index kSide = data::kDigitSide;

struct CorpusOptions {
  std::string path = "";
  Index drawn = 12000;  ///< to train on; a sixth as many, at most 2000, to validate, and to test
  std::uint64_t seed = 1;
  void fields(io::Fields& f) {
    f.text("data", path, "a folder with the four MNIST files; left out: drawn digits");
    f.size("drawn", drawn, 12, 1 << 20, "digits drawn to train on");
  }
};

struct Corpus {
  Digits train, validation, test;
};

/// The last twelfth of the training files (5,000 of MNIST's) is for validation. Throws IoError,
/// FormatError.
Corpus load_corpus(const CorpusOptions& options);

struct Batch {
  Tensor images;  ///< f32 [B, 1, size, size] in [0, 1]
  Tensor labels;  ///< i64 [B]
};

/// The digits of these rows, each at a place of its own drawn from the generator, on black, among
/// `clutter` pieces of other digits (the cluttered ones of Mnih et al. 2014). Throws ValueError
/// unless size >= kSide.
Batch batch_of(const Digits& digits, const std::vector<Index>& rows, Index size, Index clutter,
               Generator& generator);

}  // namespace glimpses
