// The glimpse sensor of the recurrent attention model (Mnih et al. 2014): what is seen around a
// place, sharp at its centre and coarser further out, whatever the size of the image.
//
//   rho(x, l): for k = 0 .. S - 1 the square patch of side g 2^k around l, averaged down to g x g
//
// A place l = (x, y) counts across and down, from -1 at the first edge of the image to 1 at the
// last; a patch of side s begins at the pixel nearest to (l + 1) / 2 size - s / 2. Outside the
// image there are zeros. The sensor is linear in the image, which gets gradients; it jumps from
// pixel to pixel as the place moves, so a place gets none: it learns through sampling.
#pragma once

#include "../../../autograd/tensor.h"

namespace heed::attention {

/// images [B, C, H, W], centres [B, 2] of the same dtype -> [B, S C g g], scales first; or centres
/// [B, N, 2] -> [B, N, S C g g], N looks at each image. O(B N C) times the pixels under the
/// patches, no copy of the images. Throws ShapeError, DTypeError, ValueError for centres that are
/// not finite and unless 1 <= size and 1 <= scales with a largest side of at most 65,536.
Tensor glimpse_sensor(const Tensor& images, const Tensor& centres, Index size, Index scales = 1);

/// Throws ValueError, in `op`'s name, for a size and scales that glimpse_sensor() would refuse.
void check_glimpse(const char* op, Index size, Index scales);

}  // namespace heed::attention
