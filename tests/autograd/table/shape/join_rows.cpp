#include "../../../../autograd/ops/shape/join.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

Block joined(B xs, Index axis) {
  Sizes shape = xs[0].shape();
  const auto at = static_cast<std::size_t>(axis);
  shape[at] = 0;
  for (const Block& x : xs) shape[at] += x.size(axis);
  Block out(shape, [](const Place&) { return 0.0; });
  Index start = 0;
  for (const Block& x : xs) {
    each_place(x.shape(), [&](const Place& p) { out.at(replaced(p, axis, p[at] + start)) = x(p); });
    start += x.size(axis);
  }
  return out;
}

Row concat_row() {
  const auto form = [](const std::string& name, const std::vector<Input>& inputs, Index axis,
                       Index real) {
    return sample(
        name, inputs, [axis](X x) { return concat(x, axis); },
        [real](B x) { return joined(x, real); });
  };
  return {Op::concat,
          {form("rows", {in({2, 3}), in({4, 3})}, 0, 0),
           form("columns", {in({2, 3}), in({2, 2})}, -1, 1),
           form("same shapes", {in({2, 3}), in({2, 3})}, 0, 0), form("one", {in({2, 3})}, 1, 1),
           form("three", {in({2, 1, 2}), in({2, 3, 2}), in({2, 2, 2})}, 1, 1),
           form("with an empty one", {in({2, 3}), in({0, 3})}, 0, 0),
           form("all empty", {in({0, 3}), in({0, 3})}, 0, 0)},
          {BAD(ShapeError, "concat: needs at least one tensor", concat({})),
           BAD(ShapeError, "concat: f32[3, 4] and f32[3, 5] must agree on all axes but 0",
               concat({of(3, 5), of(3, 4)})),
           BAD(ShapeError, "concat: f32[3] and f32[3, 5] must agree", concat({of(3, 5), of(3)})),
           BAD(DTypeError, "concat: dtypes differ", concat({of(3), of<DType::f64>(3)})),
           BAD(ShapeError, "concat: axis 0 is out of range for rank 0", concat({of(), of()})),
           bad<ShapeError>("overflow",
                           [] {
                             const Tensor vast = expand(of(1), dims(INT64_MAX / 4 * 3));
                             concat({vast, vast});
                           }),
           BAD(GradError, "concat: xs[1] is undefined", concat({of(3), Tensor()}))}};
}

Row stack_row() {
  const auto form = [](const std::string& name, const std::vector<Input>& inputs, Index axis,
                       Index real) {
    return sample(
        name, inputs, [axis](X x) { return stack(x, axis); },
        [real](B x) {
          const auto at = static_cast<std::size_t>(real);
          return Block(with(x[0].shape(), real, static_cast<Index>(x.size())), [&](const Place& p) {
            return x[static_cast<std::size_t>(p[at])](without(p, real));
          });
        });
  };
  return {Op::stack,
          {form("first axis", {in({2, 3}), in({2, 3})}, 0, 0),
           form("last axis", {in({2, 3}), in({2, 3})}, -1, 2),
           form("middle axis", {in({2, 3}), in({2, 3}), in({2, 3})}, 1, 1),
           form("rank 0", {in({}), in({}), in({})}, 0, 0),
           form("sizes of 1", {in({1, 3}), in({1, 3})}, 1, 1), form("one", {in({2, 3})}, 0, 0),
           form("empty", {in({0, 3}), in({0, 3})}, 0, 0)},
          {BAD(ShapeError, "stack: needs at least one tensor", stack({})),
           BAD(ShapeError, "stack: shapes differ: f32[5] beside f32[3]", stack({of(3), of(5)})),
           BAD(DTypeError, "stack: dtypes differ", stack({of(3), of<DType::f64>(3)})),
           BAD(ShapeError, "stack: axis 2 is out of range for rank 2", stack({of(3), of(3)}, 2)),
           BAD(GradError, "stack: xs[1] is undefined", stack({of(3), Tensor()}))}};
}

// A piece of x: `size` places of an axis from `start`.
Sample piece(const std::string& name, const Sizes& from, Index axis, Index start, Index size,
             Call call) {
  const auto at = static_cast<std::size_t>(axis);
  return sample(name, {in(from)}, std::move(call), [=](B x) {
    Sizes to = from;
    to[at] = size;
    return Block(to, [&](const Place& p) { return x[0](replaced(p, axis, p[at] + start)); });
  });
}

Row split_row() {
  return {
      Op::split,
      {piece("by lengths", {5, 2}, 0, 3, 2,
             [](X x) {
               return split(x[0], {3, 2}, 0)[1];
             }),
       piece("by one length", {2, 7}, 1, 3, 3, [](X x) { return split(x[0], 3, -1)[1]; }),
       piece("what remains", {2, 7}, 1, 6, 1, [](X x) { return split(x[0], 3, 1)[2]; }),
       piece("longer than the axis", {3, 2}, 0, 0, 3, [](X x) { return split(x[0], 9)[0]; }),
       piece("sizes of 1", {1, 3}, 0, 0, 1, [](X x) { return split(x[0], 1)[0]; }),
       piece("empty", {0, 3}, 0, 0, 0, [](X x) { return split(x[0], 2)[0]; })},
      {BAD(ShapeError, "split: the lengths sum to 4, axis 0 of f32[5] has 5", split(of(5), {2, 2})),
       BAD(ValueError, "split: length 0 must be positive", split(of(5), 0)),
       BAD(ValueError, "split: length -3 must be positive", split(of(5), -3)),
       BAD(ShapeError, "split: axis 1 is out of range for rank 1", split(of(5), 2, 1)),
       BAD(GradError, "split: x is undefined", split(Tensor(), 1))}};
}

Row chunk_row() {
  return {"chunk",
          {piece("first", {7, 2}, 0, 0, 3, [](X x) { return chunk(x[0], 3)[0]; }),
           piece("last", {7, 2}, 0, 6, 1, [](X x) { return chunk(x[0], 3).back(); }),
           piece("columns", {2, 5}, 1, 3, 2, [](X x) { return chunk(x[0], 2, -1)[1]; }),
           piece("more than places", {3, 2}, 0, 2, 1, [](X x) { return chunk(x[0], 9).back(); }),
           piece("one", {2, 3}, 0, 0, 2, [](X x) { return chunk(x[0], 1)[0]; }),
           piece("empty", {0, 3}, 0, 0, 0, [](X x) { return chunk(x[0], 2)[0]; })},
          {BAD(ValueError, "chunk: 0 pieces must be positive", chunk(of(5), 0)),
           BAD(ValueError, "chunk: -1 pieces must be positive", chunk(of(5), -1)),
           BAD(ShapeError, "chunk: axis 1 is out of range for rank 1", chunk(of(5), 2, 1)),
           BAD(GradError, "chunk: x is undefined", chunk(Tensor(), 1))}};
}

}  // namespace

std::vector<Row> join_rows() { return {concat_row(), stack_row(), split_row(), chunk_row()}; }

}  // namespace heed::table
