#include "index.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "../../../core/error.h"
#include "../../../core/kernels/elementwise/copy.h"
#include "../../../core/kernels/elementwise/elementwise.h"
#include "../../../core/kernels/index/index.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../computed.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"
#include "../shape/shape.h"

namespace heed {
namespace {

// i64 indices in [0, count) of rank 1, as many as values has places on the axis (when given).
void check_index(const char* op, const Tensor& index, Index count) {
  if (index.rank() != 1) {
    throw ShapeError(fmt::format("{}: the index must have rank 1, not {}", op, describe(index)));
  }
  kernels::check_ids(op, index.array(), count);
}

Shape rows_shape(const Tensor& ids, const Shape& table) {
  Shape shape{ids.numel()};
  for (Index axis = 1; axis < table.rank(); ++axis) shape.push_back(table[axis]);
  return shape;
}

// The values that are held for `row`, if it is there, become zeros.
void clear_row(SparseRows& sparse, Index row) {
  const auto* first = sparse.rows.data<std::int64_t>();
  const auto* last = first + sparse.rows.numel();
  const auto* found = std::lower_bound(first, last, row);
  if (found == last || *found != row) return;
  Array values = sparse.values.select(0, found - first);
  kernels::fill(values, 0);
}

// bool [V, 1, ..]: true at `row`.
Tensor only_row(Index row, const Shape& table) {
  Shape shape = Shape::filled(table.rank(), 1);
  shape[0] = table[0];
  Array out = Array::zeros(shape, DType::boolean);
  out.mutable_data<bool>()[row] = true;
  return out;
}

// Zeros of `shape`, plus rows of g at `index` along the axis.
Tensor spread(const Shape& shape, Index axis, const Tensor& index, const Tensor& g) {
  if (recording() || axis != 0) return index_add(zeros(shape, g.dtype()), axis, index, g);
  Array out = Array::zeros(shape, g.dtype());
  kernels::add_rows(out, index.array(), g.array());
  return out;
}

}  // namespace

// gw = zeros; gw[ids] += g; gw[padding] = 0. Only the rows used are held, unless that is to be
// differentiated again.
Tensor embedding(const Tensor& weight, const Tensor& ids, bool sparse, Index padding) {
  check_defined("embedding", weight, "weight", ids, "ids");
  if (weight.dtype() == DType::i64 && is_floating(ids.dtype())) {
    return embedding(ids, weight, sparse, padding);
  }
  Array out = kernels::take_rows("embedding", weight.array(), ids.array());
  out = out.widened();
  if (padding < -1 || padding >= weight.size(0)) {
    throw ValueError(
        fmt::format("embedding: padding {} is not in [-1, {})", padding, weight.size(0)));
  }
  say("ids", ids.array());
  return record(Op::embedding, out, {weight},
                [ids = Saved(ids), shape = weight.shape(), sparse, padding](const Tensor& g) {
                  const Tensor rows = reshape(g, rows_shape(ids(), shape));
                  if (sparse && !recording()) {
                    SparseRows used = SparseRows::gather(ids.array(), rows.array(), shape[0]);
                    clear_row(used, padding);
                    return Tensor(std::move(used));
                  }
                  const Tensor all = spread(shape, 0, reshape(ids(), Shape{ids().numel()}), rows);
                  return padding < 0 ? all
                                     : where(only_row(padding, shape), tensor(0, g.dtype()), all);
                });
}

Tensor index_select(const Tensor& x, Index axis, const Tensor& index) {
  check_defined("index_select", x, "x", index, "index");
  const Index place = normalize_axis("index_select", axis, x.rank());
  check_index("index_select", index, x.size(place));
  const Array moved = x.array().transpose(0, place);
  Array out =
      kernels::take_rows("index_select", moved, index.array()).transpose(0, place).contiguous();
  say("axis", place, "index", index.array());
  return record(Op::index_select, out, {x},
                [index = Saved(index), place, shape = x.shape()](const Tensor& g) {
                  return spread(shape, place, index(), g);
                });
}

Tensor index_add(const Tensor& x, Index axis, const Tensor& index, const Tensor& values) {
  check_defined("index_add", x, "x", index, "index", values, "values");
  const Index place = normalize_axis("index_add", axis, x.rank());
  check_index("index_add", index, x.size(place));
  check_floating("index_add", x.dtype());
  Shape fits = x.shape();
  fits[place] = index.numel();
  if (values.dtype() != x.dtype()) {
    throw DTypeError(fmt::format("index_add: dtypes differ: x is {}, values are {}", describe(x),
                                 describe(values)));
  }
  if (!(values.shape() == fits)) {
    throw ShapeError(fmt::format(
        "index_add: values are {}, but {} at {} places of axis {} take {}{}", describe(values),
        describe(x), index.numel(), place, name(x.dtype()), to_string(fits)));
  }
  Array out = x.array().transpose(0, place).clone();
  kernels::add_rows(out, index.array(), values.array().transpose(0, place).contiguous());
  say("axis", place, "index", index.array());
  return record(
      Op::index_add, out.transpose(0, place).contiguous(), {x, values},
      [](const Tensor& g) { return g; },
      [index = Saved(index), place](const Tensor& g) { return index_select(g, place, index()); });
}

Tensor gather(const Tensor& x, Index axis, const Tensor& index) {
  check_defined("gather", x, "x", index, "index");
  Array out = kernels::gather(x.array(), axis, index.array());
  say("axis", axis, "index", index.array());
  return record(Op::gather, std::move(out), {x},
                [index = Saved(index), axis, shape = x.shape()](const Tensor& g) {
                  if (recording()) return scatter_add(zeros(shape, g.dtype()), axis, index(), g);
                  Array gx = Array::zeros(shape, g.dtype());
                  kernels::scatter_add_into(gx, axis, index.array(), g.array());
                  return Tensor(gx);
                });
}

Tensor scatter_add(const Tensor& x, Index axis, const Tensor& index, const Tensor& values) {
  check_defined("scatter_add", x, "x", index, "index", values, "values");
  Array out = x.array().clone();
  kernels::scatter_add_into(out, axis, index.array(), values.array());
  say("axis", axis, "index", index.array());
  return record(
      Op::scatter_add, out, {x, values}, [](const Tensor& g) { return g; },
      [index = Saved(index), axis](const Tensor& g) { return gather(g, axis, index()); });
}

Tensor take_along(const Tensor& x, const Tensor& index, Index axis) {
  check_defined("take_along", x, "x", index, "index");
  const Index place = normalize_axis("take_along", axis, x.rank());
  if (index.rank() != x.rank()) {
    throw ShapeError(fmt::format("take_along: ranks differ: x is {}, the index is {}", describe(x),
                                 describe(index)));
  }
  kernels::check_ids("take_along", index.array(), x.size(place));
  Shape from = x.shape(), at = index.shape();
  from[place] = at[place] = 1;
  from = at = broadcast_shapes("take_along", from, at);
  from[place] = x.size(place);
  at[place] = index.size(place);
  return gather(expand(x, from), place, expand(index, at));
}

Tensor one_hot(const Tensor& ids, Index classes, DType dtype) {
  check_defined("one_hot", ids, "ids");
  const Array flat = ids.array().contiguous();
  if (flat.dtype() != DType::i64) {
    throw DTypeError(fmt::format("one_hot: indices must be i64, not {}", describe(flat)));
  }
  if (classes == -1 && flat.numel() > 0) {
    const auto* id = flat.data<std::int64_t>();
    classes = std::clamp<Index>(*std::max_element(id, id + flat.numel()), 0,
                                std::numeric_limits<Index>::max() - 1) +
              1;
  }
  if (classes < 1) {
    throw ValueError(fmt::format("one_hot: {} classes for {}", classes, describe(ids)));
  }
  kernels::check_ids("one_hot", flat, classes);
  say("classes", classes);
  return computed("one_hot", kernels::one_hot(flat, classes, dtype), {ids});
}

}  // namespace heed
