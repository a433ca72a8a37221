// What losses ask of their operands before they begin.
#pragma once

#include "../../tensor.h"

namespace heed {

/// Throws DTypeError unless `x` is f32 or f64 and `y` of the same dtype, ShapeError unless their
/// shapes are equal: a target that broadcasts is a mistake far more often than a wish.
void check_pair(const char* op, const Tensor& x, const Tensor& y, const char* y_name = "target");

/// Throws ValueError unless `value` is finite.
void check_finite(const char* op, const char* what, double value);

/// Throws DTypeError unless `weight` is of x's dtype, ShapeError unless it is [classes]; undefined
/// is well.
void check_class_weight(const char* op, const Tensor& weight, const Tensor& x, Index classes,
                        const char* x_name = "input");

/// Throws DTypeError unless `targets` are i64, IndexError for one that is neither in [0, classes)
/// nor `ignore_index`.
void check_classes(const char* op, const Tensor& targets, Index classes, Index ignore_index);

/// The axis of the classes in x [C], [N, C] or [N, C, d..], of targets that have x's shape without
/// it. Throws what the checks above do, ShapeError.
Index check_scores(const char* op, const char* x_name, const Tensor& x, const Tensor& targets,
                   const Tensor& weight, Index ignore_index);

/// bool, true where a target is 1. Throws ValueError unless each is 1 or -1, of any dtype but bool.
Tensor positive_signs(const char* op, const Tensor& targets);

}  // namespace heed
