// Pointer network (Vinyals et al. 2015): the weights themselves are the answer, a distribution over
// the places of the input, whose number may differ from example to example.
//
//   u_ij = v^T tanh(W1 e_j + W2 d_i),  p(C_i | C_1 .. C_{i-1}) = softmax_j(u_ij)
//
// e: keys [B, K, dk]; d: query [B, Q, dq]; out: log p [B, Q, K]. (Our Additive score has W1 for the
// query.) Loss: nll_loss of log p and the places to point to; what a decoder is fed next is the key
// it pointed to.
#pragma once

#include "../../memory.h"
#include "../../scores/additive.h"

namespace heed::attention {

class Pointer : public nn::Module {
 public:
  /// Throws ValueError unless widths are positive.
  Pointer(Index query_width, Index key_width, Index hidden, DType dtype = DType::f32);

  Additive& score;

  /// Keys prepared once for many calls.
  Memory prepare(const Tensor& keys, const Mask& mask = Mask()) const;

  /// log p; -infinity in masked places, and all along a query that may point to nothing. exp() of
  /// it are the weights. `mask` is one beside the memory's. Throws ShapeError, DTypeError.
  Tensor operator()(const Tensor& query, const Memory& memory, const Mask& mask = Mask()) const;
  Tensor operator()(const Tensor& query, const Tensor& keys, const Mask& mask = Mask()) const {
    return (*this)(query, prepare(keys), mask);
  }
};

}  // namespace heed::attention
