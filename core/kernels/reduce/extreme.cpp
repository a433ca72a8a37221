#include "extreme.h"

#include <algorithm>
#include <limits>

#include "../../parallel.h"
#include "../elementwise/iterate.h"

namespace heed::kernels {
namespace {

template <class T>
void share(const T* x, T top, T g, Index n, T* out) {
  Index equal = 0;
  for (Index i = 0; i < n; ++i) equal += x[i] == top ? 1 : 0;
  const T each = g / static_cast<T>(equal);
  const T other = equal == 0 ? std::numeric_limits<T>::quiet_NaN() : T{0};  // the top is NaN
  for (Index i = 0; i < n; ++i) out[i] = x[i] == top ? each : other;
}

// The same for rows of two, without a division.
template <class T>
void share_pairs(const T* x, const T* top, const T* g, Index begin, Index end, T* out) {
  for (Index row = begin; row < end; ++row) {
    const bool first = x[2 * row] == top[row];
    const bool second = x[2 * row + 1] == top[row];
    const T each = first && second ? g[row] / 2 : g[row];
    const T other = first || second ? T{0} : std::numeric_limits<T>::quiet_NaN();
    out[2 * row] = first ? each : other;
    out[2 * row + 1] = second ? each : other;
  }
}

}  // namespace

Array extreme_grad(const Array& x, const Array& top, const Array& g) {
  Array out = Array::empty(x.shape(), x.dtype());
  const Index rows = top.numel();
  if (x.numel() == 0) return out;
  const Index n = x.numel() / rows;
  const Array tops = top.contiguous();
  const Array gradients = g.contiguous();
  visit_floating("amax", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* const from = x.data<T>();
    const T* const best = tops.data<T>();
    const T* const given = gradients.data<T>();
    T* const to = out.mutable_data<T>();
    parallel_for(rows, std::max<Index>(1, kGrain / n), [&](Index begin, Index end) {
      if (n == 2) return share_pairs(from, best, given, begin, end, to);  // maxout, mostly
      for (Index row = begin; row < end; ++row) {
        share(from + row * n, best[row], given[row], n, to + row * n);
      }
    });
  });
  return out;
}

}  // namespace heed::kernels
