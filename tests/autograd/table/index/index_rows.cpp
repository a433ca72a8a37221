#include "../../../../autograd/ops/index/index.h"
#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

// Indices as the library gets them and as loops read them.
struct Picks {
  Sizes values, shape;
  Tensor tensor() const { return ids(values, Shape(shape)); }
  Index at(const Place& place) const {
    Index offset = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      offset = offset * shape[axis] + place[axis];
    return values[static_cast<std::size_t>(offset)];
  }
};
Picks picks(const Sizes& values) { return {values, {static_cast<Index>(values.size())}}; }

Sample looked_up(const std::string& name, const Sizes& table, const Picks& rows,
                 bool sparse = false) {
  return sample(
      name, {in(table)}, [=](X x) { return embedding(x[0], rows.tensor(), sparse); },
      [=](B x) {
        Sizes shape = rows.shape;
        shape.insert(shape.end(), table.begin() + 1, table.end());
        const auto lead = static_cast<std::ptrdiff_t>(rows.shape.size());
        return Block(shape, [&](const Place& p) {
          Place from(p.begin() + lead, p.end());
          return x[0](with(from, 0, rows.at(Place(p.begin(), p.begin() + lead))));
        });
      });
}

Row embedding_row() {
  return {
      Op::embedding,
      {looked_up("rows", {5, 3}, picks({2, 0, 4})),
       looked_up("repeats", {5, 3}, picks({1, 1, 3, 1})),
       looked_up("matrix of ids", {5, 2}, {{0, 4, 2, 2, 1, 0}, {2, 3}}),
       looked_up("one id", {5, 3}, {{3}, {}}),
       looked_up("rank 3 table", {3, 2, 2}, picks({2, 0, 2})),
       looked_up("vector table", {7}, picks({6, 1})),
       looked_up("sparse", {5, 3}, picks({1, 4, 1}), true),
       looked_up("sizes of 1", {1, 1}, picks({0, 0})), looked_up("no ids", {5, 3}, picks({})),
       looked_up("empty rows", {5, 0}, picks({1, 2})), looked_up("empty table", {0, 3}, picks({}))},
      {BAD(IndexError, "embedding: index 5 is out of range [0, 5)", embedding(ids(1, 5), of(5, 3))),
       BAD(IndexError, "embedding: index 5 is out of range [0, 5)", embedding(of(5, 3), ids(1, 5))),
       BAD(IndexError, "embedding: index -1 is out of range [0, 5)", embedding(of(5, 3), ids(-1))),
       BAD(IndexError, "embedding: index 0 is out of range [0, 0)", embedding(of(0, 3), ids(0))),
       BAD(DTypeError, "embedding: indices must be i64, not f32[2]", embedding(of(5, 3), of(2))),
       BAD(ShapeError, "embedding: needs rank 1 or more", embedding(of(), ids(0))),
       BAD(ValueError, "embedding: padding 5 is not in [-1, 5)",
           embedding(of(5, 3), ids(0), false, 5)),
       BAD(ValueError, "embedding: padding -2 is not in [-1, 5)",
           embedding(of(5, 3), ids(0), false, -2)),
       BAD(GradError, "embedding: weight is undefined", embedding(Tensor(), ids(0))),
       BAD(GradError, "embedding: ids is undefined", embedding(of(5, 3), Tensor()))}};
}

Sample selected(const std::string& name, const Sizes& from, Index axis, Index real,
                const Sizes& places) {
  return sample(
      name, {in(from)}, [=](X x) { return index_select(x[0], axis, ids(places)); },
      [=](B x) {
        return Block(replaced(from, real, static_cast<Index>(places.size())), [&](const Place& p) {
          return x[0](replaced(
              p, real, places[static_cast<std::size_t>(p[static_cast<std::size_t>(real)])]));
        });
      });
}

Row index_select_row() {
  return {
      Op::index_select,
      {selected("rows", {5, 3}, 0, 0, {2, 0, 4}),
       selected("columns, repeats", {3, 5}, -1, 1, {4, 4, 0}),
       selected("middle axis", {2, 3, 2}, 1, 1, {2, 1, 1, 0}),
       selected("vector", {7}, 0, 0, {6, 3}), selected("sizes of 1", {1, 3, 1}, 2, 2, {0, 0}),
       selected("nothing", {3, 5}, 1, 1, {}), selected("empty", {0, 3}, 1, 1, {2, 0})},
      {BAD(IndexError, "index_select: index 3 is out of range [0, 3)",
           index_select(of(3, 5), 0, ids(3))),
       BAD(DTypeError, "index_select: indices must be i64", index_select(of(3), 0, of(1))),
       BAD(ShapeError, "index_select: the index must have rank 1, not i64[1, 1]",
           index_select(of(3), 0, ids({0}, {1, 1}))),
       BAD(ShapeError, "index_select: axis 2 is out of range", index_select(of(3, 5), 2, ids(0))),
       BAD(ShapeError, "index_select: axis 0 is out of range for rank 0",
           index_select(of(), 0, ids(0))),
       BAD(GradError, "index_select: index is undefined", index_select(of(3), 0, Tensor()))}};
}

Sample added(const std::string& name, const Sizes& to, Index axis, Index real,
             const Sizes& places) {
  const Sizes values = replaced(to, real, static_cast<Index>(places.size()));
  return sample(
      name, {in(to), in(values)}, [=](X x) { return index_add(x[0], axis, ids(places), x[1]); },
      [=](B x) {
        Block out = x[0];
        each_place(values, [&](const Place& p) {
          out.at(replaced(p, real,
                          places[static_cast<std::size_t>(p[static_cast<std::size_t>(real)])])) +=
              x[1](p);
        });
        return out;
      });
}

Row index_add_row() {
  return {
      Op::index_add,
      {added("rows", {5, 3}, 0, 0, {4, 1}), added("repeats", {3, 2}, 0, 0, {1, 1, 0, 1}),
       added("columns", {3, 5}, -1, 1, {3, 0, 3}), added("middle axis", {2, 3, 2}, 1, 1, {2, 2}),
       added("same shapes", {3, 2}, 0, 0, {2, 0, 0}), added("vector", {7}, 0, 0, {6, 3, 6}),
       added("sizes of 1", {1, 3, 1}, 2, 2, {0, 0}), added("nothing", {3, 2}, 1, 1, {}),
       added("empty", {0, 3}, 1, 1, {2, 0})},
      {BAD(IndexError, "index_add: index -1 is out of range [0, 3)",
           index_add(of(3), 0, ids(-1), of(1))),
       BAD(ShapeError, "index_add: values are f32[2], but f32[3] at 1 places of axis 0 take f32[1]",
           index_add(of(3), 0, ids(0), of(2))),
       BAD(DTypeError, "index_add: dtypes differ: x is f32[3], values are f64[1]",
           index_add(of(3), 0, ids(0), of<DType::f64>(1))),
       BAD(ShapeError, "index_add: axis 1 is out of range", index_add(of(3), 1, ids(0), of(1))),
       BAD(DTypeError, "index_add: takes f32 or f64, not i64",
           index_add(ids(1, 2), 0, ids(0), ids(1))),
       BAD(ShapeError, "index_add: the index must have rank 1",
           index_add(of(3), 0, ids({0}, {}), of(1))),
       BAD(GradError, "index_add: values is undefined", index_add(of(3), 0, ids(0), Tensor()))}};
}

Sample gathered(const std::string& name, const Sizes& from, Index axis, Index real,
                const Picks& places) {
  return sample(
      name, {in(from)}, [=](X x) { return gather(x[0], axis, places.tensor()); },
      [=](B x) {
        return Block(places.shape,
                     [&](const Place& p) { return x[0](replaced(p, real, places.at(p))); });
      });
}

Row gather_row() {
  return {Op::gather,
          {gathered("last axis", {3, 5}, -1, 1, {{4, 0, 1, 1, 2, 2}, {3, 2}}),
           gathered("first axis, repeats", {3, 2}, 0, 0, {{2, 0, 2, 2, 1, 0, 0, 0}, {4, 2}}),
           gathered("middle axis", {2, 3, 2}, 1, 1, {{2, 0, 1, 1}, {2, 1, 2}}),
           gathered("fewer rows than x", {3, 5}, 1, 1, {{4, 4, 3}, {1, 3}}),
           gathered("vector", {7}, 0, 0, picks({6, 0, 6})),
           gathered("sizes of 1", {1, 3}, 1, 1, {{2, 1}, {1, 2}}),
           gathered("nothing", {3, 5}, 1, 1, {{}, {3, 0}}),
           gathered("empty", {0, 3}, 1, 1, {{}, {0, 2}})},
          {BAD(IndexError, "gather: index 5 is out of range [0, 5)",
               gather(of(3, 5), 1, ids({5}, {1, 1}))),
           BAD(ShapeError, "gather: index i64[2] does not fit into [3, 5] beside axis 1",
               gather(of(3, 5), 1, ids(0, 1))),
           BAD(ShapeError, "gather: index i64[4, 1] does not fit",
               gather(of(3, 5), 1, ids({0, 0, 0, 0}, {4, 1}))),
           BAD(DTypeError, "gather: indices must be i64", gather(of(3), 0, of(1))),
           BAD(ShapeError, "gather: axis 1 is out of range", gather(of(3), 1, ids(0))),
           BAD(GradError, "gather: index is undefined", gather(of(3), 0, Tensor()))}};
}

Sample scattered(const std::string& name, const Sizes& to, Index axis, Index real,
                 const Picks& places) {
  return sample(
      name, {in(to), in(places.shape)},
      [=](X x) { return scatter_add(x[0], axis, places.tensor(), x[1]); },
      [=](B x) {
        Block out = x[0];
        each_place(places.shape,
                   [&](const Place& p) { out.at(replaced(p, real, places.at(p))) += x[1](p); });
        return out;
      });
}

Row scatter_add_row() {
  return {Op::scatter_add,
          {scattered("last axis", {3, 5}, -1, 1, {{4, 0, 1, 1, 2, 2}, {3, 2}}),
           scattered("first axis, repeats", {3, 2}, 0, 0, {{2, 0, 2, 2, 1, 0, 0, 0}, {4, 2}}),
           scattered("same shapes", {2, 3}, 1, 1, {{2, 2, 0, 1, 0, 1}, {2, 3}}),
           scattered("middle axis", {2, 3, 2}, 1, 1, {{2, 0, 1, 1}, {2, 1, 2}}),
           scattered("vector", {7}, 0, 0, picks({6, 0, 6})),
           scattered("sizes of 1", {1, 3}, 1, 1, {{2, 1}, {1, 2}}),
           scattered("nothing", {3, 2}, 1, 1, {{}, {3, 0}}),
           scattered("empty", {0, 3}, 1, 1, {{}, {0, 2}})},
          {BAD(IndexError, "scatter_add: index 3 is out of range [0, 3)",
               scatter_add(of(3), 0, ids(3), of(1))),
           BAD(ShapeError, "scatter_add: values f32[2] and index i64[1] must have one shape",
               scatter_add(of(3), 0, ids(0), of(2))),
           BAD(ShapeError, "scatter_add: index i64[1, 1] does not fit",
               scatter_add(of(3), 0, ids({0}, {1, 1}), of(1, 1))),
           BAD(DTypeError, "scatter_add: dtypes differ",
               scatter_add(of(3), 0, ids(0), of<DType::f64>(1))),
           BAD(DTypeError, "scatter_add: indices must be i64", scatter_add(of(3), 0, of(1), of(1))),
           BAD(GradError, "scatter_add: x is undefined", scatter_add(Tensor(), 0, ids(0), of(1)))}};
}

}  // namespace

std::vector<Row> index_rows() {
  return {embedding_row(), index_select_row(), index_add_row(), gather_row(), scatter_add_row()};
}

}  // namespace heed::table
