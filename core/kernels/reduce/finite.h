// Whether there is a NaN or an infinity among numbers, at the price of reading them once: what is
// found of a storage is remembered for all views of it, until it is written to.
#pragma once

#include "../../array.h"

namespace heed::kernels {

/// Of any strides; true for dtypes that have neither.
bool all_finite(const Array& x);

}  // namespace heed::kernels
