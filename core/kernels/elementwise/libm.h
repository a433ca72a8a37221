// Elementwise functions that have no vectors of their own: the C library's, an element at a time.
// f32 and f64, any strides; results are fresh and contiguous.
#pragma once

#include "../../array.h"

namespace heed::kernels {

// clang-format off
#define HEED_LIBM_UNARY(X) \
  X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(floor) X(ceil) X(round) X(trunc) \
  X(log2) X(log10)
#define HEED_LIBM_BINARY(X) X(atan2) X(remainder)
// clang-format on

/// round: halves go to the even side. log2, log10: of their base's powers exact.
enum class Libm : std::uint8_t {
#define HEED_LIBM(name) name,
  HEED_LIBM_UNARY(HEED_LIBM)
#undef HEED_LIBM
};
/// remainder: of the division rounded down, with the sign of y; of i64 too (0 for y = 0).
enum class LibmOfTwo : std::uint8_t {
#define HEED_LIBM(name) name,
  HEED_LIBM_BINARY(HEED_LIBM)
#undef HEED_LIBM
};

const char* name(Libm op);
const char* name(LibmOfTwo op);

/// Throws DTypeError.
Array libm(Libm op, const Array& x);
/// Broadcast. Throws DTypeError unless both have one dtype, ShapeError.
Array libm(LibmOfTwo op, const Array& x, const Array& y);

}  // namespace heed::kernels
