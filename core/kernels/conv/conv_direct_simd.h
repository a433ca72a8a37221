// The loops behind conv_direct.h: a band of one image's output places, on one thread.
#pragma once

#include "../../shape.h"

namespace heed::kernels::simd {

/// Output channels whose sums run side by side: as many as leave registers for the operands.
Index conv_height();
/// Elements that may be read and written beyond a band's: it is worked through in whole vectors.
inline constexpr Index kConvSlack = 64;

/// A band of output rows, gone through in whole vectors of places: each row by itself, where that
/// is no longer, else all as one, `pitch` from row to row, of which the last of each are not meant.
struct ConvBand {
  const Index* offsets;  ///< [depth]: where each tap's element of the first place lies
  Index depth;
  Index rows, width, pitch;  ///< of the output; the pitch of its input
  Index channels;            ///< at most conv_height()
};

template <class T>
struct ConvKernels {
  /// to[o channel_step + r width + i] = bias[o] + sum over taps of weight [depth, conv_height()]
  /// times from[offset + r pitch + i]. `room` holds conv_height() rows of rows * pitch + kConvSlack
  /// elements.
  void (*band)(const ConvBand& band, const T* from, const T* weight, const T* bias, T* room, T* to,
               Index channel_step);

  /// Elements of a band's g as `weight` reads it: [vectors, conv_height(), lanes].
  Index (*packed)(const ConvBand& band);
  /// g[o channel_step + r width + i] so. What lies between is left as it is: it must be 0.
  void (*pack)(const ConvBand& band, const T* g, Index channel_step, T* to);

  /// Elements of the sums that `weight` adds to.
  Index (*sums)(Index depth);
  /// sums += from[offset + r pitch + i] g[o, r, i], lane by lane, for each tap and conv_height()
  /// channels of packed g. Of `images` images, whose inputs and packed g lie the steps apart.
  void (*weight)(const ConvBand& band, Index images, const T* from, Index from_step, const T* g,
                 Index g_step, T* sums);
  /// to[o depth + k] = the sums of all lanes.
  void (*join)(const ConvBand& band, const T* sums, T* to);
};
template <class T>
const ConvKernels<T>& conv();  // f32, f64

}  // namespace heed::kernels::simd
