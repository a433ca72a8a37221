#include "../../../../autograd/backward.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../moved.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

// The same elements in another shape.
Sample recast(const std::string& name, const Sizes& from, const Sizes& to, Call call) {
  return sample(name, {in(from)}, std::move(call), [to](B x) { return Block(to, x[0].values()); });
}

Row reshape_row() {
  const auto to = [](const Sizes& shape) {
    return [shape](X x) { return reshape(x[0], Shape(shape)); };
  };
  return {
      Op::reshape,
      {recast("joined", {3, 5}, {15}, to({15})), recast("cut", {12}, {2, 3, 2}, to({2, -1, 2})),
       recast("other rows", {2, 6}, {3, 4}, to({3, 4})), recast("to rank 0", {1, 1}, {}, to({})),
       recast("from rank 0", {}, {1, 1}, to({1, 1})),
       recast("sizes of 1", {1, 3, 1}, {3, 1}, to({3, 1})),
       recast("empty", {0, 3}, {3, 0}, to({3, 0})),
       recast("flatten", {2, 3, 2}, {2, 6}, [](X x) { return flatten(x[0], 1); })},
      {BAD(ShapeError, "reshape: 15 elements of shape [3, 5] do not fill [4, 4]",
           reshape(of(3, 5), dims(4, 4))),
       BAD(ShapeError, "do not fill [-1, 4]", reshape(of(3, 5), dims(-1, 4))),
       BAD(ShapeError, "reshape: only one size may be -1", reshape(of(3, 5), dims(-1, -1))),
       BAD(ShapeError, "negative", reshape(of(3, 5), dims(-3, -5))),
       BAD(ShapeError, "overflows", reshape(of(3), {Index{1} << 40, Index{1} << 40})),
       BAD(ShapeError, "do not fill", reshape(of(0, 3), dims(-1, 0))),
       BAD(GradError, "reshape: x is undefined", reshape(Tensor(), dims(1))),
       BAD(ShapeError, "flatten: first axis 1 comes after last axis 0", flatten(of(3, 5), 1, 0))}};
}

Row view_row() {
  const auto to = [](const Sizes& shape) {
    // The cases have layouts without a view, of which the error rows speak.
    return [shape](X x) { return view(contiguous(x[0]), Shape(shape)); };
  };
  return {"view",
          {recast("joined", {3, 5}, {15}, to({15})), recast("cut", {12}, {2, 3, 2}, to({2, -1, 2})),
           recast("sizes of 1", {1, 3, 1}, {3, 1}, to({3, 1})),
           moved(
               "of a transpose", {2, 6}, {3, 2, 2},
               [](X x) { return view(transpose(contiguous(x[0]), 0, 1), dims(3, 2, 2)); },
               [](const Place& p) {
                 return Place{p[2], 2 * p[0] + p[1]};
               }),
           recast("empty", {0, 3}, {3, 0}, to({3, 0}))},
          {BAD(ShapeError,
               "view: f32[5, 3] with strides [1, 5] has no view of shape [15]; reshape copies",
               view(transpose(of(3, 5), 0, 1), dims(15))),
           BAD(ShapeError, "view: f32[3, 2] with strides [5, 1] has no view of shape [6]",
               view(narrow(of(3, 5), 1, 0, 2), dims(6))),
           BAD(ShapeError, "view: 15 elements of shape [3, 5] do not fill [4, 4]",
               view(of(3, 5), dims(4, 4))),
           BAD(ShapeError, "negative", view(of(3, 5), dims(-3, -5))),
           BAD(GradError, "view: x is undefined", view(Tensor(), dims(1)))}};
}

// Axis i of the result is axis axes[i] of x.
Sample turned(const std::string& name, const Sizes& from, const Sizes& axes, Call call) {
  Sizes to;
  for (const Index axis : axes) to.push_back(from[static_cast<std::size_t>(axis)]);
  return moved(name, from, to, std::move(call), [axes](const Place& p) {
    Place source(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) source[static_cast<std::size_t>(axes[i])] = p[i];
    return source;
  });
}

Row transpose_row() {
  const auto swap = [](Index a, Index b) { return [a, b](X x) { return transpose(x[0], a, b); }; };
  return {
      Op::transpose,
      {turned("matrix", {3, 5}, {1, 0}, swap(0, 1)),
       turned("outer axes", {2, 3, 4}, {2, 1, 0}, swap(-1, 0)),
       turned("with itself", {3, 2}, {0, 1}, swap(1, 1)),
       turned("sizes of 1", {1, 3}, {1, 0}, swap(0, 1)),
       turned("empty", {0, 3}, {1, 0}, swap(0, 1))},
      {BAD(ShapeError, "transpose: axis 2 is out of range for rank 2", transpose(of(3, 5), 0, 2)),
       BAD(ShapeError, "transpose: axis -3 is out of range for rank 2", transpose(of(3, 5), -3, 0)),
       BAD(ShapeError, "transpose: axis 0 is out of range for rank 0", transpose(of(), 0, 0)),
       BAD(GradError, "transpose: x is undefined", transpose(Tensor(), 0, 1))}};
}

Row permute_row() {
  const auto form = [](const std::string& name, const Sizes& from, const Sizes& axes) {
    return turned(name, from, axes, [axes](X x) { return permute(x[0], axes); });
  };
  const auto refused = [](const Sizes& axes) { return [axes] { permute(of(3, 5), axes); }; };
  return {Op::permute,
          {form("turned", {2, 3, 4}, {2, 0, 1}),
           turned("negative axes", {2, 3, 4}, {1, 2, 0},
                  [axes = Sizes{-2, -1, -3}](X x) { return permute(x[0], axes); }),
           form("matrix", {3, 5}, {1, 0}), form("rank 4", {2, 1, 3, 2}, {2, 0, 3, 1}),
           form("rank 0", {}, {}), form("empty", {0, 3}, {1, 0})},
          {bad<ShapeError>("permute: 1 axes given for rank 2", refused({0})),
           bad<ShapeError>("permute: axis 0 is named twice", refused({0, -2})),
           bad<ShapeError>("permute: axis 2 is out of range", refused({0, 2})),
           BAD(GradError, "permute: x is undefined", permute(Tensor(), {}))}};
}

Row expand_row() {
  const auto widened = [](const std::string& name, const Sizes& from, const Sizes& to) {
    return moved(
        name, from, to, [to](X x) { return expand(x[0], Shape(to)); },
        [](const Place& p) { return p; });
  };
  return {
      Op::expand,
      {widened("leading axes", {3}, {2, 5, 3}), widened("stretched", {3, 1}, {3, 5}),
       widened("both", {3, 1}, {2, 3, 4}), widened("from rank 0", {}, {2, 3}),
       widened("nothing to do", {3, 2}, {3, 2}),
       moved(
           "-1 stays", {3, 1}, {2, 3, 5},
           [](X x) {
             return expand(x[0], {2, -1, 5});
           },
           [](const Place& p) { return p; }),
       moved(
           "broadcast_to", {3}, {5, 3},
           [](X x) {
             return broadcast_to(x[0], {5, 3});
           },
           [](const Place& p) { return p; }),
       widened("sizes of 1", {1, 1}, {1, 3, 1}), widened("to nothing", {1, 3}, {0, 3}),
       widened("empty", {0, 1}, {2, 0, 3})},
      {BAD(ShapeError, "expand: f32[3, 5] does not broadcast to [3]", expand(of(3, 5), dims(3))),
       BAD(ShapeError, "expand: f32[3] does not broadcast to [5]", expand(of(3), dims(5))),
       BAD(ShapeError, "negative", expand(of(1), dims(-1, 1))),
       BAD(ShapeError, "negative", expand(of(1), dims(-2))),
       BAD(ShapeError, "overflows", expand(of(1, 1), {Index{1} << 40, Index{1} << 40})),
       BAD(GradError, "expand: x is undefined", expand(Tensor(), dims(3)))}};
}

Row squeeze_row() {
  const auto drop = [](Index axis) { return [axis](X x) { return squeeze(x[0], axis); }; };
  return {
      Op::squeeze,
      {recast("first", {1, 3, 5}, {3, 5}, drop(0)), recast("last", {3, 5, 1}, {3, 5}, drop(-1)),
       recast("middle", {3, 1, 2}, {3, 2}, drop(1)), recast("to rank 0", {1}, {}, drop(0)),
       recast("one of several", {1, 1, 3}, {1, 3}, drop(1)), recast("empty", {0, 1}, {0}, drop(1)),
       recast("several", {1, 3, 1, 2}, {3, 2},
              [](X x) {
                return squeeze(x[0], {-2, 0});
              }),
       recast("all", {1, 3, 1, 2}, {3, 2}, [](X x) { return squeeze(x[0]); }),
       recast("another size", {3, 1}, {3, 1}, drop(0)),
       recast("several, one of another size", {1, 3, 2}, {3, 2},
              [](X x) {
                return squeeze(x[0], {0, 1});
              })},
      {BAD(ShapeError, "squeeze: axis -1 is named twice", squeeze(of(3, 1), {1, -1})),
       BAD(GradError, "squeeze: x is undefined", squeeze(Tensor())),
       BAD(ShapeError, "squeeze: axis 2 is out of range", squeeze(of(3, 1), 2)),
       BAD(ShapeError, "squeeze: axis 0 is out of range for rank 0", squeeze(of(), 0)),
       BAD(GradError, "squeeze: x is undefined", squeeze(Tensor(), 0))}};
}

Row unsqueeze_row() {
  const auto add = [](Index axis) { return [axis](X x) { return unsqueeze(x[0], axis); }; };
  return {
      Op::unsqueeze,
      {recast("first", {3, 5}, {1, 3, 5}, add(0)), recast("last", {3, 5}, {3, 5, 1}, add(-1)),
       recast("middle", {3, 2}, {3, 1, 2}, add(1)), recast("from rank 0", {}, {1}, add(0)),
       recast("sizes of 1", {1, 3}, {1, 1, 3}, add(-2)),
       recast("empty", {0, 3}, {0, 1, 3}, add(1))},
      {BAD(ShapeError, "unsqueeze: axis 3 is out of range for rank 3", unsqueeze(of(3, 5), 3)),
       BAD(ShapeError, "unsqueeze: axis -4 is out of range", unsqueeze(of(3, 5), -4)),
       BAD(ShapeError, "rank 9 is above the limit of 8", unsqueeze(of(1, 1, 1, 1, 1, 1, 1, 1), 0)),
       BAD(GradError, "unsqueeze: x is undefined", unsqueeze(Tensor(), 0))}};
}

// There and back. f32 keeps 24 bits, so that differences need a step that is large beside what is
// lost: the function is linear, which costs nothing.
Row to_row() {
  const auto there_and_back = [](const std::string& name, const Sizes& shape) {
    return sample(
        name, {in(shape)},
        [](X x) {
          return to(to(x[0], x[0].dtype() == DType::f64 ? DType::f32 : DType::f64), x[0].dtype());
        },
        [](B x) {
          return map(x[0], [](double value) { return double{static_cast<float>(value)}; });
        });
  };
  return {.subject = Op::to,
          .samples = {there_and_back("matrix", {3, 5}), there_and_back("rank 0", {}),
                      there_and_back("vector", {7}), there_and_back("sizes of 1", {1, 3, 1}),
                      there_and_back("empty", {0, 3}),
                      sample(
                          "the same dtype", {in({2, 3})},
                          [](X x) { return to(x[0], x[0].dtype()) * 2; },
                          [](B x) { return map(x[0], [](double value) { return 2 * value; }); })},
          .bad_calls = {BAD(GradError, "to: x is undefined", to(Tensor(), DType::f64)),
                        bad<GradError>("does not require a gradient",
                                       [] {
                                         Tensor x = of(3);
                                         x.set_requires_grad();
                                         to(x, DType::i64).backward(ids(1, 1, 1));
                                       }),
                        bad<DTypeError>("a gradient of f32[3] for an output of f64[3]",
                                        [] {
                                          Tensor x = of(3);
                                          x.set_requires_grad();
                                          to(x, DType::f64).backward(of(3));
                                        }),
                        BAD(DTypeError, "set_requires_grad: takes f32 or f64, not i64",
                            to(of(3), DType::i64).set_requires_grad())},
          .gradcheck = {.rtol = 1e-5, .atol = 1e-5, .step = 0.25}};
}

Row clone_row() {
  const auto copy = [](X x) { return clone(x[0]); };
  return {Op::clone,
          {recast("matrix", {3, 5}, {3, 5}, copy), recast("rank 0", {}, {}, copy),
           recast("vector", {7}, {7}, copy), recast("sizes of 1", {1, 3, 1}, {1, 3, 1}, copy),
           recast("empty", {0, 3}, {0, 3}, copy),
           recast("contiguous", {2, 3}, {2, 3}, [](X x) { return contiguous(x[0]); })},
          {BAD(GradError, "clone: x is undefined", clone(Tensor())),
           BAD(GradError, "contiguous: x is undefined", contiguous(Tensor())),
           BAD(OutOfMemory, "allocate:", clone(expand(of(1), {Index{1} << 50}))),
           BAD(ShapeError, "overflows", clone(expand(of(1), {Index{1} << 62})))}};
}

}  // namespace

std::vector<Row> shape_rows() {
  return {reshape_row(), view_row(),      transpose_row(), permute_row(), expand_row(),
          squeeze_row(), unsqueeze_row(), to_row(),        clone_row()};
}

}  // namespace heed::table
