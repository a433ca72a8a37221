#include "../../../../autograd/ops/index/mask_index.h"

#include "../../../../autograd/ops/index/index.h"
#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

// Indices as the library gets them, and the places of the leading axes that they name, one after
// the other, in the shape `lead`.
struct Places {
  std::vector<Tensor> indices;
  Sizes lead;
  std::vector<Place> named;
};

Places rows() { return {{ids(2, 0, -1)}, {3}, {{2}, {0}, {4}}}; }
Places repeats() { return {{ids(1, 1, 3, 1)}, {4}, {{1}, {1}, {3}, {1}}}; }
Places pairs() { return {{ids(2, 0), ids(1, -3)}, {2}, {{2, 1}, {0, 0}}}; }
Places grid() {
  return {{ids({4, 0, 4}, {3, 1}), ids(2, 0)},
          {3, 2},
          {{4, 2}, {4, 0}, {0, 2}, {0, 0}, {4, 2}, {4, 0}}};
}
Places one_row() { return {{ids({3}, {})}, {}, {{3}}}; }
Places row_mask() { return {{flags({0, 1, 1, 0, 1}, {5})}, {3}, {{1}, {2}, {4}}}; }
Places whole_mask() { return {{flags({1, 0, 0, 0, 1, 1}, {2, 3})}, {3}, {{0, 0}, {1, 1}, {1, 2}}}; }
Places mask_and_ids() { return {{flags({0, 1, 1, 0, 0}, {5}), ids(2, 0)}, {2}, {{1, 2}, {2, 0}}}; }
Places true_and_ids() { return {{flags({1}, {}), ids(2, 0)}, {2}, {{2}, {0}}}; }
Places false_and_ids() { return {{flags({0}, {}), ids(2)}, {0}, {}}; }
Places all_of_it() { return {{flags({1}, {})}, {1}, {{}}}; }
Places nothing() { return {{ids(std::vector<Index>{})}, {0}, {}}; }

std::size_t number(const Sizes& shape, const Place& place) {
  Index offset = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    offset = offset * shape[axis] + place[axis];
  return static_cast<std::size_t>(offset);
}

Place cut(const Place& p, std::size_t from, std::size_t to) {
  return {p.begin() + static_cast<std::ptrdiff_t>(from),
          p.begin() + static_cast<std::ptrdiff_t>(to)};
}

Place joined(Place a, const Place& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Sizes result_shape(const Sizes& from, const Places& places, std::size_t axes) {
  return joined(places.lead, cut(from, axes, from.size()));
}

Sample read(const std::string& name, const Sizes& from, const Places& places, std::size_t axes) {
  const Sizes out = result_shape(from, places, axes);
  return sample(
      name, {in(from)}, [=](X x) { return index(x[0], places.indices); },
      [=](B x) {
        return Block(out, [&](const Place& p) {
          const Place lead = cut(p, 0, places.lead.size());
          return x[0](joined(places.named[number(places.lead, lead)],
                             cut(p, places.lead.size(), p.size())));
        });
      });
}

Row index_row() {
  return {"index",
          {read("rows", {5, 3}, rows(), 1), read("repeats", {5, 2}, repeats(), 1),
           read("pairs", {5, 3}, pairs(), 2), read("pairs, rows left", {3, 3, 2}, pairs(), 2),
           read("broadcast indices", {5, 3}, grid(), 2), read("one row", {5, 3}, one_row(), 1),
           read("mask of rows", {5, 2}, row_mask(), 1), read("whole mask", {2, 3}, whole_mask(), 2),
           read("mask of two axes", {2, 3, 2}, whole_mask(), 2),
           read("mask and ids", {5, 3}, mask_and_ids(), 2),
           read("true and ids", {5, 3}, true_and_ids(), 1),
           read("false and ids", {5, 3}, false_and_ids(), 1),
           read("true alone", {5, 3}, all_of_it(), 0), read("nothing", {5, 3}, nothing(), 1),
           read("empty", {5, 0}, rows(), 1)},
          {BAD(IndexError, "index: index 5 is out of range [-5, 5) of axis 0",
               index(of(5, 3), {ids(1, 5)})),
           BAD(IndexError, "index: index -4 is out of range [-3, 3) of axis 1",
               index(of(5, 3), {ids(1), ids(-4)})),
           BAD(DTypeError, "index: indices must be i64 or bool, not f32[2]", index(of(5), {of(2)})),
           BAD(ShapeError, "index: shapes [2] and [3] do not broadcast",
               index(of(5, 3), {ids(0, 1), ids(0, 1, 2)})),
           BAD(ShapeError, "index: indices for more than the 1 axes of [5]",
               index(of(5), {ids(0), ids(0)})),
           BAD(ShapeError, "index: mask bool[2] does not fit [5, 3] from axis 0",
               index(of(5, 3), {flags({1, 0}, {2})})),
           BAD(ShapeError, "index: no index is given", index(of(5), std::vector<Tensor>{})),
           BAD(GradError, "index: indices[0] is undefined", index(of(5), {Tensor()})),
           BAD(GradError, "index: x is undefined", index(Tensor(), {ids(0)}))}};
}

Sample written(const std::string& name, const Sizes& to, const Places& places, std::size_t axes,
               const Sizes& values, bool accumulate) {
  const Sizes all = result_shape(to, places, axes);
  return sample(
      name + (accumulate ? ", accumulated" : ""), {in(to), in(values)},
      [=](X x) { return index_put(x[0], places.indices, x[1], accumulate); },
      [=](B x) {
        Block out = x[0];
        each_place(all, [&](const Place& p) {
          const Place lead = cut(p, 0, places.lead.size());
          double& place = out.at(joined(places.named[number(places.lead, lead)],
                                        cut(p, places.lead.size(), p.size())));
          place = x[1](p) + (accumulate ? place : 0);
        });
        return out;
      });
}

Row index_put_row() {
  Row row{
      Op::index_put,
      {},
      {BAD(IndexError, "index_put: index -6 is out of range [-5, 5) of axis 0",
           index_put(of(5), {ids(-6)}, of(1))),
       BAD(ShapeError, "index_put: shapes [2] and [1, 3] do not broadcast",
           index_put(of(5, 3), {ids(0)}, of(2))),
       BAD(ShapeError, "index_put: values f32[2, 3] do not broadcast to [1, 3]",
           index_put(of(5, 3), {ids(0)}, of(2, 3))),
       BAD(DTypeError, "index_put: dtypes differ: x is f32[5], values are f64[1]",
           index_put(of(5), {ids(0)}, of<DType::f64>(1))),
       BAD(DTypeError, "index_put: takes f32 or f64, not i64",
           index_put(ids(1, 2), {ids(0)}, ids(1), true)),
       BAD(DTypeError, "index_put: indices must be i64 or bool", index_put(of(5), {of(1)}, of(1))),
       BAD(GradError, "index_put: values is undefined", index_put(of(5), {ids(0)}, Tensor()))}};
  for (const bool more : {false, true}) {
    for (Sample& one :
         std::vector<Sample>{written("rows", {5, 3}, rows(), 1, {3, 3}, more),
                             written("repeats", {5, 2}, repeats(), 1, {4, 2}, more),
                             written("values broadcast", {5, 2}, repeats(), 1, {2}, more),
                             written("a number", {5, 2}, row_mask(), 1, {}, more),
                             written("pairs", {5, 3}, pairs(), 2, {2}, more),
                             written("pairs, rows left", {3, 3, 2}, pairs(), 2, {2, 1}, more),
                             written("broadcast indices", {5, 3}, grid(), 2, {3, 2}, more),
                             written("mask of rows", {5, 2}, row_mask(), 1, {3, 1}, more),
                             written("whole mask", {2, 3}, whole_mask(), 2, {3}, more),
                             written("true and ids", {5, 3}, true_and_ids(), 1, {2, 3}, more),
                             written("false and ids", {5, 3}, false_and_ids(), 1, {3}, more),
                             written("true alone", {5, 3}, all_of_it(), 0, {5, 3}, more),
                             written("nothing", {5, 3}, nothing(), 1, {0, 3}, more),
                             written("empty", {5, 0}, rows(), 1, {3, 0}, more)}) {
      row.samples.push_back(std::move(one));
    }
  }
  return row;
}

Sample chosen(const std::string& name, const Sizes& from, const Block& mask, const Sizes& both) {
  return sample(
      name, {in(from)}, [=](X x) { return masked_select(x[0], to_tensor(mask, DType::boolean)); },
      [=](B x) {
        std::vector<double> out;
        each_place(both, [&](const Place& p) {
          if (mask(p) != 0) out.push_back(x[0](p));
        });
        return Block({static_cast<Index>(out.size())}, out);
      });
}

Row masked_select_row() {
  const Block full({2, 3}, std::vector<double>{1, 0, 0, 1, 1, 0});
  const Block row({3}, std::vector<double>{0, 1, 1});
  const Block column({2, 1}, std::vector<double>{0, 1});
  const Block always({}, std::vector<double>{1});
  return {"masked_select",
          {chosen("full mask", {2, 3}, full, {2, 3}), chosen("columns", {2, 3}, row, {2, 3}),
           chosen("rows", {2, 3}, column, {2, 3}), chosen("x broadcast", {3}, full, {2, 3}),
           chosen("both broadcast", {3}, column, {2, 3}),
           chosen("rank 3", {2, 2, 3}, full, {2, 2, 3}), chosen("all", {3, 2}, always, {3, 2}),
           chosen("rank 0", {}, always, {}), chosen("empty", {0, 3}, row, {0, 3})},
          {BAD(DTypeError, "masked_select: the mask must be bool, not f32[3]",
               masked_select(of(3), of(3))),
           BAD(ShapeError, "masked_select: shapes [3] and [2] do not broadcast",
               masked_select(of(3), of<DType::boolean>(2))),
           BAD(GradError, "masked_select: x is undefined",
               masked_select(Tensor(), of<DType::boolean>(2))),
           BAD(GradError, "masked_select: mask is undefined", masked_select(of(3), Tensor()))}};
}

Sample taken(const std::string& name, const Sizes& from, Index axis, std::size_t real,
             const Sizes& values, const Sizes& shape, const Sizes& out) {
  return sample(
      name, {in(from)}, [=](X x) { return take_along(x[0], ids(values, Shape(shape)), axis); },
      [=](B x) {
        const Block places(shape, std::vector<double>(values.begin(), values.end()));
        return Block(out, [&](const Place& p) {
          return x[0](replaced(p, static_cast<Index>(real), static_cast<Index>(places(p))));
        });
      });
}

Row take_along_row() {
  return {
      "take_along",
      {taken("same rows", {3, 5}, 1, 1, {4, 0, 1, 1, 2, 2}, {3, 2}, {3, 2}),
       taken("index broadcast", {3, 5}, -1, 1, {4, 0}, {1, 2}, {3, 2}),
       taken("x broadcast", {1, 5}, 1, 1, {4, 0, 1, 1, 2, 2}, {3, 2}, {3, 2}),
       taken("first axis", {3, 2}, 0, 0, {2, 0, 1, 2}, {4, 1}, {4, 2}),
       taken("both broadcast", {2, 3, 1}, 1, 1, {2, 1, 0, 0}, {1, 2, 2}, {2, 2, 2}),
       taken("vector", {7}, 0, 0, {6, 0, 6}, {3}, {3}),
       taken("empty", {0, 3}, 1, 1, {1, 2}, {1, 2}, {0, 2})},
      {BAD(ShapeError, "take_along: ranks differ: x is f32[3, 5], the index is i64[1]",
           take_along(of(3, 5), ids(0), 0)),
       BAD(ShapeError, "take_along: shapes [3, 1] and [2, 1] do not broadcast",
           take_along(of(3, 5), ids({0, 0}, {2, 1}), 1)),
       BAD(IndexError, "take_along: index 7 is out of range [0, 7)", take_along(of(7), ids(7), 0)),
       BAD(DTypeError, "take_along: indices must be i64", take_along(of(7), of(1), 0)),
       BAD(ShapeError, "take_along: axis 1 is out of range", take_along(of(7), ids(0), 1)),
       BAD(GradError, "take_along: index is undefined", take_along(of(7), Tensor(), 0))}};
}

}  // namespace

std::vector<Row> mask_index_rows() {
  return {index_row(), index_put_row(), masked_select_row(), take_along_row()};
}

}  // namespace heed::table
