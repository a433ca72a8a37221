// A chain in the place of a normaliser: each key is chosen (state 1, its score) or not (state 0, a
// score of 0), and the weights are how far each is chosen.
#pragma once

#include <functional>

#include "../../../autograd/tensor.h"

namespace heed::attention {

/// scores with keys along `axis`, allowed undefined or broadcasting to them -> weights. `nodes`
/// gives those of u [.., K, 2] with may, bool [.., K] or undefined.
Tensor chain_over_keys(const Tensor& scores, const Tensor& allowed, Index axis,
                       const std::function<Tensor(const Tensor& u, const Tensor& may)>& nodes);

}  // namespace heed::attention
