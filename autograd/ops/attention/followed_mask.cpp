#include "followed_mask.h"

#include <algorithm>
#include <limits>

#include "../../../core/error.h"
#include "../../factories.h"
#include "../elementwise/compare.h"
#include "../elementwise/elementwise.h"
#include "../elementwise/remainder.h"
#include "../shape/shape.h"

namespace heed {

Tensor followed_mask(const AttentionOptions& options, const Shape& scores) {
  if (!options.segments.empty() || options.rule != nullptr) {
    throw ValueError(
        "attention: segments and rules of a mask cannot be followed: give a tensor, allowed");
  }
  constexpr Index kFar = std::numeric_limits<Index>::max() / 4;  // places and it stay in range
  const Index rank = scores.rank(), Q = scores[rank - 2], K = scores[rank - 1];
  Tensor out = options.allowed;
  const auto narrow = [&out](const Tensor& allowed) {
    out = out.defined() ? logical_and(out, allowed) : allowed;
  };
  const Tensor keys = arange(K), places = unsqueeze(arange(K - Q, K), 1);  // [K], [Q, 1]
  if (options.left >= 0) narrow(keys >= places - std::min(options.left, kFar));
  if (options.right >= 0) narrow(keys <= places + std::min(options.right, kFar));
  for (const Index size : options.blocks) {
    narrow(keys - remainder(keys, size) == places - remainder(places, size));
  }
  if (options.lengths.defined()) {  // of the first axes
    Shape shape = options.lengths.shape();
    while (shape.rank() < rank) shape.push_back(1);
    narrow(keys < reshape(options.lengths, shape));
  }
  return out;
}

}  // namespace heed
