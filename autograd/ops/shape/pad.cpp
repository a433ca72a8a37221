#include "pad.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "../../../core/error.h"
#include "../../../core/kernels/elementwise/copy.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../index/index.h"

namespace heed {
namespace {

struct Margins {
  Index before = 0;
  Index after = 0;
};

// One pair an axis, first axis first.
std::vector<Margins> margins_of(const Tensor& x, const std::vector<Index>& pads) {
  if (pads.size() % 2 != 0 || static_cast<Index>(pads.size()) > 2 * x.rank()) {
    throw ShapeError(fmt::format("pad: needs two numbers an axis, at most {} for {}; got {}",
                                 2 * x.rank(), describe(x), pads.size()));
  }
  std::vector<Margins> margins(static_cast<std::size_t>(x.rank()));
  for (std::size_t i = 0; i < pads.size(); i += 2) {
    margins[margins.size() - 1 - i / 2] = {pads[i], pads[i + 1]};
  }
  return margins;
}

// The size of a padded axis. What is cropped must be there.
Index padded_size(const Tensor& x, Index axis, const Margins& margins) {
  Index kept = x.size(axis);
  bool fits = !__builtin_add_overflow(kept, std::min<Index>(margins.before, 0), &kept) &&
              !__builtin_add_overflow(kept, std::min<Index>(margins.after, 0), &kept) && kept >= 0;
  Index size = kept;
  fits = fits && !__builtin_add_overflow(size, std::max<Index>(margins.before, 0), &size) &&
         !__builtin_add_overflow(size, std::max<Index>(margins.after, 0), &size);
  if (!fits) {
    throw ShapeError(fmt::format("pad: {} before and {} after axis {} of {} leave no valid size",
                                 margins.before, margins.after, axis, describe(x)));
  }
  return size;
}

// Its own adjoint, with the pads negated: a gradient is cropped where zeros were put in.
Tensor pad_constant(const Tensor& x, const std::vector<Index>& pads, Scalar value) {
  const std::vector<Margins> margins = margins_of(x, pads);
  Shape shape = x.shape();
  for (Index axis = 0; axis < x.rank(); ++axis) {
    shape[axis] = padded_size(x, axis, margins[static_cast<std::size_t>(axis)]);
  }
  Array out = full(shape, value, x.dtype()).array();
  Array place = out;
  Array kept = x.array();
  for (Index axis = 0; axis < x.rank(); ++axis) {
    const auto [before, after] = margins[static_cast<std::size_t>(axis)];
    place = place.slice(axis, std::max<Index>(before, 0), shape[axis] - std::max<Index>(after, 0));
    kept = kept.slice(axis, std::max<Index>(-before, 0), x.size(axis) - std::max<Index>(-after, 0));
  }
  kernels::copy_into(place, kept);
  std::vector<Index> back(pads);
  for (Index& amount : back) amount = -amount;
  say("pads", pads, "value", value.value());
  return record(Op::pad, out, {x},
                [back = std::move(back)](const Tensor& g) { return pad_constant(g, back, 0); });
}

// Which places of an axis the padded axis shows.
Tensor places_shown(const Tensor& x, Index axis, const Margins& margins, PadMode mode) {
  const Index size = x.size(axis);
  const Index padded = padded_size(x, axis, margins);
  const Index widest = std::max(margins.before, margins.after);
  if (size == 0 && padded > 0) {
    throw ShapeError(fmt::format("pad: axis {} of {} has no element to show", axis, describe(x)));
  }
  if (mode == PadMode::reflect && widest > 0 && widest >= size) {
    throw ShapeError(fmt::format("pad: reflects {} places of axis {} of {}; fewer than {} allowed",
                                 widest, axis, describe(x), size));
  }
  Array places = Array::empty(Shape{padded}, DType::i64);
  auto* to = places.mutable_data<std::int64_t>();
  for (Index i = 0; i < padded; ++i) {
    Index from = i - margins.before;
    if (mode == PadMode::reflect) {
      if (from < 0) from = -from;
      if (from >= size) from = 2 * (size - 1) - from;
    }
    to[i] = std::clamp<Index>(from, 0, size - 1);
  }
  return places;
}

}  // namespace

Tensor pad(const Tensor& x, const std::vector<Index>& pads, PadMode mode, Scalar value) {
  check_defined("pad", x, "x");
  if (mode == PadMode::constant) return pad_constant(x, pads, value);
  const std::vector<Margins> margins = margins_of(x, pads);
  for (Index axis = 0; axis < x.rank(); ++axis) {
    padded_size(x, axis, margins[static_cast<std::size_t>(axis)]);
  }
  Tensor out = x;
  for (Index axis = 0; axis < x.rank(); ++axis) {
    const Margins& around = margins[static_cast<std::size_t>(axis)];
    if (around.before == 0 && around.after == 0) continue;
    out = index_select(out, axis, places_shown(x, axis, around, mode));
  }
  return out;
}

}  // namespace heed
