// Convolutions of stride 1 without columns: a band of an image is laid out once, with its padding,
// as rows of one pitch. Then what one tap of the kernel reads for all places of the band lies side
// by side, and the sums of several output channels run along it in registers.
#pragma once

#include "im2col.h"

namespace heed::kernels {

/// Whether conv_direct() takes such a convolution, and is the faster way.
bool fits_conv_direct(const ConvShape& shape);

/// x [B, C, H, W], weight [O, C / groups, KH, KW], bias [O] or null -> out [B, O, OH, OW]; dense.
template <class T>
void conv_direct(const ConvShape& shape, const T* x, const T* weight, const T* bias, T* out);

/// The convolution, of g, that gives the gradient of x; its weight comes from turn_around().
ConvShape input_grad_shape(const ConvShape& shape);

/// weight [O, C / groups, KH, KW] -> [C, O / groups, KH, KW], the taps in the opposite order.
template <class T>
void turn_around(const ConvShape& shape, const T* weight, T* to);

/// Whether conv_direct_weight_grad() takes it too: its sums stay in cache.
bool fits_conv_direct_weight(const ConvShape& shape);
/// gw [O, C / groups, KH, KW] from x and g [B, O, OH, OW], in parts cut by shape alone. The gaps
/// between rows count as zeros of g: for finite x only.
template <class T>
void conv_direct_weight_grad(const ConvShape& shape, const T* g, const T* x, T* gw);

}  // namespace heed::kernels
