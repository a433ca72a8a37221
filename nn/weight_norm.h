// Weight normalisation (Salimans, Kingma 2016): w = g v / ||v||, of which the length g of each
// output's weights and their direction v are learned apart. Names and shapes are those of
// torch.nn.utils.weight_norm with dim 0: weight_g [out, 1, ..], weight_v [out, ..]. They begin such
// that w is the layer's own first weight.
#pragma once

#include "conv.h"
#include "linear.h"

namespace heed::nn {

/// w, shaped as v [out, ..], from g [out, 1, ..]. As in PyTorch, a v of zeros makes NaN.
Tensor weight_norm(const Tensor& v, const Tensor& g);

/// ||v|| of each entry of the first axis, [out, 1, ..]: the g that makes weight_norm(v, g) be v.
Tensor weight_lengths(const Tensor& v);

/// A Linear whose `weight` is undefined, and made of weight_g and weight_v at each call; without
/// `normalised` it is just a Linear, and these two are undefined.
class WeightNormLinear : public Linear {
 public:
  WeightNormLinear(Index in, Index out, bool normalised = true, bool with_bias = true,
                   DType dtype = DType::f32);

  Tensor& weight_g;  ///< [out, 1]
  Tensor& weight_v;  ///< [out, in]

  Tensor operator()(const Tensor& x) const;
};

/// A Conv1d, likewise.
class WeightNormConv1d : public Conv1d {
 public:
  WeightNormConv1d(Index in, Index out, Index kernel, bool normalised = true,
                   const Conv1dOptions& options = {}, bool with_bias = true,
                   DType dtype = DType::f32);

  Tensor& weight_g;  ///< [out, 1, 1]
  Tensor& weight_v;  ///< [out, in / groups, kernel]

  Tensor operator()(const Tensor& x) const;
};

}  // namespace heed::nn
