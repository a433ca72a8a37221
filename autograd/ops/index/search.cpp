#include "search.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../core/error.h"
#include "../../check_defined.h"
#include "../elementwise/elementwise.h"
#include "../reduce/reduce.h"
#include "../shape/shape.h"
#include "index.h"
#include "sort.h"

namespace heed {

UniqueCounts unique_with_counts(const Tensor& x) {
  check_defined("unique", x, "x");
  const Tensor flat = reshape(x.detach(), Shape{x.numel()});
  const Tensor order = argsort(flat);
  const Tensor sorted = index_select(flat, 0, order);
  const auto at = order.array().to_vector<std::int64_t>();
  std::vector<std::int64_t> firsts, counts, inverse(at.size());
  std::vector<bool> next;  // whether a new value begins
  if (x.numel() > 0) {
    next = (slice(sorted, 0, 1, x.numel()) != slice(sorted, 0, 0, x.numel() - 1))
               .array()
               .to_vector<bool>();
  }
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (i == 0 || next[i - 1]) {
      firsts.push_back(static_cast<Index>(i));
      counts.push_back(0);
    }
    ++counts.back();
    inverse[static_cast<std::size_t>(at[i])] = static_cast<Index>(firsts.size()) - 1;
  }
  return {index_select(sorted, 0, Tensor(Array::from(firsts))),
          Tensor(Array::from(inverse, x.shape())), Tensor(Array::from(counts))};
}

Tensor unique(const Tensor& x) { return unique_with_counts(x).values; }

Tensor bincount(const Tensor& x, Index minlength) {
  check_defined("bincount", x, "x");
  if (x.dtype() != DType::i64) {
    throw DTypeError(fmt::format("bincount: takes i64, not {}", describe(x)));
  }
  if (x.rank() != 1) throw ShapeError(fmt::format("bincount: takes [n], not {}", describe(x)));
  if (minlength < 0) throw ValueError(fmt::format("bincount: minlength {} is negative", minlength));
  const auto values = x.array().to_vector<std::int64_t>();
  Index length = minlength;
  for (const Index value : values) {
    if (value < 0) throw ValueError(fmt::format("bincount: {} is negative", value));
    length = std::max(length, value == INT64_MAX ? value : value + 1);
  }
  Array out = Array::zeros({length}, DType::i64);
  std::int64_t* const count = out.mutable_data<std::int64_t>();
  for (const Index value : values) ++count[value];
  return out;
}

Tensor bucketize(const Tensor& x, const Tensor& boundaries, bool right) {
  check_defined("bucketize", x, "x", boundaries, "boundaries");
  if (x.dtype() != boundaries.dtype()) {
    throw DTypeError(fmt::format("bucketize: dtypes differ: x is {}, boundaries are {}",
                                 describe(x), describe(boundaries)));
  }
  if (boundaries.rank() != 1) {
    throw ShapeError(
        fmt::format("bucketize: boundaries must be [n], not {}", describe(boundaries)));
  }
  const Array from = x.array().contiguous();
  const Array bounds = boundaries.array().contiguous();
  Array out = Array::empty(x.shape(), DType::i64);
  std::int64_t* const to = out.mutable_data<std::int64_t>();
  visit_dtype(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* const value = from.data<T>();
    const T* const begin = bounds.data<T>();
    const T* const end = begin + bounds.numel();
    // NaN stands behind all numbers, as in sort().
    const auto before = [](T a, T b) { return a < b || (b != b && a == a); };
    for (Index i = 0; i < out.numel(); ++i) {
      to[i] = (right ? std::upper_bound(begin, end, value[i], before)
                     : std::lower_bound(begin, end, value[i], before)) -
              begin;
    }
  });
  return out;
}

Tensor searchsorted(const Tensor& boundaries, const Tensor& x, bool right) {
  return bucketize(x, boundaries, right);
}

Tensor count_nonzero(const Tensor& x, const Axes& axes) {
  check_defined("count_nonzero", x, "x");
  return sum(Tensor(x.array().to(DType::boolean)), axes);
}

}  // namespace heed
