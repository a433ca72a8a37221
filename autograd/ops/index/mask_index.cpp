#include "mask_index.h"

#include <fmt/format.h>

#include "../../../core/error.h"
#include "../../../core/kernels/index/index_places.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"
#include "../shape/shape.h"
#include "index.h"

namespace heed {
namespace {

kernels::LeadingPlaces places_of(const char* op, const Tensor& x,
                                 const std::vector<Tensor>& indices) {
  check_defined(op, x, "x");
  check_defined(op, indices, "indices");
  std::vector<Array> arrays;
  arrays.reserve(indices.size());
  for (const Tensor& index : indices) arrays.push_back(index.array());
  return kernels::leading_places(op, x.shape(), arrays);
}

// `lead` and then what follows the indexed axes.
Shape followed(Shape lead, const Shape& shape, Index axes) {
  for (Index axis = axes; axis < shape.rank(); ++axis) lead.push_back(shape[axis]);
  return lead;
}

// x [count, ...] with values [n, ...] at rows [n]: what stays of x gets its gradient, and of the
// values those that stay.
Tensor put_rows(const Tensor& x, const Tensor& rows, const Tensor& values) {
  Array out = kernels::put_rows(x.array(), rows.array(), values.array());
  say("index", rows.array());
  return record(
      Op::index_put, std::move(out), {x, values},
      [rows, shape = values.shape()](const Tensor& g) {
        return put_rows(g, rows, zeros(shape, g.dtype()));
      },
      [rows, count = x.size(0)](const Tensor& g) {
        const Tensor read = index_select(g, 0, rows);
        Shape column = Shape::filled(read.rank(), 1);
        column[0] = rows.numel();
        const Tensor stays = reshape(kernels::last_of_equals(rows.array(), count), column);
        return where(stays, read, tensor(0, g.dtype()));
      });
}

}  // namespace

Tensor index(const Tensor& x, const std::vector<Tensor>& indices) {
  const auto [rows, axes, count] = places_of("index", x, indices);
  const Tensor table = reshape(x, followed({count}, x.shape(), axes));
  if (x.dtype() != DType::bf16) return embedding(table, rows);
  const Tensor taken = index_select(table, 0, rows.reshape(Shape{rows.numel()}));  // stays bf16
  return reshape(taken, followed(rows.shape(), x.shape(), axes));
}

Tensor index_put(const Tensor& x, const std::vector<Tensor>& indices, const Tensor& values,
                 bool accumulate) {
  check_defined("index_put", values, "values");
  const auto [rows, axes, count] = places_of("index_put", x, indices);
  if (values.dtype() != x.dtype()) {
    throw DTypeError(fmt::format("index_put: dtypes differ: x is {}, values are {}", describe(x),
                                 describe(values)));
  }
  if (accumulate) check_floating("index_put", x.dtype());
  const Shape fits = followed(rows.shape(), x.shape(), axes);
  if (!(broadcast_shapes("index_put", values.shape(), fits) == fits)) {
    throw ShapeError(fmt::format("index_put: values {} do not broadcast to {}", describe(values),
                                 to_string(fits)));
  }
  const Tensor flat = rows.reshape(Shape{rows.numel()});
  const Tensor written = reshape(expand(values, fits), followed({rows.numel()}, x.shape(), axes));
  const Tensor table = reshape(x, followed({count}, x.shape(), axes));
  const Tensor out =
      accumulate ? index_add(table, 0, flat, written) : put_rows(table, flat, written);
  return reshape(out, x.shape());
}

Tensor masked_select(const Tensor& x, const Tensor& mask) {
  check_defined("masked_select", x, "x", mask, "mask");
  check_mask("masked_select", mask);
  const Shape shape = broadcast_shapes("masked_select", x.shape(), mask.shape());
  const Shape line{shape.numel()};
  const Array places = kernels::nonzero(mask.array().expand(shape).reshape(line));
  return gather(reshape(expand(x, shape), line), 0, places.select(1, 0));
}

Tensor nonzero(const Tensor& x) {
  check_defined("nonzero", x, "x");
  return kernels::nonzero(x.array());
}

}  // namespace heed
