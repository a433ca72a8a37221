#include "variance.h"

#include <algorithm>

#include "../../parallel.h"
#include "reduce.h"
#include "variance_simd.h"

namespace heed::kernels {
namespace {

constexpr Index kPiece = 65536;  // numbers of a row that are one piece

template <class T>
void variance_rows(const T* x, Index rows, Index n, double over, T* to) {
  const auto write = [&](Index row, const simd::Spread& all) {
    to[row] = static_cast<T>(all.squares / over);
  };
  if (n <= kPiece) {
    parallel_for(rows, std::max<Index>(1, kPiece / 2 / n), [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r) write(r, simd::variances<T>().spread(x + r * n, n));
    });
    return;
  }
  const Index pieces = (n - 1) / kPiece + 1;
  std::vector<simd::Spread> parts(static_cast<std::size_t>(rows * pieces));
  parallel_for(rows * pieces, 1, [&](Index begin, Index end) {
    for (Index p = begin; p < end; ++p) {
      const Index first = p % pieces * kPiece;
      parts[static_cast<std::size_t>(p)] =
          simd::variances<T>().spread(x + p / pieces * n + first, std::min(kPiece, n - first));
    }
  });
  for (Index r = 0; r < rows; ++r) {
    simd::Spread all;
    for (Index p = 0; p < pieces; ++p) all.add(parts[static_cast<std::size_t>(r * pieces + p)]);
    write(r, all);
  }
}

}  // namespace

bool has_variance(const Array& x, const std::vector<Index>& axes) {
  if (x.numel() == 0 || !x.is_contiguous() || axes.empty()) return false;
  if (x.dtype() != DType::f32 && x.dtype() != DType::f64) return false;
  // The axes are the last ones.
  return axes.front() + static_cast<Index>(axes.size()) == x.rank();
}

Array variance(const Array& x, const std::vector<Index>& axes, double over, bool keepdim) {
  return visit_floating("var", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    Array out = Array::empty(reduced_shape(x.shape(), axes, keepdim), x.dtype());
    variance_rows(x.data<T>(), out.numel(), x.numel() / out.numel(), over, out.mutable_data<T>());
    return out;
  });
}

}  // namespace heed::kernels
