#include "../../../../autograd/ops/shape/arrange.h"

#include "../../../../core/error.h"
#include "../moved.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

Row flip_row() {
  const auto form = [](const std::string& name, const Sizes& shape, const Sizes& axes,
                       const Sizes& real) {
    return moved(
        name, shape, shape, [axes](X x) { return flip(x[0], axes); },
        [=](Place p) {
          for (const Index axis : real) {
            const auto at = static_cast<std::size_t>(axis);
            p[at] = shape[at] - 1 - p[at];
          }
          return p;
        });
  };
  return {Op::flip,
          {form("rows", {3, 5}, {0}, {0}), form("columns", {3, 5}, {-1}, {1}),
           form("both", {3, 5}, {1, 0}, {0, 1}), form("outer axes", {2, 3, 5}, {0, 2}, {0, 2}),
           form("vector", {7}, {0}, {0}), form("no axes", {3, 2}, {}, {}),
           form("sizes of 1", {1, 3, 1}, {0, 1}, {0, 1}), form("empty", {0, 3}, {1}, {1})},
          {BAD(ShapeError, "flip: axis 2 is out of range for rank 2", flip(of(3, 5), {2})),
           BAD(ShapeError, "flip: axis 1 is named twice", flip(of(3, 5), {1, -1})),
           BAD(ShapeError, "flip: axis 0 is out of range for rank 0", flip(of(), {0})),
           BAD(GradError, "flip: x is undefined", flip(Tensor(), {})),
           BAD(GradError, "flip: x is undefined", flip(Tensor(), {0}))}};
}

Row roll_row() {
  const auto form = [](const std::string& name, const Sizes& shape, const Sizes& shifts,
                       const Sizes& axes) {
    return moved(
        name, shape, shape, [=](X x) { return roll(x[0], shifts, axes); },
        [=](Place p) {
          for (std::size_t i = 0; i < axes.size(); ++i) {
            const auto at = static_cast<std::size_t>(axes[i]);
            p[at] = ((p[at] - shifts[i]) % shape[at] + shape[at]) % shape[at];
          }
          return p;
        });
  };
  return {"roll",
          {form("rows", {3, 5}, {1}, {0}), form("back", {3, 5}, {-2}, {1}),
           form("more than once around", {3, 5}, {13}, {1}), form("both", {3, 5}, {1, 3}, {0, 1}),
           form("twice", {2, 5}, {1, 3}, {1, 1}), form("by nothing", {2, 3}, {0}, {1}),
           form("vector", {7}, {2}, {0}),
           sample(
               "as one row", {in({2, 3})}, [](X x) { return roll(x[0], {2}); },
               [](B x) {
                 return Block({2, 3}, [&](const Place& p) {
                   return x[0].values()[static_cast<std::size_t>((3 * p[0] + p[1] + 4) % 6)];
                 });
               }),
           form("sizes of 1", {1, 3, 1}, {1, 1}, {0, 1}), form("empty", {0, 3}, {1}, {0})},
          {BAD(ValueError, "roll: 2 shifts for 1 axes", roll(of(3, 5), {1, 2}, {0})),
           BAD(ValueError, "roll: 0 shifts for 0 axes", roll(of(3, 5), {})),
           BAD(ShapeError, "roll: axis 2 is out of range for rank 2", roll(of(3, 5), {1}, {2})),
           BAD(GradError, "roll: x is undefined", roll(Tensor(), {1}))}};
}

// Element p of a repeated block is that of p modulo its shape, aligned at the end.
Sample repeated(const std::string& name, const Sizes& from, const Sizes& to, Call call) {
  return moved(name, from, to, std::move(call), [from](const Place& p) {
    Place source(p.end() - static_cast<std::ptrdiff_t>(from.size()), p.end());
    for (std::size_t i = 0; i < source.size(); ++i) source[i] %= from[i];
    return source;
  });
}

Row repeat_row() {
  const auto form = [](const std::string& name, const Sizes& from, const Sizes& times,
                       const Sizes& to) {
    return repeated(name, from, to, [times](X x) { return repeat(x[0], times); });
  };
  return {
      "repeat",
      {form("rows", {2, 3}, {3, 1}, {6, 3}), form("columns", {2, 3}, {1, 2}, {2, 6}),
       form("both", {2, 3}, {3, 2}, {6, 6}), form("leading axes", {3}, {2, 1, 3}, {2, 1, 9}),
       form("rank 0", {}, {2, 3}, {2, 3}), form("never", {2, 3}, {1, 0}, {2, 0}),
       form("sizes of 1", {1, 3, 1}, {2, 1, 3}, {2, 3, 3}), form("empty", {0, 3}, {2, 2}, {0, 6})},
      {BAD(ShapeError, "repeat: 1 numbers of repeats for f32[3, 5]", repeat(of(3, 5), {2})),
       BAD(ValueError, "repeat: -1 times is negative", repeat(of(3), {-1})),
       BAD(ShapeError, "overflows", repeat(of(3), {Index{1} << 40, Index{1} << 40})),
       BAD(ShapeError, "rank 9 is above", repeat(of(3), {1, 1, 1, 1, 1, 1, 1, 1, 1})),
       BAD(GradError, "repeat: x is undefined", repeat(Tensor(), {1}))}};
}

Row tile_row() {
  const auto form = [](const std::string& name, const Sizes& from, const Sizes& times,
                       const Sizes& to) {
    return repeated(name, from, to, [times](X x) { return tile(x[0], times); });
  };
  return {"tile",
          {form("last axis", {2, 3}, {2}, {2, 6}), form("both", {2, 3}, {3, 2}, {6, 6}),
           form("leading axis", {3}, {2, 2}, {2, 6}), form("none", {2, 3}, {}, {2, 3}),
           form("rank 0", {}, {3}, {3}), form("empty", {0, 3}, {2}, {0, 6})},
          {BAD(ValueError, "repeat: -1 times is negative", tile(of(3), {-1})),
           BAD(ShapeError, "overflows", tile(of(3, 5), {Index{1} << 62})),
           BAD(OutOfMemory, "allocate:", tile(of(3), {Index{1} << 50})),
           BAD(GradError, "tile: x is undefined", tile(Tensor(), {1}))}};
}

Row repeat_interleave_row() {
  const auto form = [](const std::string& name, const Sizes& from, Index times, Index axis,
                       Index real) {
    Sizes to = from;
    to[static_cast<std::size_t>(real)] *= times;
    return moved(
        name, from, to, [=](X x) { return repeat_interleave(x[0], times, axis); },
        [=](Place p) {
          p[static_cast<std::size_t>(real)] /= times;
          return p;
        });
  };
  return {
      "repeat_interleave",
      {form("rows", {2, 3}, 3, 0, 0), form("columns", {2, 3}, 2, -1, 1),
       form("middle axis", {2, 3, 2}, 2, 1, 1), form("once", {2, 3}, 1, 0, 0),
       form("never", {2, 3}, 0, 1, 1), form("sizes of 1", {1, 3, 1}, 2, 2, 2),
       form("empty", {0, 3}, 2, 0, 0)},
      {BAD(ValueError, "repeat_interleave: -2 times is negative", repeat_interleave(of(3), -2, 0)),
       BAD(ShapeError, "repeat_interleave: axis 1 is out of range for rank 1",
           repeat_interleave(of(3), 2, 1)),
       BAD(ShapeError, "overflows", repeat_interleave(of(3), INT64_MAX, 0)),
       BAD(GradError, "repeat_interleave: x is undefined", repeat_interleave(Tensor(), 2, 0))}};
}

}  // namespace

std::vector<Row> arrange_rows() {
  return {flip_row(), roll_row(), repeat_row(), tile_row(), repeat_interleave_row()};
}

}  // namespace heed::table
