#include "segment.h"

#include <algorithm>

#include "../../parallel.h"
#include "../elementwise/copy.h"
#include "../elementwise/iterate.h"

namespace heed::kernels {
namespace {

Shape with_rows(Index rows, Shape shape) {
  shape[0] = rows;
  return shape;
}

// Calls body(b, first, last) for every segment, in parallel; each place costs `width`.
template <class Body>
void each_segment(const std::vector<Index>& offsets, Index width, const Body& body) {
  const Index count = static_cast<Index>(offsets.size()) - 1;
  const Index work = std::max<Index>(1, offsets.back() / std::max<Index>(1, count) * width);
  parallel_for(count, std::max<Index>(1, kGrain / work), [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      body(b, offsets[static_cast<std::size_t>(b)], offsets[static_cast<std::size_t>(b) + 1]);
    }
  });
}

}  // namespace

Array reduce_segments(Reduce op, const Array& x, const std::vector<Index>& offsets) {
  const Index count = static_cast<Index>(offsets.size()) - 1;
  Array out = Array::zeros(with_rows(count, x.shape()), x.dtype());
  if (out.numel() == 0) return out;
  each_segment(offsets, out.numel() / count, [&](Index b, Index first, Index last) {
    if (first == last) return;
    Array to = out.select(0, b);
    copy_into(to, reduce(op, x.slice(0, first, last), {0}, false));
  });
  return out;
}

Array repeat_segments(const Array& x, const std::vector<Index>& offsets) {
  Array out = Array::empty(with_rows(offsets.back(), x.shape()), x.dtype());
  if (out.numel() == 0) return out;
  const Array rows = x.contiguous();
  const Index width = rows.numel() / rows.size(0);
  const std::size_t bytes = static_cast<std::size_t>(width) * size_of(x.dtype());
  each_segment(offsets, width, [&](Index b, Index first, Index last) {
    const std::byte* const from = rows.raw() + static_cast<std::size_t>(b) * bytes;
    for (Index i = first; i < last; ++i) {
      std::copy_n(from, bytes, out.mutable_raw() + static_cast<std::size_t>(i) * bytes);
    }
  });
  return out;
}

}  // namespace heed::kernels
