#include "loss_operands.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../core/error.h"
#include "../../check_defined.h"

namespace heed {

void check_pair(const char* op, const Tensor& x, const Tensor& y, const char* y_name) {
  check_defined(op, x, "input", y, y_name);
  check_floating(op, x.dtype());
  if (y.dtype() != x.dtype()) {
    throw DTypeError(
        fmt::format("{}: {} is {} for input {}", op, y_name, describe(y), describe(x)));
  }
  if (!(y.shape() == x.shape())) {
    throw ShapeError(fmt::format("{}: {} must have the input's shape: it is {} for {}", op, y_name,
                                 describe(y), describe(x)));
  }
}

void check_finite(const char* op, const char* what, double value) {
  if (!std::isfinite(value))
    throw ValueError(fmt::format("{}: {} {} is not finite", op, what, value));
}

void check_class_weight(const char* op, const Tensor& weight, const Tensor& x, Index classes,
                        const char* x_name) {
  if (!weight.defined()) return;
  if (!(weight.shape() == Shape{classes})) {
    throw ShapeError(fmt::format("{}: weight is {} for {} classes", op, describe(weight), classes));
  }
  if (weight.dtype() != x.dtype()) {
    throw DTypeError(
        fmt::format("{}: weight is {} for {} {}", op, describe(weight), x_name, describe(x)));
  }
}

void check_classes(const char* op, const Tensor& targets, Index classes, Index ignore_index) {
  if (targets.dtype() != DType::i64) {
    throw DTypeError(fmt::format("{}: targets must be i64, not {}", op, describe(targets)));
  }
  const Array ids = targets.array().contiguous();
  const auto* id = ids.data<std::int64_t>();
  for (Index i = 0; i < ids.numel(); ++i) {
    if (id[i] != ignore_index && (id[i] < 0 || id[i] >= classes)) {
      throw IndexError(
          fmt::format("{}: target {} at {} is out of range [0, {})", op, id[i], i, classes));
    }
  }
}

Index check_scores(const char* op, const char* x_name, const Tensor& x, const Tensor& targets,
                   const Tensor& weight, Index ignore_index) {
  check_defined(op, x, x_name, targets, "targets");
  check_floating(op, x.dtype());
  const Index axis = x.rank() == 1 ? 0 : 1;
  if (x.rank() == 0 || x.size(axis) == 0) {
    throw ShapeError(fmt::format("{}: {} must be [C], [N, C] or [N, C, d..] with C > 0, not {}", op,
                                 x_name, describe(x)));
  }
  const Shape wanted = x.shape().without(axis);
  if (!(targets.shape() == wanted)) {
    std::string hint;
    const Index rank = targets.rank();
    if (x.rank() > 2 && targets.shape() == x.shape().without(x.rank() - 1)) {
      hint = fmt::format("; the classes are axis 1: of [B, T, V], {}(transpose({}, 1, 2), targets)",
                         op, x_name);
    } else if (targets.shape() == x.shape()) {
      hint =
          "; a target is the index of a class: of one-hot rows or probabilities, argmax(targets, "
          "1)";
    } else if (rank == wanted.rank() + 1 && targets.size(-1) == 1 &&
               targets.shape().without(rank - 1) == wanted) {
      hint = "; squeeze(targets, -1)";
    }
    throw ShapeError(fmt::format("{}: targets are {} for {} {}, not {}{}", op, describe(targets),
                                 x_name, describe(x), to_string(wanted), hint));
  }
  check_class_weight(op, weight, x, x.size(axis), x_name);
  check_classes(op, targets, x.size(axis), ignore_index);
  return axis;
}

Tensor positive_signs(const char* op, const Tensor& targets) {
  if (targets.dtype() == DType::boolean) {
    throw DTypeError(fmt::format("{}: targets must be numbers, not {}", op, describe(targets)));
  }
  const Array signs = targets.array().to(DType::f64).contiguous();
  Array out = Array::empty(targets.shape(), DType::boolean);
  const auto* sign = signs.data<double>();
  bool* positive = out.mutable_data<bool>();
  for (Index i = 0; i < signs.numel(); ++i) {
    if (sign[i] != 1 && sign[i] != -1) {
      throw ValueError(fmt::format("{}: target {} at {} is neither 1 nor -1", op, sign[i], i));
    }
    positive[i] = sign[i] == 1;
  }
  return out;
}

}  // namespace heed
