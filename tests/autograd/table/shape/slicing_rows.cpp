#include "../../../../autograd/backward.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/shape/slicing.h"
#include "../../../../core/error.h"
#include "../moved.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

Row slice_row() {
  const auto cut = [](Index axis, Index start, Index stop, Index step) {
    return [=](X x) { return slice(x[0], axis, start, stop, step); };
  };
  return {
      Op::slice,
      {moved("middle", {3, 7}, {3, 4}, cut(1, 2, 6, 1),
             [](const Place& p) {
               return Place{p[0], p[1] + 2};
             }),
       moved("steps", {3, 7}, {3, 3}, cut(-1, 1, 7, 2),
             [](const Place& p) {
               return Place{p[0], 2 * p[1] + 1};
             }),
       moved("rows from the end", {5, 2}, {2, 2}, cut(0, -3, -1, 1),
             [](const Place& p) {
               return Place{p[0] + 2, p[1]};
             }),
       moved("bounds beyond", {5, 2}, {5, 2}, cut(0, -99, 99, 1), [](const Place& p) { return p; }),
       moved("a step beyond", {5, 2}, {1, 2}, cut(0, 1, 5, 99),
             [](const Place& p) {
               return Place{1, p[1]};
             }),
       moved("sizes of 1", {1, 3, 1}, {1, 2, 1}, cut(1, 1, 3, 1),
             [](const Place& p) {
               return Place{0, p[1] + 1, 0};
             }),
       moved("nothing", {3, 5}, {3, 0}, cut(1, 3, 2, 1), [](const Place& p) { return p; }),
       moved("empty", {0, 3}, {0, 2}, cut(1, 0, 2, 1), [](const Place& p) { return p; }),
       moved(
           "narrow", {5, 2}, {3, 2}, [](X x) { return narrow(x[0], 0, 1, 3); },
           [](const Place& p) {
             return Place{p[0] + 1, p[1]};
           })},
      {BAD(ValueError, "slice: step 0 must be positive", slice(of(3), 0, 0, 3, 0)),
       BAD(ValueError, "slice: step -1 must be positive", slice(of(3), 0, 0, 3, -1)),
       BAD(ShapeError, "slice: axis 1 is out of range for rank 1", slice(of(3), 1, 0, 3)),
       BAD(IndexError, "narrow: 3 places from 1 leave axis 0 of f32[3]", narrow(of(3), 0, 1, 3)),
       BAD(IndexError, "narrow: 1 places from -4 leave axis 0 of f32[3]", narrow(of(3), 0, -4, 1)),
       BAD(IndexError, "narrow: 2 places from -1", narrow(of(3), 0, -1, 2)),
       BAD(IndexError, "narrow:", narrow(of(3), 0, 2, INT64_MAX)),
       BAD(GradError, "slice: x is undefined", slice(Tensor(), 0, 0, 1))}};
}

// slice()'s derivative, which has no function of its own: zeros with g where slice would read.
Row slice_scatter_row() {
  const auto scattered = [](const std::string& name, const Sizes& from, const Sizes& to, Index axis,
                            Index start, Index step) {
    const Index stop = to[static_cast<std::size_t>(axis)];
    return sample(
        name, {in(from)},
        [=](X x) {
          const EnableGrad scope;  // the tape is how it is reached
          Tensor whole = zeros(Shape(to), x[0].dtype());
          whole.set_requires_grad();
          const Tensor part = slice(whole, axis, start, stop, step);
          return grad({part}, {whole}, {x[0]}, {.create_graph = true})[0];
        },
        [=](B x) {
          Block out(to, [](const Place&) { return 0.0; });
          each_place(from, [&](const Place& p) {
            out.at(replaced(p, axis, start + step * p[static_cast<std::size_t>(axis)])) = x[0](p);
          });
          return out;
        });
  };
  const auto into = [](const Shape& gradient) {
    return [gradient] {
      Tensor whole = of(5, 3);
      whole.set_requires_grad();
      grad({slice(whole, 0, 1, 3)}, {whole}, {zeros(gradient)});
    };
  };
  return {Op::slice_scatter,
          {scattered("rows", {3, 2}, {5, 2}, 0, 2, 1), scattered("steps", {2, 3}, {2, 7}, 1, 1, 2),
           scattered("sizes of 1", {1, 1, 3}, {4, 1, 3}, 0, 3, 1),
           scattered("vector", {3}, {7}, 0, 1, 2), scattered("empty", {0, 2}, {3, 2}, 0, 3, 1)},
          {bad<ShapeError>("a gradient of f32[3, 3] for an output of f32[2, 3]", into({3, 3})),
           bad<ShapeError>("a gradient of f32[2] for an output of f32[2, 3]", into({2})),
           bad<ShapeError>("a gradient of f32[] for an output of f32[2, 3]", into({})),
           bad<ShapeError>("a gradient of f32[2, 1] for an output of f32[2, 3]", into({2, 1}))}};
}

Row select_row() {
  const auto taken = [](const std::string& name, const Sizes& from, const Sizes& to, Index axis,
                        Index index, Index real_axis, Index place) {
    return moved(
        name, from, to, [=](X x) { return select(x[0], axis, index); },
        [=](const Place& p) { return with(p, real_axis, place); });
  };
  return {
      Op::select,
      {taken("a row", {3, 5}, {5}, 0, 1, 0, 1), taken("a column", {3, 5}, {3}, -1, 4, 1, 4),
       taken("from the end", {2, 3, 4}, {2, 4}, 1, -1, 1, 2),
       taken("of a vector", {7}, {}, 0, 3, 0, 3),
       taken("sizes of 1", {1, 3, 1}, {1, 3}, 2, 0, 2, 0), taken("empty", {2, 0}, {0}, 0, 1, 0, 1)},
      {BAD(IndexError, "select: index 3 is out of range for axis 0 of f32[3, 5]",
           select(of(3, 5), 0, 3)),
       BAD(IndexError, "select: index -6 is out of range for axis 1", select(of(3, 5), 1, -6)),
       BAD(ShapeError, "select: axis 2 is out of range", select(of(3, 5), 2, 0)),
       BAD(IndexError, "select: index 0 is out of range", select(of(0), 0, 0)),
       BAD(GradError, "select: x is undefined", select(Tensor(), 0, 0))}};
}

Row index_row() {
  using Entries = std::vector<IndexEntry>;
  const auto form = [](const std::string& name, const Sizes& from, const Sizes& to,
                       const Entries& entries, std::function<Place(const Place&)> source) {
    return moved(
        name, from, to, [entries](X x) { return index(x[0], entries); }, std::move(source));
  };
  const auto refused = [](const Entries& entries) {
    return [entries] { index(of(3, 5), entries); };
  };
  return {"index_slices",
          {form("a row", {3, 5}, {5}, {1},
                [](const Place& p) {
                  return Place{1, p[0]};
                }),
           form("from the end", {3, 5}, {}, {-1, -2},
                [](const Place&) {
                  return Place{2, 3};
                }),
           form("slices", {3, 7}, {2, 2}, {Slice(1), Slice(1, 5, 2)},
                [](const Place& p) {
                  return Place{p[0] + 1, 2 * p[1] + 1};
                }),
           form("negative bounds", {7}, {4}, {Slice(-5, -1)},
                [](const Place& p) { return Place{p[0] + 2}; }),
           form("ellipsis", {2, 3, 5}, {2, 3}, {kEllipsis, 3},
                [](const Place& p) {
                  return Place{p[0], p[1], 3};
                }),
           form("ellipsis of nothing", {3, 5}, {}, {1, kEllipsis, 3},
                [](const Place&) {
                  return Place{1, 3};
                }),
           form("all kinds", {5, 2, 3, 4}, {2, 2, 3, 1}, {Slice(1, 5, 2), kEllipsis, 3, kNewAxis},
                [](const Place& p) {
                  return Place{2 * p[0] + 1, p[1], p[2], 3};
                }),
           form("new axes", {3}, {1, 3, 1}, {kNewAxis, Slice(), kNewAxis},
                [](const Place& p) { return Place{p[1]}; }),
           form("nothing", {3, 2}, {3, 2}, {}, [](const Place& p) { return p; }),
           form("of rank 0", {}, {1}, {kEllipsis, kNewAxis}, [](const Place&) { return Place{}; }),
           form("empty", {0, 3}, {0}, {kEllipsis, 1}, [](const Place& p) { return p; }),
           form("places", {3, 5}, {3, 2}, {Slice(), tensor({4, 1})},
                [](const Place& p) {
                  return Place{p[0], 4 - 3 * p[1]};
                }),
           form("places apart", {2, 3, 5}, {2, 3}, {tensor({1, 0}), Ellipsis, tensor({2, 4})},
                [](const Place& p) {
                  return Place{1 - p[0], p[1], 2 + 2 * p[0]};
                })},
          {bad<IndexError>("index: 3 entries for the axes of f32[3, 5]", refused({1, 2, 3})),
           bad<IndexError>("index: more than one ellipsis", refused({kEllipsis, kEllipsis})),
           bad<IndexError>("select: index 3 is out of range for axis 0 of f32[3, 5]", refused({3})),
           bad<IndexError>("select: index -6 is out of range", refused({kEllipsis, -6})),
           bad<ValueError>("slice: step -1 must be positive", refused({Slice(0, 3, -1)})),
           BAD(GradError, "index: x is undefined", index(Tensor(), {0}))}};
}

}  // namespace

std::vector<Row> slicing_rows() {
  return {slice_row(), slice_scatter_row(), select_row(), index_row()};
}

}  // namespace heed::table
