// What models of a premise and a hypothesis give, whatever the attention between the two.
#pragma once

#include "../../../autograd/tensor.h"

namespace heed::attention {

struct PairOutput {
  Tensor context;               ///< of the hypothesis' tokens, [B, T, any]; 0 in the padding
  Tensor premise;               ///< of the premise's, [B, L, any]; likewise
  Tensor pair;                  ///< what a classifier reads, [B, any]
  Tensor weights = {};          ///< hypothesis over premise, [B, T, L]; undefined unless asked for
  Tensor premise_weights = {};  ///< premise over hypothesis, [B, L, T], of what looks both ways
};

}  // namespace heed::attention
