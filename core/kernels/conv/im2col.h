// Between images and the columns of a convolution's matrix product: a column holds all that one
// output place reads, a row one tap (channel, ky, kx) of the kernel at every place. Output places
// of all images are numbered through, row-major: (image, oy, ox).
#pragma once

#include "window.h"

namespace heed::kernels {

/// x [B, C, H, W] and weight [O, C / groups, KH, KW] -> [B, O, OH, OW]; y is the axis of H, x of W.
struct ConvShape {
  Index images = 1;
  Index in_channels = 1;
  Index out_channels = 1;
  Index groups = 1;
  WindowAxis y, x;

  Index places() const { return y.out * x.out; }  ///< of one image's output
  Index taps() const { return y.kernel * x.kernel; }
  Index group_in() const { return in_channels / groups; }
  Index group_out() const { return out_channels / groups; }
  Index depth() const { return group_in() * taps(); }  ///< products in one sum
};

/// columns [channels * taps, end - begin] = what the places [begin, end) read of the channels
/// first, first + 1, ..; zeros for padding.
template <class T>
void im2col(const ConvShape& shape, const T* x, Index first, Index channels, Index begin, Index end,
            T* columns);

/// The adjoint: adds each column's elements to the places of x that they were read from.
template <class T>
void col2im(const ConvShape& shape, const T* columns, Index first, Index channels, Index begin,
            Index end, T* x);

}  // namespace heed::kernels
