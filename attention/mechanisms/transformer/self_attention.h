// What a Transformer's layer asks of its self-attention: MultiHead is one, Synthesizer another, and
// so is any module of yours with this face.
#pragma once

#include "../../terms.h"
#include "key_value_cache.h"

namespace heed::attention {

class SelfAttention : public nn::Module {
 public:
  /// x [B, T, E] -> context [B, T, E], weights [B, H, T, T] where the terms ask for them. `cache`,
  /// where given, holds the steps before. What layers share goes up the stack from for_above of the
  /// one's result to from_below of the other's terms, and nowhere else. Throws ShapeError,
  /// DTypeError; ValueError for what it cannot do.
  virtual Attended operator()(const Tensor& x, const Terms& terms = {},
                              KeyValueCache* cache = nullptr) const = 0;
};

}  // namespace heed::attention
