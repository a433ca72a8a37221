#include "sort.h"

#include "../../../core/kernels/index/sort.h"
#include "../../../core/kernels/reduce/reduce.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../computed.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"
#include "../reduce/reduce.h"
#include "../shape/shape.h"
#include "index.h"

namespace heed {
namespace {

Picked pick(const Tensor& x, Index axis, const Tensor& places) {
  return {gather(x, axis, places), places};
}

// The places of the first `count` along an axis, sorted.
Tensor first_places(const char* op, const Tensor& x, Index axis, Index count, bool largest,
                    bool sorted) {
  Array out = kernels::first_places(op, x.array(), axis, count, largest, sorted);
  say("axis", axis, "count", count, "largest", largest, "sorted", sorted);
  return computed("topk", std::move(out), {x});
}

Tensor computed_place(const char* op, Array place, const Tensor& x, Index axis) {
  say("axis", axis, "keepdim", true);
  return computed(op, std::move(place), {x});
}

// Of one place, which goes unless `keepdim`.
Picked pick_one(const Tensor& x, Index axis, const Tensor& place, bool keepdim) {
  Picked picked = pick(x, axis, place);
  if (keepdim) return picked;
  return {squeeze(picked.values, axis), squeeze(place, axis)};
}

}  // namespace

Picked sort(const Tensor& x, Index axis, bool descending) {
  check_defined("sort", x, "x");
  const Index place = normalize_axis("sort", axis, x.rank());
  return pick(x, place, first_places("sort", x, place, x.size(place), descending, true));
}

Tensor argsort(const Tensor& x, Index axis, bool descending) {
  check_defined("argsort", x, "x");
  const Index place = normalize_axis("argsort", axis, x.rank());
  return first_places("argsort", x, place, x.size(place), descending, true);
}

Picked topk(const Tensor& x, Index k, Index axis, bool largest, bool sorted) {
  check_defined("topk", x, "x");
  return pick(x, axis, first_places("topk", x, axis, k, largest, sorted));
}

Picked max(const Tensor& x, Index axis, bool keepdim) {
  check_defined("max", x, "x");
  return pick_one(x, axis,
                  computed_place("argmax", kernels::argmax(x.array(), axis, true, "max"), x, axis),
                  keepdim);
}

Picked min(const Tensor& x, Index axis, bool keepdim) {
  check_defined("min", x, "x");
  return pick_one(x, axis,
                  computed_place("argmin", kernels::argmin(x.array(), axis, true, "min"), x, axis),
                  keepdim);
}

Tensor max(const Tensor& x) { return amax(x); }
Tensor min(const Tensor& x) { return amin(x); }
Tensor max(const Tensor& x, const Tensor& y) { return maximum(x, y); }
Tensor min(const Tensor& x, const Tensor& y) { return minimum(x, y); }

Picked median(const Tensor& x, Index axis, bool keepdim) {
  check_defined("median", x, "x");
  return pick_one(x, axis, kernels::median_places(x.array(), axis), keepdim);
}

Tensor median(const Tensor& x) {
  check_defined("median", x, "x");
  return median(reshape(x, Shape{x.numel()}), 0).values;
}

}  // namespace heed
