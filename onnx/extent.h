// Extents: whole numbers of a model that follow the sizes of its inputs, a batch or a length. They
// are read off several passes at sizes that differ, odd and even ones, as one of
//
//   c + a1 s1 + a2 s2 + ..      scale (s1 + o1) (s2 + o2) ..      scale floor((s1 + c) / d)
//
//   any of these, or `most`, whichever is less
//
// and only what explains every pass is one. Where two quotients do, a pass at another size tells.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../core/shape.h"

namespace heed::onnx {

/// A size, and what it should be in a further pass.
struct FurtherPass {
  std::size_t size = 0;
  Index at = 0;
};

/// The sizes that follow, and what each is in each pass.
struct Sizes {
  std::vector<std::string> names;          ///< "batch"
  std::vector<std::vector<Index>> passes;  ///< passes[p][s]

  /// As many passes as it takes: the first at the sizes `least` (but 2 at least), the others at
  /// larger primes no two of which are equal, one of them twice a prime where `least` is odd; where
  /// `most` leaves too few, of numbers no two of which are equal for one size. Throws ValueError
  /// where there are not enough of these.
  static Sizes choose(std::vector<std::string> names, const std::vector<Index>& least,
                      const std::vector<Index>& most);

  /// One more, as the first but for one size; its place among the passes.
  std::size_t add(const FurtherPass& pass);

  /// What the sizes may be at most.
  std::vector<Index> most = {};
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
  /// Where this one and another that explains the passes as well would differ.
  std::optional<FurtherPass> doubt = {};

  bool is_constant() const;
  Index at(const std::vector<Index>& sizes) const;
  /// "2 batch + 1", for messages and as a name.
  std::string text(const Sizes& sizes) const;
};

/// The simplest that is numbers[p] in every pass p.
std::optional<Extent> extent_of(const std::vector<Index>& numbers, const Sizes& sizes);

}  // namespace heed::onnx
