#include "cumulative.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "../../error.h"
#include "../elementwise/iterate.h"

namespace heed::kernels {
namespace {

// One operand of a scan: step to the next place of the axis, and from one chain to the next.
template <class T>
struct Steps {
  T* at;
  Index along, across;
};

// h_t = a_t h_{t-1} + b_t for kChains chains side by side: each waits for its own last sum only.
// Integers wrap around.
template <int kChains, bool scaled, class T>
void scan_chains(Steps<const T> a, Steps<const T> b, Steps<T> to, Index size) {
  using State = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;
  State state[kChains] = {};
  for (Index t = 0; t < size; ++t) {
    for (int i = 0; i < kChains; ++i) {
      const auto value = static_cast<State>(b.at[t * b.along + i * b.across]);
      if constexpr (scaled) {
        const auto scale = static_cast<State>(a.at[t * a.along + i * a.across]);
        state[i] = t == 0 ? value : scale * state[i] + value;
      } else {
        state[i] = t == 0 ? value : state[i] + value;  // not 0 + value: -0 stays
      }
      to.at[t * to.along + i * to.across] = static_cast<T>(state[i]);
    }
  }
}

// a_t = 1 where `a` is null. Several neighbours of a long axis run side by side, so that memory is
// read in order whichever axis it is.
template <bool scaled, class T>
Array scan(const Array& a, const Array& b, Index axis, bool reverse) {
  Array out = Array::empty(b.shape(), b.dtype());
  const Index size = b.shape()[axis];
  if (out.numel() == 0) return out;
  Shape others = b.shape();
  others[axis] = 1;
  const Walk<3> walk(others, {&out.strides(), &a.strides(), &b.strides()});
  const Index end = reverse ? size - 1 : 0, way = reverse ? -1 : 1;
  const auto steps = [&](const Array& x, auto* data, std::size_t k) {
    const Index along = x.strides()[axis];
    return Steps<std::remove_pointer_t<decltype(data)>>{data + end * along, way * along,
                                                        walk.inner_step(k)};
  };
  const auto from_a = steps(a, a.template data<T>(), 1);
  const auto from_b = steps(b, b.template data<T>(), 2);
  const auto to = steps(out, out.template mutable_data<T>(), 0);
  const auto run = [&](const auto& at, Index n, auto scan_some, Index first, Index count) {
    for (; first + count <= n; first += count) {
      const auto moved = [&](auto from, std::size_t k) {
        from.at += at[k] + first * from.across;
        return from;
      };
      scan_some(moved(from_a, 1), moved(from_b, 2), moved(to, 0), size);
    }
    return first;
  };
  const bool along_rows = out.strides()[axis] == 1;
  walk.run(
      [&](const auto& at, Index n) {
        Index done = 0;
        if (!along_rows) done = run(at, n, scan_chains<64, scaled, T>, done, 64);
        done = run(at, n, scan_chains<8, scaled, T>, done, 8);
        run(at, n, scan_chains<1, scaled, T>, done, 1);
      },
      along_rows ? size : std::min(size, kGrain / 512));
  return out;
}

}  // namespace

Array cumsum(const Array& x, Index axis, bool reverse) {
  axis = normalize_axis("cumsum", axis, x.rank());
  if (x.dtype() == DType::i64) return scan<false, std::int64_t>(x, x, axis, reverse);
  return visit_floating("cumsum", x.dtype(), [&](auto zero) {
    return scan<false, decltype(zero)>(x, x, axis, reverse);
  });
}

Array linear_scan(const Array& a, const Array& b, Index axis, bool reverse) {
  axis = normalize_axis("linear_scan", axis, b.rank());
  if (!(a.shape() == b.shape())) {
    throw ShapeError(
        fmt::format("linear_scan: a {} and b {} must have one shape", describe(a), describe(b)));
  }
  if (a.dtype() != b.dtype()) {
    throw DTypeError(
        fmt::format("linear_scan: dtypes differ: a is {}, b is {}", describe(a), describe(b)));
  }
  return visit_floating("linear_scan", b.dtype(),
                        [&](auto zero) { return scan<true, decltype(zero)>(a, b, axis, reverse); });
}

}  // namespace heed::kernels
