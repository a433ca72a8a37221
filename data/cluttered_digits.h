// Digits in larger images: each at a random place (the translated ones of Mnih et al. 2014), among
// pieces of other digits (the cluttered ones).
#pragma once

#include "../core/array.h"
#include "../core/generator.h"
#include "mnist.h"

namespace heed::data {

inline constexpr Index kClutterPiece = 8;  ///< the side of a piece of clutter

/// Where a digit stands.
struct DigitPlace {
  Index left, top;
};

/// The digits of these rows, f32 [rows, 1, size, size] in [0, 1], each at a place of its own drawn
/// from the generator, on black, among `clutter` pieces of other digits. `places`, where given,
/// takes where they stand. Throws ValueError unless size >= kDigitSide, IndexError.
Array cluttered_digits(const Digits& digits, const std::vector<Index>& rows, Index size,
                       Index clutter, Generator& generator,
                       std::vector<DigitPlace>* places = nullptr);

}  // namespace heed::data
