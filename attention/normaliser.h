// Normalisers make weights of scores, along the axis of the keys. One interface for all of them:
// softmax here, the others in normalisers/.
//
// `allowed` (bool, broadcasts to the scores; undefined: everything) says what may be attended to.
// Masked places get exactly 0 and whatever stands there, NaN included, changes nothing; a row
// without any true is all zeros, with zero gradients.
#pragma once

#include "../nn/module.h"

namespace heed::attention {

class Normaliser : public nn::Module {
 public:
  /// scores [.., Q, K] (or [.., Q, K, d] with axis -2) -> weights of that shape. `state`: for those
  /// that go on from query to query (see Monotonic), what the last query left, taken and replaced;
  /// undefined at the first. Throws ShapeError, DTypeError.
  virtual Tensor operator()(const Tensor& scores, const Tensor& allowed = Tensor(), Index axis = -1,
                            Tensor* state = nullptr) const = 0;

  /// Whether this is the plain softmax, for which there are tiled kernels.
  virtual bool is_softmax() const { return false; }
  /// Whether this is the softmax beside a sink of 0: see Terms::sinks.
  virtual bool is_softmax_plus_one() const { return false; }
  /// Whether `state` counts.
  virtual bool is_stateful() const { return false; }
};

/// exp(e) / sum exp(e).
class Softmax : public Normaliser {
 public:
  Tensor operator()(const Tensor& scores, const Tensor& allowed = Tensor(), Index axis = -1,
                    Tensor* state = nullptr) const override;
  bool is_softmax() const override { return true; }
};

/// exp(e) / (1 + sum exp(e)): a query may attend to nothing much (Miller 2023, "Attention Is Off By
/// One").
class SoftmaxPlusOne : public Normaliser {
 public:
  Tensor operator()(const Tensor& scores, const Tensor& allowed = Tensor(), Index axis = -1,
                    Tensor* state = nullptr) const override;
  bool is_softmax_plus_one() const override { return true; }
};

}  // namespace heed::attention
