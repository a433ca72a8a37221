// Extents: whole numbers of a model that follow the sizes of its inputs, a batch or a length. They
// are read off several passes at sizes that are distinct primes, as one of
//
//   floor((c + a1 s1 + a2 s2 + ..) / d)      scale (s1 + o1) (s2 + o2) ..
//
//   either of these, or `most`, whichever is less
//
// and only what explains every pass is one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../core/shape.h"

namespace heed::onnx {

/// The sizes that follow, and what each is in each pass.
struct Sizes {
  std::vector<std::string> names;          ///< "batch"
  std::vector<std::vector<Index>> passes;  ///< passes[p][s]

  /// As many passes as it takes: the first at the sizes `least` (but 2 at least), the others at
  /// larger primes no two of which are equal; where `most` leaves too few, of numbers no two of
  /// which are equal for one size. Throws ValueError where there are not enough of these.
  static Sizes choose(std::vector<std::string> names, const std::vector<Index>& least,
                      const std::vector<Index>& most);
};

struct Extent {
  struct Factor {
    Index size = 0, offset = 0;
  };
  Index constant = 0;
  std::vector<Index> slopes = {};  ///< one a size
  Index divisor = 1;
  Index scale = 1;
  std::vector<Factor> factors = {};  ///< none: the sum above
  std::optional<Index> most = {};    ///< a bound that was met in a pass

  bool is_constant() const;
  Index at(const std::vector<Index>& sizes) const;
  /// "2 batch + 1", for messages and as a name.
  std::string text(const Sizes& sizes) const;
};

/// The simplest that is numbers[p] in every pass p.
std::optional<Extent> extent_of(const std::vector<Index>& numbers, const Sizes& sizes);

}  // namespace heed::onnx
