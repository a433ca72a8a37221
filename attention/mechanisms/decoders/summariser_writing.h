// The attention-based summariser as nn::beam_search() drives it: what it keeps of a text being
// written are the last words.
#pragma once

#include "../../../nn/beam_search.h"
#include "summariser.h"

namespace heed::attention {

class SummariserWriting : public nn::Decoding {
 public:
  /// source i64 [B, M] with a length a row. Throws ShapeError, ValueError as Mask::lengths().
  SummariserWriting(const Summariser& model, const Tensor& source,
                    const std::vector<Index>& lengths);

  Tensor step(const Tensor& words, Tensor* weights) override;
  void reorder(const Tensor& rows, bool sources) override;

 private:
  const Summariser& model_;
  Tensor source_, real_;
  Tensor before_;  ///< [R, t], at most the model's context
};

}  // namespace heed::attention
