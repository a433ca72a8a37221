#include "boxes.h"

#include <fmt/format.h>

#include "../autograd/check_defined.h"
#include "../autograd/ops/elementwise/activation.h"
#include "../autograd/ops/elementwise/compare.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/shape/join.h"
#include "../autograd/ops/shape/slicing.h"
#include "../core/error.h"

namespace heed::nn {
namespace {

void check(const char* op, const Tensor& x, const char* what) {
  check_defined(op, x, what);
  check_floating(op, x.dtype());
  if (x.rank() < 1 || x.size(-1) != 4) {
    throw ShapeError(fmt::format("{}: {} must be [.., 4], not {}", op, what, describe(x)));
  }
}

// One number of each box, [..].
Tensor number(const Tensor& boxes, Index which) { return select(boxes, -1, which); }

// Of a quotient whose divisor may be 0: then 0, with zero gradients.
Tensor share(const Tensor& part, const Tensor& whole) {
  const Tensor none = whole <= 0;
  return where(none, 0, part / where(none, 1, whole));
}

struct Areas {
  Tensor shared, united, hull;
};

Areas areas(const Tensor& a, const Tensor& b) {
  const auto side = [](const Tensor& low, const Tensor& high) { return relu(high - low); };
  const auto area = [&](const Tensor& x) {
    return side(number(x, 0), number(x, 2)) * side(number(x, 1), number(x, 3));
  };
  const auto both = [&](Index axis, auto inner, auto outer) {
    return side(inner(number(a, axis), number(b, axis)),
                outer(number(a, axis + 2), number(b, axis + 2)));
  };
  const auto most = [](const Tensor& x, const Tensor& y) { return maximum(x, y); };
  const auto least = [](const Tensor& x, const Tensor& y) { return minimum(x, y); };
  const Tensor shared = both(0, most, least) * both(1, most, least);
  return {shared, area(a) + area(b) - shared, both(0, least, most) * both(1, least, most)};
}

void check_both(const char* op, const Tensor& a, const Tensor& b) {
  check(op, a, "a");
  check(op, b, "b");
}

}  // namespace

Tensor corners_of(const Tensor& centres) {
  check("corners_of", centres, "centres");
  const Tensor c = narrow(centres, -1, 0, 2), half = narrow(centres, -1, 2, 2) * 0.5;
  return concat({c - half, c + half}, -1);
}

Tensor centres_of(const Tensor& corners) {
  check("centres_of", corners, "corners");
  const Tensor low = narrow(corners, -1, 0, 2), high = narrow(corners, -1, 2, 2);
  return concat({(low + high) * 0.5, high - low}, -1);
}

Tensor box_iou(const Tensor& a, const Tensor& b) {
  check_both("box_iou", a, b);
  const Areas of = areas(a, b);
  return share(of.shared, of.united);
}

Tensor generalized_box_iou(const Tensor& a, const Tensor& b) {
  check_both("generalized_box_iou", a, b);
  const Areas of = areas(a, b);
  return share(of.shared, of.united) - share(of.hull - of.united, of.hull);
}

}  // namespace heed::nn
