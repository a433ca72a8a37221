#include "sparse_rows.h"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

#include "kernels/elementwise/elementwise_simd.h"
#include "kernels/reduce/reduce_simd.h"
#include "parallel.h"

namespace heed {
namespace {

Index width_of(const Array& values) {
  return values.size(0) == 0 ? 0 : values.numel() / values.size(0);
}

template <class T>
void add_row(T* to, const T* from, Index width) {
  kernels::simd::elements<T>().binary(kernels::Binary::add, to, true, from, true, to,
                                      static_cast<std::size_t>(width));
}

// to = the sum of the rows of `from` that `order` names, `count` of them: in floats a few at a time
// as they are, which is off by at most 15 * 2^-24, and what comes of these in doubles, `sums`.
template <class T>
void sum_rows(const T* from, const Index* order, Index count, Index width, T* to,
              std::vector<double>& sums) {
  constexpr Index kFew = 16;
  const Index piece = std::is_same_v<T, double> ? count : kFew;
  if (count > piece) sums.assign(static_cast<std::size_t>(width), 0);
  for (Index first = 0; first < count; first += piece) {
    std::copy_n(from + order[first] * width, width, to);
    for (Index i = first + 1; i < std::min(count, first + piece); ++i) {
      add_row(to, from + order[i] * width, width);
    }
    if (count > piece) kernels::simd::reductions<T>().add_rows(to, width, 1, width, sums.data());
  }
  if (count <= piece) return;
  for (Index c = 0; c < width; ++c) to[c] = static_cast<T>(sums[static_cast<std::size_t>(c)]);
}

}  // namespace

SparseRows SparseRows::gather(const Array& ids, const Array& values, Index count) {
  const Index m = ids.numel();
  const Array flat = ids.contiguous();
  const auto* id = flat.data<std::int64_t>();
  // Places grouped by row, in their order: a counting sort where rows are few, else a stable sort.
  std::vector<Index> order(static_cast<std::size_t>(m));
  std::vector<Index> starts;
  std::vector<std::int64_t> rows;
  if (count <= 8 * m) {
    std::vector<Index> place(static_cast<std::size_t>(count) + 1, 0);
    for (Index i = 0; i < m; ++i) ++place[static_cast<std::size_t>(id[i]) + 1];
    for (Index row = 0; row < count; ++row) {
      const auto at = static_cast<std::size_t>(row);
      if (place[at + 1] > 0) {
        rows.push_back(row);
        starts.push_back(place[at]);
      }
      place[at + 1] += place[at];
    }
    for (Index i = 0; i < m; ++i)
      order[static_cast<std::size_t>(place[static_cast<std::size_t>(id[i])]++)] = i;
  } else {
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return id[a] < id[b]; });
    for (Index i = 0; i < m; ++i) {
      const std::int64_t row = id[order[static_cast<std::size_t>(i)]];
      if (rows.empty() || rows.back() != row) {
        rows.push_back(row);
        starts.push_back(i);
      }
    }
  }
  starts.push_back(m);
  const auto used = static_cast<Index>(rows.size());
  Shape shape = values.shape();
  shape[0] = used;
  Array sums = Array::empty(shape, values.dtype());
  shape[0] = count;
  const Array dense = values.contiguous();
  const Index width = width_of(dense);
  visit_floating("sparse_rows", values.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = dense.data<T>();
    T* to = sums.mutable_data<T>();
    parallel_for(
        used, std::max<Index>(1, 32768 / std::max<Index>(width, 1)), [&](Index begin, Index end) {
          std::vector<double> room;
          for (Index r = begin; r < end; ++r) {
            const Index first = starts[static_cast<std::size_t>(r)];
            const Index last = starts[static_cast<std::size_t>(r) + 1];
            sum_rows(from, order.data() + first, last - first, width, to + r * width, room);
          }
        });
  });
  return {Array::from(rows), sums, shape};
}

Array SparseRows::to_dense() const {
  Array out = Array::zeros(shape, dtype());
  add_into(out);
  return out;
}

void SparseRows::add_into(Array& to) const {
  const Index used = rows.numel();
  const Index width = width_of(values);
  const auto* row = rows.data<std::int64_t>();
  Array target = to.contiguous();
  visit_floating("sparse_rows", dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = values.data<T>();
    T* into = target.mutable_data<T>();
    parallel_for(used, std::max<Index>(1, 32768 / std::max<Index>(width, 1)),
                 [&](Index begin, Index end) {
                   for (Index r = begin; r < end; ++r)
                     add_row(into + row[r] * width, from + r * width, width);
                 });
  });
  to.bump_version();
}

SparseRows operator+(const SparseRows& a, const SparseRows& b) {
  const auto join = [](const Array& first, const Array& second) {
    Shape shape = first.shape();
    shape[0] += second.size(0);
    Array out = Array::empty(shape, first.dtype());
    const std::size_t head = static_cast<std::size_t>(first.numel()) * size_of(first.dtype());
    const std::size_t tail = static_cast<std::size_t>(second.numel()) * size_of(first.dtype());
    std::copy_n(first.raw(), head, out.mutable_raw());
    std::copy_n(second.raw(), tail, out.mutable_raw() + head);
    return out;
  };
  return SparseRows::gather(join(a.rows, b.rows), join(a.values, b.values), a.shape[0]);
}

}  // namespace heed
