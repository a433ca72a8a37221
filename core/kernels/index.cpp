#include "index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "../error.h"
#include "../parallel.h"
#include "../sparse_rows.h"
#include "iterate.h"

namespace heed::kernels {

void check_ids(const char* op, const Array& ids, Index count) {
  if (!ids.defined() || ids.dtype() != DType::i64) {
    throw DTypeError(fmt::format("{}: indices must be i64, not {}", op, describe(ids)));
  }
  const Walk<1> walk(ids.shape(), {&ids.strides()});
  const auto* id = ids.data<std::int64_t>();
  walk.run_here([&](const auto& at, Index n) {
    for (Index i = 0; i < n; ++i) {
      const std::int64_t value = id[at[0] + i * walk.inner_step(0)];
      if (value < 0 || value >= count) {
        throw IndexError(fmt::format("{}: index {} is out of range [0, {})", op, value, count));
      }
    }
  });
}

Array take_rows(const char* op, const Array& table, const Array& ids) {
  if (table.rank() == 0) throw ShapeError(fmt::format("{}: needs rank 1 or more, not rank 0", op));
  check_ids(op, ids, table.size(0));
  Shape shape = ids.shape();
  for (Index axis = 1; axis < table.rank(); ++axis) shape.push_back(table.shape()[axis]);
  Array out = Array::empty(shape, table.dtype());
  if (out.numel() == 0) return out;
  const Array rows = table.contiguous();
  const Array flat = ids.contiguous();
  const auto* id = flat.data<std::int64_t>();
  const Index width = rows.numel() / rows.size(0);
  const std::size_t bytes = static_cast<std::size_t>(width) * size_of(table.dtype());
  parallel_for(ids.numel(), std::max<Index>(1, kGrain / width), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      std::memcpy(out.mutable_raw() + static_cast<std::size_t>(i) * bytes,
                  rows.raw() + static_cast<std::size_t>(id[i]) * bytes, bytes);
    }
  });
  return out;
}

void add_rows(Array& to, const Array& ids, const Array& values) {
  if (ids.numel() == 0) return;
  Shape shape{ids.numel()};
  for (Index axis = 1; axis < to.rank(); ++axis) shape.push_back(to.shape()[axis]);
  SparseRows::gather(ids, values.reshape(shape), to.size(0)).add_into(to);
}

namespace {

void check_gather(const char* op, const Shape& shape, Index axis, const Array& index) {
  bool fits = index.rank() == shape.rank();
  for (Index a = 0; fits && a < shape.rank(); ++a) fits = a == axis || index.shape()[a] <= shape[a];
  if (!fits) {
    throw ShapeError(fmt::format("{}: index {} does not fit into {} beside axis {}", op,
                                 describe(index), to_string(shape), axis));
  }
}

}  // namespace

Array gather(const Array& x, Index axis, const Array& index) {
  axis = normalize_axis("gather", axis, x.rank());
  check_ids("gather", index, x.size(axis));
  check_gather("gather", x.shape(), axis, index);
  Array out = Array::empty(index.shape(), x.dtype());
  Strides steps = x.strides();
  steps[axis] = 0;
  const Walk<3> walk(index.shape(), {&out.strides(), &index.strides(), &steps});
  const auto* id = index.data<std::int64_t>();
  const Index along = x.strides()[axis];
  visit_dtype(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = x.data<T>();
    T* to = out.mutable_data<T>();
    walk.run([&](const auto& at, Index n) {
      for (Index i = 0; i < n; ++i) {
        to[at[0] + i * walk.inner_step(0)] =
            from[at[2] + i * walk.inner_step(2) + id[at[1] + i * walk.inner_step(1)] * along];
      }
    });
  });
  return out;
}

Array scatter_add(const Shape& shape, Index axis, const Array& index, const Array& values) {
  axis = normalize_axis("scatter_add", axis, shape.rank());
  check_ids("scatter_add", index, shape[axis]);
  check_gather("scatter_add", shape, axis, index);
  if (!(values.shape() == index.shape())) {
    throw ShapeError(fmt::format("scatter_add: values {} and index {} must have one shape",
                                 describe(values), describe(index)));
  }
  Array out = Array::zeros(shape, values.dtype());
  Strides steps = out.strides();
  steps[axis] = 0;
  const Walk<3> walk(index.shape(), {&steps, &index.strides(), &values.strides()});
  const auto* id = index.data<std::int64_t>();
  const Index along = out.strides()[axis];
  visit_floating("scatter_add", values.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = values.data<T>();
    T* to = out.mutable_data<T>();
    // In order on one thread: several places may add into one.
    walk.run_here([&](const auto& at, Index n) {
      for (Index i = 0; i < n; ++i) {
        to[at[0] + i * walk.inner_step(0) + id[at[1] + i * walk.inner_step(1)] * along] +=
            from[at[2] + i * walk.inner_step(2)];
      }
    });
  });
  return out;
}

Array one_hot(const Array& ids, Index classes, DType dtype) {
  Shape shape = ids.shape();
  shape.push_back(classes);
  Array out = Array::zeros(shape, dtype);
  const Array flat = ids.contiguous();
  const auto* id = flat.data<std::int64_t>();
  visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    T* to = out.mutable_data<T>();
    for (Index i = 0; i < flat.numel(); ++i) to[i * classes + id[i]] = T{1};
  });
  return out;
}

}  // namespace heed::kernels
