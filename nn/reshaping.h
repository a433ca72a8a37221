// Layers without parameters that change the shape, or nothing: for a place in a Sequential.
#pragma once

#include "../autograd/ops/conv/interpolate.h"
#include "../autograd/ops/shape/shape.h"
#include "layer.h"

namespace heed::nn {

/// Gives back what it takes.
class Identity : public Layer<Identity> {
 public:
  Identity() = default;
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(x);
  }

 private:
  friend class Sequential;
  Identity(Identity&&) = default;
};

/// flatten(), of all axes but the batch where none are named.
class Flatten : public Layer<Flatten> {
 public:
  explicit Flatten(Index first = 1, Index last = -1) : first_(first), last_(last) {}
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(flatten(x, first_, last_));
  }

 private:
  friend class Sequential;
  Flatten(Flatten&&) = default;
  Index first_, last_;
};

/// One axis cut into several, of which one size may be -1: its inverse. Throws ShapeError where the
/// sizes do not make the axis'.
class Unflatten : public Layer<Unflatten> {
 public:
  Unflatten(Index axis, Shape sizes) : axis_(axis), sizes_(sizes) {}
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(reshape(x, heed::detail::unflattened("Unflatten", x.shape(), axis_, sizes_)));
  }

 private:
  friend class Sequential;
  Unflatten(Unflatten&&) = default;
  Index axis_;
  Shape sizes_;
};

/// interpolate(): nn::Upsample({.scale = 2}). As in PyTorch a number alone is the size.
class Upsample : public Layer<Upsample> {
 public:
  using Options = InterpolateOptions;
  explicit Upsample(const InterpolateOptions& options) : options_(options) {}
  template <Whole T>
  explicit Upsample(T size) : options_{.size = PerAxis(static_cast<Index>(size))} {}
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(interpolate(x, options_));
  }

 private:
  friend class Sequential;
  Upsample(Upsample&&) = default;
  InterpolateOptions options_;
};

}  // namespace heed::nn
