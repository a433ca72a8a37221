#include "../../../../autograd/ops/shape/unfold.h"

#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

Row unfold_row() {
  const auto form = [](const std::string& name, const Sizes& from, Index axis, Index real,
                       Index size, Index step) {
    const auto at = static_cast<std::size_t>(real);
    return sample(
        name, {in(from)}, [=](X x) { return unfold(x[0], axis, size, step); },
        [=](B x) {
          Sizes to = from;
          to[at] = (to[at] - size) / step + 1;
          to.push_back(size);
          return Block(to, [&](Place p) {
            p[at] = p[at] * step + p.back();
            p.pop_back();
            return x[0](p);
          });
        });
  };
  return {
      Op::unfold,
      {form("overlapping", {7}, 0, 0, 3, 1), form("by steps", {3, 7}, -1, 1, 3, 2),
       form("rows", {5, 3}, 0, 0, 2, 1), form("side by side", {2, 7}, 1, 1, 2, 2),
       form("with gaps", {2, 7}, 1, 1, 2, 3), form("one window", {3, 5}, 1, 1, 5, 1),
       form("windows of 1", {3, 2}, 0, 0, 1, 1), form("sizes of 1", {1, 1}, 1, 1, 1, 1),
       form("a step beyond", {2, 5}, 1, 1, 3, 99), form("empty", {0, 3}, 1, 1, 2, 1)},
      {BAD(ValueError, "unfold: window size 0 and step 1 must be positive", unfold(of(3), 0, 0, 1)),
       BAD(ValueError, "unfold: window size 2 and step 0 must be positive", unfold(of(3), 0, 2, 0)),
       BAD(ShapeError, "unfold: a window of 4 in an axis of 3", unfold(of(3), 0, 4, 1)),
       BAD(ShapeError, "unfold: axis 1 is out of range for rank 1", unfold(of(3), 1, 1, 1)),
       BAD(ShapeError, "rank 9 is above", unfold(of(1, 1, 1, 1, 1, 1, 1, 1), 0, 1, 1)),
       BAD(GradError, "unfold: x is undefined", unfold(Tensor(), 0, 1, 1))}};
}

Row overlap_add_row() {
  const auto form = [](const std::string& name, const Sizes& from, Index axis, Index real,
                       Index length, Index step) {
    const auto at = static_cast<std::size_t>(real);
    return sample(
        name, {in(from)}, [=](X x) { return overlap_add(x[0], axis, length, step); },
        [=](B x) {
          Sizes to = from;
          to.pop_back();
          to[at] = length;
          Block out(to, [](const Place&) { return 0.0; });
          each_place(from, [&](const Place& p) {
            Place target = p;
            target[at] = p[at] * step + p.back();
            target.pop_back();
            out.at(target) += x[0](p);
          });
          return out;
        });
  };
  return {Op::overlap_add,
          {form("overlapping", {5, 3}, 0, 0, 7, 1), form("by steps", {2, 3, 5}, -1, 1, 10, 2),
           form("rows", {3, 2, 2}, 0, 0, 4, 1), form("side by side", {3, 2}, 0, 0, 7, 2),
           form("with gaps", {2, 3}, 0, 0, 8, 5), form("one window", {1, 5}, 0, 0, 5, 1),
           form("sizes of 1", {1, 1}, 0, 0, 1, 1), form("empty", {0, 2, 3}, 1, 1, 4, 1)},
          {BAD(ShapeError, "overlap_add: f32[5, 3] has 5 windows; a length of 6 needs 4",
               overlap_add(of(5, 3), 0, 6, 1)),
           BAD(ValueError, "overlap_add: window size 3 and step 0 must be positive",
               overlap_add(of(5, 3), 0, 7, 0)),
           BAD(ShapeError, "overlap_add: a window of 3 in an axis of 2",
               overlap_add(of(5, 3), 0, 2, 1)),
           BAD(ShapeError, "overlap_add: axis 1 is out of range for rank 1",
               overlap_add(of(5, 3), 1, 7, 1)),
           BAD(DTypeError, "overlap_add: takes f32 or f64, not i64",
               overlap_add(ids({1, 2}, {2, 1}), 0, 2, 1)),
           BAD(GradError, "overlap_add: x is undefined", overlap_add(Tensor(), 0, 1, 1))}};
}

}  // namespace

std::vector<Row> unfold_rows() { return {unfold_row(), overlap_add_row()}; }

}  // namespace heed::table
