// The co-attention Transformer layer (Lu et al. 2019, "ViLBERT", section 2.1, fig. 2b): two
// streams, each of which asks with its own queries for the other's keys and values, then reads by
// itself.
//
//   x = LayerNorm(x + MultiHead(x, y, y)),  y = LayerNorm(y + MultiHead(y, x, x)),  at once
//   each = LayerNorm(each + W_2 act(W_1 each))
//
// x [B, T, width], y [B, N, other_width], of any widths -> the same shapes; weights [B, H, T, N],
// [B, H, N, T]. O(T N E). A layer of each stream's own (TransformerEncoderLayer) follows it in the
// paper.
#pragma once

#include "../../../nn/layer_norm.h"
#include "../transformer/multi_head.h"

namespace heed::attention {

struct TwoStreamsOptions {
  Index width = 0, other_width = 0;    ///< of x and y
  Index heads = 1;                     ///< a divisor of both
  Index hidden = 0, other_hidden = 0;  ///< of the feed-forward parts; 0: 4 widths
  double dropout = 0;                  ///< after each part, and of the weights
  DType dtype = DType::f32;
};

/// One stream's half.
class StreamHalf : public nn::Module {
 public:
  /// Throws ValueError, as MultiHead and Linear.
  StreamHalf(Index width, Index other_width, Index hidden, const TwoStreamsOptions& options);

  MultiHead& attend;
  nn::LayerNorm &norm1, &norm2;
  nn::Linear &linear1, &linear2;
  double dropout;

  /// x looks at y, both finite or masked by what they are under: the mask is that of y's places.
  Attended operator()(const Tensor& x, const Tensor& y, const Terms& terms) const;
};

struct TwoStreamsOutput {
  Attended x, y;
};

class TwoStreams : public nn::Module {
 public:
  /// Throws ValueError for widths that are not positive, and as StreamHalf.
  explicit TwoStreams(const TwoStreamsOptions& options);

 private:
  TwoStreamsOptions options_;

 public:
  StreamHalf &first, &second;

  /// Masks broadcast to [B, T] and [B, N]; masked places count as zeros. Throws ShapeError,
  /// DTypeError.
  TwoStreamsOutput operator()(const Tensor& x, const Tensor& y, const Mask& x_mask = Mask(),
                              const Mask& y_mask = Mask(), bool need_weights = false) const;
};

}  // namespace heed::attention
