#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../autograd/ops/shape/slicing.h"
#include "../../../../autograd/ops/shape/triangle.h"

#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

// x where `keeps` says so of column - row, else 0.
Sample triangle(const std::string& name, const Sizes& shape, Call call,
                std::function<bool(Index)> keeps) {
  return sample(name, {in(shape)}, std::move(call), [shape, keeps = std::move(keeps)](B x) {
    return Block(shape, [&](const Place& p) {
      return keeps(p[p.size() - 1] - p[p.size() - 2]) ? x[0](p) : 0.0;
    });
  });
}

Row tril_row() {
  const auto form = [](const std::string& name, const Sizes& shape, Index diagonal) {
    return triangle(
        name, shape, [=](X x) { return tril(x[0], diagonal); },
        [=](Index place) { return place <= diagonal; });
  };
  return {
      "tril",
      {form("square", {3, 3}, 0), form("wide", {3, 5}, 1), form("tall", {5, 3}, -1),
       form("batch", {2, 3, 2}, 0), form("all", {2, 3}, INT64_MAX), form("rank 4", {2, 1, 2, 2}, 0),
       form("sizes of 1", {1, 1}, 0), form("empty", {0, 3}, 0)},
      {BAD(ShapeError, "tril: needs matrices, not f32[3]", tril(of(3))),
       BAD(ShapeError, "tril: needs matrices, not f32[]", tril(of())),
       BAD(OutOfMemory, "allocate:", tril(expand(of(1, 1), {Index{1} << 25, Index{1} << 25}))),
       BAD(GradError, "tril: x is undefined", tril(Tensor()))}};
}

Row triu_row() {
  const auto form = [](const std::string& name, const Sizes& shape, Index diagonal) {
    return triangle(
        name, shape, [=](X x) { return triu(x[0], diagonal); },
        [=](Index place) { return place >= diagonal; });
  };
  return {
      "triu",
      {form("square", {3, 3}, 0), form("wide", {3, 5}, 1), form("tall", {5, 3}, -1),
       form("batch", {2, 3, 2}, 0), form("all", {2, 3}, INT64_MIN), form("rank 4", {2, 1, 2, 2}, 0),
       form("sizes of 1", {1, 1}, 0), form("empty", {0, 3}, 0)},
      {BAD(ShapeError, "triu: needs matrices, not f32[3]", triu(of(3))),
       BAD(ShapeError, "triu: needs matrices, not f32[]", triu(of())),
       BAD(OutOfMemory, "allocate:", triu(expand(of(1, 1), {Index{1} << 25, Index{1} << 25}))),
       BAD(GradError, "triu: x is undefined", triu(Tensor()))}};
}

Row diagonal_row() {
  const auto form = [](const std::string& name, const Sizes& from, Index offset, Index axis1,
                       Index axis2, const Sizes& to, Index row, Index column) {
    return sample(
        name, {in(from)}, [=](X x) { return diagonal(x[0], offset, axis1, axis2); },
        [=](B x) {
          return Block(to, [&](Place p) {
            const Index i = p.back();
            p.pop_back();
            const Index at_row = i + std::max<Index>(-offset, 0);
            const Index at_column = i + std::max<Index>(offset, 0);
            p = with(p, std::min(row, column), row < column ? at_row : at_column);
            return x[0](with(p, std::max(row, column), row < column ? at_column : at_row));
          });
        });
  };
  return {Op::diagonal,
          {form("square", {3, 3}, 0, 0, 1, {3}, 0, 1), form("above", {3, 5}, 1, 0, 1, {3}, 0, 1),
           form("below", {5, 3}, -2, 0, 1, {3}, 0, 1),
           form("axes the other way", {3, 5}, 1, -1, 0, {2}, 1, 0),
           form("batch", {2, 3, 5}, 0, -2, -1, {2, 3}, 1, 2),
           form("outer axes", {3, 2, 3}, 0, 0, 2, {2, 3}, 0, 2),
           form("sizes of 1", {1, 1}, 0, 0, 1, {1}, 0, 1),
           form("beyond the corner", {2, 3}, 99, 0, 1, {0}, 0, 1),
           form("empty", {0, 3}, 0, 0, 1, {0}, 0, 1)},
          {BAD(ShapeError, "diagonal: axes 1 and -1 of f32[3, 5] are the same",
               diagonal(of(3, 5), 0, 1, -1)),
           BAD(ShapeError, "diagonal: axis 1 is out of range for rank 1", diagonal(of(3))),
           BAD(ShapeError, "diagonal: axis 0 is out of range for rank 0", diagonal(of())),
           BAD(GradError, "diagonal: x is undefined", diagonal(Tensor()))}};
}

// diagonal()'s derivative; of square matrices it is diag_embed().
Row diagonal_scatter_row() {
  const auto form = [](const std::string& name, const Sizes& from, Index offset) {
    return sample(
        name, {in(from)}, [=](X x) { return diag_embed(x[0], offset); },
        [=](B x) {
          Sizes to = from;
          to.back() += std::abs(offset);
          to.push_back(to.back());
          Block out(to, [](const Place&) { return 0.0; });
          each_place(from, [&](Place p) {
            const double value = x[0](p);
            const Index i = p.back();
            p.back() = i + std::max<Index>(-offset, 0);
            p.push_back(i + std::max<Index>(offset, 0));
            out.at(p) = value;
          });
          return out;
        });
  };
  return {Op::diagonal_scatter,
          {form("vector", {5}, 0), form("above", {3}, 2), form("below", {3}, -1),
           form("batch", {2, 3}, 0), form("rank 3", {2, 3, 2}, 1), form("sizes of 1", {1}, 0),
           form("empty", {0}, 1)},
          {BAD(ShapeError, "diag_embed: axis -1 is out of range for rank 0", diag_embed(of())),
           BAD(ShapeError, "diag_embed: offset 9223372036854775807 overflows 64 bits",
               diag_embed(of(3), INT64_MAX)),
           BAD(ShapeError, "overflows 64 bits", diag_embed(of(3), INT64_MIN)),
           BAD(ShapeError, "overflows 64 bits", diag_embed(of(3), Index{1} << 40)),
           BAD(GradError, "diag_embed: x is undefined", diag_embed(Tensor()))}};
}

}  // namespace

std::vector<Row> triangle_rows() {
  return {tril_row(), triu_row(), diagonal_row(), diagonal_scatter_row()};
}

}  // namespace heed::table
