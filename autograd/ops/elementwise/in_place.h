// Writes in place: x itself changes, for all that share its memory, and x comes back. `from` and y
// broadcast to x's shape.
//
// A write bumps the version of x's memory. A derivative that kept the old numbers is found by it:
// the backward pass throws GradError, naming the operator that kept them.
//
// Writes are not recorded. While recording, they throw GradError for a leaf that requires a
// gradient, for the result of a recorded operator, and where y requires a gradient, which would be
// lost: write under NoGrad, or use the operator that makes a new tensor. They throw ShapeError
// where x is expanded or overlaps itself, DTypeError for dtypes that do not fit. Everything is
// checked before the first write.
#pragma once

#include <optional>

#include "../../tensor.h"

namespace heed {

/// Any dtype; the value is cast to it. An integer in i64 keeps all its digits, here and below; what
/// i64 does not hold (NaN, infinity, 1e20) is a ValueError.
Tensor fill_(Tensor x, Scalar value);
Tensor zero_(Tensor x);
/// Converts to x's dtype.
Tensor copy_(Tensor x, const Tensor& from);

/// f32 or f64, y of the same dtype; add_, sub_ and mul_ also i64; add_ (or) and mul_ (and) also
/// bool, which takes no other numbers than true and false.
Tensor add_(Tensor x, const Tensor& y);
Tensor sub_(Tensor x, const Tensor& y);
Tensor mul_(Tensor x, const Tensor& y);
Tensor div_(Tensor x, const Tensor& y);
Tensor pow_(Tensor x, const Tensor& y);
Tensor add_(Tensor x, Scalar y);
Tensor sub_(Tensor x, Scalar y);
Tensor mul_(Tensor x, Scalar y);
Tensor div_(Tensor x, Scalar y);
Tensor pow_(Tensor x, double y);
/// As clamp(); throws ValueError when both bounds are left out, DTypeError for an x of i64 and a
/// bound that is not whole.
Tensor clamp_(Tensor x, std::optional<double> min, std::optional<double> max);
/// `value` where mask (bool) is true.
Tensor masked_fill_(Tensor x, const Tensor& mask, Scalar value);

namespace detail {
/// x's numbers, to be written to outside of here: their version is one more. Throws in `op`'s name
/// where writes in place do.
Array& written(const char* op, Tensor x);
}  // namespace detail

}  // namespace heed
