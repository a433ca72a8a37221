// SparseMAP over a linear chain (Niculae et al. 2018, "SparseMAP: Differentiable Sparse Structured
// Inference"): between the one best sequence and the marginals of all (linear_chain.h), a few
// sequences with weights.
//
//   mu = argmax over the marginal polytope of  u . mu_u + A . mu_v - 1/2 |mu_u|^2
//   mu_u(t, j) = sum over the sequences z of the active set with z_t = j of y_z
//
// Wolfe's active set: the best sequence of u - mu_u (Viterbi) comes in, the quadratic problem over
// those that are in is solved exactly, whose weight falls to 0 goes out. It ends after finitely
// many rounds, each O(T S^2 + n^3) for n sequences, in f64 within; rows one by one.
//
// With M the sequences of the active set as columns, y is linear in their scores, and mu_u in u and
// A: the derivative goes through the active set (the paper's proposition 1). mu is piecewise
// linear, so that its second derivatives are 0, as sparsemax's are. The Jacobian is made: O((T
// S)^2) numbers a row.
//
// As a normaliser of scores e: S = 2, u_t = (0, e_t), weights mu_u(t, 1) in [0, 1], many of them
// exactly 0 or 1, which sum up to anything. What is exactly 0 or 1 all along a chain has no
// gradient:
// train in small steps, or by the marginals first (LinearChain has the same transitions).
#pragma once

#include "../../normaliser.h"

namespace heed::attention {

struct SparseChain {
  Tensor nodes;  ///< mu_u [.., T, S]; 0 where a place is not allowed
  Tensor count;  ///< i64 [..]: sequences in the active set
};

/// u [.., T, S], transitions A [S, S]; places that are not `allowed` as in linear_chain(). A row
/// with a score that is not finite gives NaN. Throws ShapeError, DTypeError.
SparseChain sparse_chain(const Tensor& u, const Tensor& transitions,
                         const Tensor& allowed = Tensor());

class SparseLinearChain : public Normaliser {
 public:
  explicit SparseLinearChain(DType dtype = DType::f32);

  Tensor& transitions;  ///< A [2, 2], at first 0

  Tensor operator()(const Tensor& scores, const Tensor& allowed = Tensor(), Index axis = -1,
                    Tensor* state = nullptr) const override;
};

}  // namespace heed::attention
