// Modern Hopfield networks (Ramsauer et al. 2021, "Hopfield Networks is All You Need"): a state
// moves to the stored pattern that it is like, by the update that is attention.
//
//   xi <- X softmax(beta X^T xi)                                                          eq. 3
//   E(xi) = -lse(beta, X^T xi) + xi . xi / 2 + log(N) / beta + M^2 / 2,                   eq. 2
//   lse(beta, z) = log(sum_i exp(beta z_i)) / beta,  M the largest norm of a pattern; E never rises
//
// Hopfield associates: states W_Q r and patterns W_K y of H heads of width D, some updates among
// these, then the last one's weights of the values W_V W_K y, and W_O:
//   r [B, Q, state_width], y [B, K, stored_width] -> [B, Q, output], weights [B, H, Q, K]
// HopfieldPooling has learned states (a set is read), HopfieldLayer learned patterns (a store is
// read). The paper's normed r and y are the caller's. O(updates Q K D).
#pragma once

#include "../../../nn/linear.h"
#include "../../attend.h"

namespace heed::attention {

/// E of states [.., Q, D] among patterns [.., K, D] -> [.., Q]; patterns that are not `allowed`
/// (bool, broadcasts to [.., K]) are not stored, and without any the energy is infinite, with zero
/// gradients. Throws ShapeError, DTypeError, ValueError unless beta is positive and finite.
Tensor hopfield_energy(const Tensor& states, const Tensor& patterns, double beta,
                       const Tensor& allowed = Tensor());
/// One update. Terms are attention's. Throws as that does.
Attended hopfield_update(const Tensor& states, const Tensor& patterns, double beta,
                         const Terms& terms = {});

struct HopfieldOptions {
  Index state_width = 0;
  Index stored_width = 0;  ///< 0: state_width
  Index head_width = 0;    ///< D
  Index heads = 1;         ///< H
  Index output = 0;        ///< 0: state_width
  Index updates = 1;       ///< at most; the last one reads the values
  double tolerance = 0;    ///< no further update of a state that the last one moved by no more
  double beta = 0;         ///< 0: 1 / sqrt(D)
  DType dtype = DType::f32;
};

class Hopfield : public nn::Module {
 public:
  /// Throws ValueError unless sizes and updates are positive, tolerance and beta not negative.
  explicit Hopfield(const HopfieldOptions& options);

 private:
  HopfieldOptions options_;

 public:
  nn::Linear &state_projection, &pattern_projection;  ///< W_Q, W_K
  nn::Linear& value_projection;                       ///< W_V [H D, H D]
  nn::Linear& out_proj;                               ///< W_O

  /// The mask is that of the patterns. Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& states, const Tensor& stored, const Mask& mask = Mask(),
                      bool need_weights = false) const;

  const HopfieldOptions& options() const { return options_; }
};

class HopfieldPooling : public nn::Module {
 public:
  /// Throws ValueError unless `count` is positive, and as Hopfield.
  explicit HopfieldPooling(const HopfieldOptions& options, Index count = 1);

  Tensor& states;  ///< [count, state_width]
  Hopfield& associate;

  /// stored [B, K, stored_width] -> [B, count, output].
  Attended operator()(const Tensor& stored, const Mask& mask = Mask(),
                      bool need_weights = false) const;
};

class HopfieldLayer : public nn::Module {
 public:
  /// Throws ValueError unless `count` is positive, and as Hopfield.
  HopfieldLayer(const HopfieldOptions& options, Index count);

  Tensor& patterns;  ///< [count, stored_width]
  Hopfield& associate;

  /// states [B, Q, state_width] -> [B, Q, output].
  Attended operator()(const Tensor& states, bool need_weights = false) const;
};

}  // namespace heed::attention
