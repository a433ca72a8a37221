#include "index.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "../../error.h"
#include "../../parallel.h"
#include "../../sparse_rows.h"
#include "../elementwise/copy.h"
#include "../elementwise/iterate.h"

namespace heed::kernels {

namespace {

// Whether any of n ids is not in [0, count): one below 0 or above last - id has its highest bit
// set in one of them.
bool strays(const std::int64_t* id, Index step, Index n, Index count) {
  const auto last = static_cast<std::uint64_t>(count - 1);
  std::uint64_t bits = 0;
  const auto look = [&](std::int64_t place) {
    const auto value = static_cast<std::uint64_t>(place);
    bits |= value | (last - value);
  };
  if (step == 1) {
    for (Index i = 0; i < n; ++i) look(id[i]);
  } else {
    for (Index i = 0; i < n; ++i) look(id[i * step]);
  }
  return bits >> 63 != 0;
}

// body(i, place) for n neighbouring places up to the first that is not in [0, count); whether there
// is one.
template <class Body>
bool each_place(const std::int64_t* places, Index n, Index count, const Body& body) {
  for (Index i = 0; i < n; ++i) {
    const auto place = static_cast<std::uint64_t>(places[i]);
    if (place >= static_cast<std::uint64_t>(count)) return true;
    body(i, place);
  }
  return false;
}

void check_i64(const char* op, const Array& ids) {
  if (ids.defined() && ids.dtype() == DType::i64) return;
  throw DTypeError(fmt::format("{}: indices must be i64, not {}", op, describe(ids)));
}

}  // namespace

void check_ids(const char* op, const Array& ids, Index count) {
  check_i64(op, ids);
  const Walk<1> walk(ids.shape(), {&ids.strides()});
  const auto* id = ids.data<std::int64_t>();
  std::atomic<bool> wrong = false;
  walk.run([&](const auto& at, Index n) {
    if (strays(id + at[0], walk.inner_step(0), n, count)) wrong = true;
  });
  if (!wrong) return;
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

constexpr Index kGatherCost = 4;

void check_gather(const char* op, const Shape& shape, Index axis, const Array& index) {
  bool fits = index.rank() == shape.rank();
  for (Index a = 0; fits && a < shape.rank(); ++a) fits = a == axis || index.shape()[a] <= shape[a];
  if (!fits) {
    throw ShapeError(fmt::format("{}: index {} does not fit into {} beside axis {}", op,
                                 describe(index), to_string(shape), axis));
  }
}

// to += values at index, as scatter_add_into(); whether an index strays.
template <class To, class From>
bool add_at(Array& to, Index axis, const Array& index, const Array& values) {
  // Several places may add into one, in order: pieces are cut across the axis, along another one.
  Index other = -1;
  for (Index a = 0; a < to.rank(); ++a) {
    if (a != axis && (other < 0 || index.shape()[a] > index.shape()[other])) other = a;
  }
  std::atomic<bool> wrong = false;
  const Index along = to.strides()[axis], count = to.size(axis);
  To* target = to.mutable_data<To>();
  const auto add = [&](const Array& ids, const Array& from, Index offset) {
    Strides steps = to.strides();
    steps[axis] = 0;
    const Walk<3> walk(ids.shape(), {&steps, &ids.strides(), &from.strides()});
    const auto* id = ids.data<std::int64_t>();
    const From* x = from.data<From>();
    const Index step = walk.inner_step(1), beside = walk.inner_step(0);
    const Index x_step = walk.inner_step(2);
    walk.run_here([&](const auto& at, Index n) {
      To* row = target + offset + at[0];
      const auto* place = id + at[1];
      const From* value = x + at[2];
      if (step == 1 && x_step == 1 && beside == 0 && along == 1) {
        const auto put = [&](Index i, std::uint64_t to_place) { row[to_place] += To{value[i]}; };
        if (each_place(place, n, count, put)) wrong = true;
        return;
      }
      if (strays(place, step, n, count)) {
        wrong = true;
        return;
      }
      if (step == 1 && x_step == 1 && beside == 0) {
        for (Index i = 0; i < n; ++i) row[place[i] * along] += To{value[i]};
      } else {
        for (Index i = 0; i < n; ++i) {
          row[i * beside + place[i * step] * along] += To{value[i * x_step]};
        }
      }
    });
  };
  if (other < 0 || index.numel() * kGatherCost <= kAlone) {
    add(index, values, 0);
    return wrong;
  }
  const Index size = index.shape()[other];
  const Index least = to.strides()[other] == 1 ? 16 : 1;  // of neighbours in a cache line
  const Index grain = std::max(least, kGrain / kGatherCost / (index.numel() / size));
  parallel_for(size, grain, [&](Index begin, Index end) {
    add(index.slice(other, begin, end), values.slice(other, begin, end),
        begin * to.strides()[other]);
  });
  return wrong;
}

// Floats of which many meet in one place are added up in doubles.
bool add_many_at(Array& to, Index axis, const Array& index, const Array& values) {
  Array part = to;
  for (Index a = 0; a < to.rank(); ++a) {
    if (a != axis) part = part.slice(a, 0, index.shape()[a]);
  }
  Array sums = part.to(DType::f64);
  if (add_at<double, float>(sums, axis, index, values)) return true;
  copy_into(part, sums);
  return false;
}

}  // namespace

Array gather(const Array& x, Index axis, const Array& index) {
  axis = normalize_axis("gather", axis, x.rank());
  check_i64("gather", index);
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
    const Index step = walk.inner_step(1), beside = walk.inner_step(2), count = x.size(axis);
    std::atomic<bool> wrong = false;
    walk.run(
        [&](const auto& at, Index n) {
          T* y = to + at[0];  // out is contiguous: so are its runs
          const auto* place = id + at[1];
          const T* row = from + at[2];
          if (step == 1 && beside == 0 && along == 1) {
            const auto take = [&](Index i, std::uint64_t from_place) { y[i] = row[from_place]; };
            if (each_place(place, n, count, take)) wrong = true;
            return;
          }
          if (strays(place, step, n, count)) {
            wrong = true;
            return;
          }
          for (Index i = 0; i < n; ++i) y[i] = row[i * beside + place[i * step] * along];
        },
        kGatherCost);
    if (wrong) check_ids("gather", index, count);
  });
  return out;
}

void scatter_add_into(Array& to, Index axis, const Array& index, const Array& values) {
  axis = normalize_axis("scatter_add", axis, to.rank());
  check_i64("scatter_add", index);
  check_gather("scatter_add", to.shape(), axis, index);
  if (!(values.shape() == index.shape())) {
    throw ShapeError(fmt::format("scatter_add: values {} and index {} must have one shape",
                                 describe(values), describe(index)));
  }
  if (values.dtype() != to.dtype()) {
    throw DTypeError(fmt::format("scatter_add: dtypes differ: x is {}, values are {}", describe(to),
                                 describe(values)));
  }
  constexpr Index kMany = 16;  // sources of a place, on average: fewer are not worth the doubles
  const bool many = to.dtype() == DType::f32 && index.size(axis) / kMany >= to.size(axis);
  const bool wrong = many
                         ? add_many_at(to, axis, index, values)
                         : visit_floating("scatter_add", to.dtype(), [&](auto zero) {
                             return add_at<decltype(zero), decltype(zero)>(to, axis, index, values);
                           });
  to.bump_version();
  if (wrong) check_ids("scatter_add", index, to.size(axis));
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
