#include "in_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../core/kernels/elementwise/copy.h"
#include "../../../core/kernels/elementwise/elementwise.h"
#include "../../../core/kernels/elementwise/integer.h"
#include "../../check_defined.h"
#include "../../grad_mode.h"
#include "../../node.h"
#include "clamp.h"
#include "elementwise.h"
#include "in_i64.h"

namespace heed {

using kernels::Binary;

namespace {

// True when two places of x may be one in memory: ordered by stride, an axis must step over all
// that the axes before it reach.
bool overlaps_itself(const Array& x) {
  std::vector<std::pair<Index, Index>> axes;  // stride, size
  for (Index axis = 0; axis < x.rank(); ++axis) {
    if (x.shape()[axis] == 0) return false;
    if (x.shape()[axis] > 1) axes.emplace_back(x.strides()[axis], x.shape()[axis]);
  }
  std::sort(axes.begin(), axes.end());
  Index reach = 0;
  for (const auto& [stride, size] : axes) {
    if (stride <= reach) return true;
    reach += stride * (size - 1);
  }
  return false;
}

// The numbers of x, if they may be written to.
Array& writable(const char* op, Tensor& x) {
  check_defined(op, x, "x");
  const Array& numbers = x.array();
  if (recording() && x.requires_grad()) {
    const std::string what = x.node()
                                 ? fmt::format("is the result of {}, recorded", x.node()->name())
                                 : "is a leaf that requires a gradient";
    throw GradError(fmt::format("{}: {} {}; write under NoGrad or into a detached tensor", op,
                                describe(x), what));
  }
  if (overlaps_itself(numbers)) {
    throw ShapeError(fmt::format("{}: {} is expanded: several of its elements are one in memory",
                                 op, describe(x)));
  }
  return x.impl()->array;
}

void check_operand(const char* op, const Tensor& x, const Tensor& y, const char* y_name) {
  check_defined(op, y, y_name);
  const Shape& shape = x.shape();
  if (!(broadcast_shapes(op, shape, y.shape()) == shape)) {
    throw ShapeError(
        fmt::format("{}: {} does not broadcast into {}", op, describe(y), describe(x)));
  }
  if (recording() && y.requires_grad()) {
    throw GradError(fmt::format(
        "{}: {} requires a gradient, which a write in place loses; write under NoGrad or make a "
        "new tensor",
        op, describe(y)));
  }
}

// y, in memory of its own where writing to x would change it on the way.
Array apart(const Array& x, const Array& y) {
  const bool same = x.raw() == y.raw() && x.shape() == y.shape() && x.strides() == y.strides();
  return y.shares_storage(x) && !same ? y.clone() : y;
}

// For what has no kernel that writes in place.
Tensor replace(Array& to, const Tensor& x, const Tensor& from) {
  kernels::copy_into(to, from.array());
  to.bump_version();
  return x;
}

Tensor write(const char* op, Binary kind, Tensor x, const Tensor& y) {
  Array& to = writable(op, x);
  check_operand(op, x, y, "y");
  if (y.dtype() != to.dtype()) {
    throw DTypeError(
        fmt::format("{}: dtypes differ: x is {}, y is {}: convert one, to(y, DType::{})", op,
                    describe(x), describe(y), name(to.dtype())));
  }
  if (kernels::takes(kind, to.dtype())) {
    return replace(to, x, kernels::binary(kind, to, y.array()));
  }
  check_floating(op, to.dtype());
  kernels::binary_into(kind, to, apart(to, y.array()));
  return x;
}

Tensor write(const char* op, Binary kind, Tensor x, Scalar y) {
  check_defined(op, x, "x");
  if (!is_floating(x.dtype()) && y.value() != std::trunc(y.value())) {
    throw DTypeError(
        fmt::format("{}: {} and a number with a point, {}: convert x first, to(x, DType::f32)", op,
                    describe(x), y.value()));
  }
  if (!is_floating(x.dtype()) && !in_i64(y)) {
    throw DTypeError(
        fmt::format("{}: {} and {}, which i64 does not hold: convert x first, to(x, "
                    "DType::f32)",
                    op, describe(x), y.value()));
  }
  if (x.dtype() == DType::boolean && y.dtype() != DType::boolean) {
    throw DTypeError(
        fmt::format("{}: {} and {}, which is no bool: convert x first, to(x, "
                    "DType::i64)",
                    op, describe(x), y.value()));
  }
  const Tensor number = full(Shape{}, y, x.dtype());
  return write(op, kind, std::move(x), number);
}

// x = plain(x, y), or write(x, y) where nothing is to be recorded.
template <class Operand>
Tensor& compound(const char* op, Tensor& x, const Operand& y,
                 Tensor (*write)(Tensor, const Operand&),
                 Tensor (*plain)(const Tensor&, const Operand&)) {
  check_defined(op, x, "x");
  bool recorded = recording() && x.requires_grad() && !x.is_leaf();
  if constexpr (std::is_same_v<Operand, Tensor>) {
    check_defined(op, y, "y");
    const bool written = recording() && x.requires_grad() && x.is_leaf();  // and refused
    recorded = recorded || (recording() && y.requires_grad() && !written);
  }
  if (!recorded) {
    write(x, y);
    return x;
  }
  const Tensor out = plain(x, y);
  if (!(out.shape() == x.shape())) {
    throw ShapeError(
        fmt::format("{}: the result {} is not of x's shape, {}", op, describe(out), describe(x)));
  }
  return x = out;
}

}  // namespace

Tensor fill_(Tensor x, Scalar value) {
  Array& to = writable("fill_", x);
  if (to.dtype() == DType::i64) check_in_i64("fill_", value);
  kernels::fill(to, value);
  to.bump_version();
  return x;
}

Array& detail::written(const char* op, Tensor x) {
  Array& to = writable(op, x);
  to.bump_version();
  return to;
}

Tensor zero_(Tensor x) {
  check_defined_yet("zero_", x);
  Array& to = writable("zero_", x);
  kernels::fill(to, 0);
  to.bump_version();
  return x;
}

Tensor copy_(Tensor x, const Tensor& from) {
  Array& to = writable("copy_", x);
  check_operand("copy_", x, from, "from");
  return replace(to, x, apart(to, from.array()).expand(x.shape()));
}

Tensor add_(Tensor x, const Tensor& y) { return write("add_", Binary::add, std::move(x), y); }
Tensor sub_(Tensor x, const Tensor& y) { return write("sub_", Binary::sub, std::move(x), y); }
Tensor mul_(Tensor x, const Tensor& y) { return write("mul_", Binary::mul, std::move(x), y); }
Tensor div_(Tensor x, const Tensor& y) { return write("div_", Binary::div, std::move(x), y); }
Tensor pow_(Tensor x, const Tensor& y) { return write("pow_", Binary::pow, std::move(x), y); }
Tensor add_(Tensor x, Scalar y) { return write("add_", Binary::add, std::move(x), y); }
Tensor sub_(Tensor x, Scalar y) { return write("sub_", Binary::sub, std::move(x), y); }
Tensor mul_(Tensor x, Scalar y) { return write("mul_", Binary::mul, std::move(x), y); }
Tensor div_(Tensor x, Scalar y) { return write("div_", Binary::div, std::move(x), y); }
Tensor pow_(Tensor x, double y) { return write("pow_", Binary::pow, std::move(x), y); }

Tensor clamp_(Tensor x, std::optional<double> min, std::optional<double> max) {
  Array& to = writable("clamp_", x);
  const Tensor held = clamp(x.detach(), min, max);
  if (!is_floating(to.dtype()) && held.dtype() != to.dtype()) {
    throw DTypeError(
        fmt::format("clamp_: {} and a bound that is not whole: convert x first, to(x, DType::f32)",
                    describe(x)));
  }
  return replace(to, x, held);
}

Tensor masked_fill_(Tensor x, const Tensor& mask, Scalar value) {
  Array& to = writable("masked_fill_", x);
  check_operand("masked_fill_", x, mask, "mask");
  check_mask("masked_fill_", mask);
  if (to.dtype() == DType::i64) check_in_i64("masked_fill_", value);
  return replace(to, x, masked_fill(x.detach(), mask, value));
}

Tensor& operator+=(Tensor& x, const Tensor& y) {
  return compound<Tensor>(
      "operator+=", x, y, [](Tensor to, const Tensor& from) { return add_(std::move(to), from); },
      [](const Tensor& a, const Tensor& b) { return a + b; });
}
Tensor& operator+=(Tensor& x, Scalar y) {
  return compound<Scalar>(
      "operator+=", x, y, [](Tensor to, const Scalar& from) { return add_(std::move(to), from); },
      [](const Tensor& a, const Scalar& b) { return a + b; });
}
Tensor operator+=(Tensor&& x, const Tensor& y) { return add_(x, y); }
Tensor operator+=(Tensor&& x, Scalar y) { return add_(x, y); }

Tensor& operator-=(Tensor& x, const Tensor& y) {
  return compound<Tensor>(
      "operator-=", x, y, [](Tensor to, const Tensor& from) { return sub_(std::move(to), from); },
      [](const Tensor& a, const Tensor& b) { return a - b; });
}
Tensor& operator-=(Tensor& x, Scalar y) {
  return compound<Scalar>(
      "operator-=", x, y, [](Tensor to, const Scalar& from) { return sub_(std::move(to), from); },
      [](const Tensor& a, const Scalar& b) { return a - b; });
}
Tensor operator-=(Tensor&& x, const Tensor& y) { return sub_(x, y); }
Tensor operator-=(Tensor&& x, Scalar y) { return sub_(x, y); }

Tensor& operator*=(Tensor& x, const Tensor& y) {
  return compound<Tensor>(
      "operator*=", x, y, [](Tensor to, const Tensor& from) { return mul_(std::move(to), from); },
      [](const Tensor& a, const Tensor& b) { return a * b; });
}
Tensor& operator*=(Tensor& x, Scalar y) {
  return compound<Scalar>(
      "operator*=", x, y, [](Tensor to, const Scalar& from) { return mul_(std::move(to), from); },
      [](const Tensor& a, const Scalar& b) { return a * b; });
}
Tensor operator*=(Tensor&& x, const Tensor& y) { return mul_(x, y); }
Tensor operator*=(Tensor&& x, Scalar y) { return mul_(x, y); }

Tensor& operator/=(Tensor& x, const Tensor& y) {
  return compound<Tensor>(
      "operator/=", x, y, [](Tensor to, const Tensor& from) { return div_(std::move(to), from); },
      [](const Tensor& a, const Tensor& b) { return a / b; });
}
Tensor& operator/=(Tensor& x, Scalar y) {
  return compound<Scalar>(
      "operator/=", x, y, [](Tensor to, const Scalar& from) { return div_(std::move(to), from); },
      [](const Tensor& a, const Scalar& b) { return a / b; });
}
Tensor operator/=(Tensor&& x, const Tensor& y) { return div_(x, y); }
Tensor operator/=(Tensor&& x, Scalar y) { return div_(x, y); }

Tensor Tensor::normal_(double mean, double deviation) const {
  Tensor x = *this;
  writable("normal_", x);  // before anything is drawn
  return heed::copy_(x, default_generator().normal(shape(), mean, deviation, dtype()));
}
Tensor Tensor::uniform_(double low, double high) const {
  Tensor x = *this;
  writable("uniform_", x);
  return heed::copy_(x, default_generator().uniform(shape(), low, high, dtype()));
}

}  // namespace heed
