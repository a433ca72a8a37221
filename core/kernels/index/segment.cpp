#include "segment.h"

#include <algorithm>

#include "../../parallel.h"
#include "../elementwise/copy.h"
#include "../elementwise/iterate.h"
#include "../normalise/softmax_columns_simd.h"

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

// Sums of a few rows each, as the edges of a graph's nodes are: no view is made of any.
template <class T>
void sum_rows(const T* x, T* to, Index rows, Index width) {
  for (Index c = 0; c < width; ++c) {
    double total = 0;
    for (Index i = 0; i < rows; ++i) total += double{x[i * width + c]};
    to[c] = static_cast<T>(total);
  }
}

// Calls body(at, rows, columns) for each segment of x [N, width], a strip of columns at a time.
template <class Body>
void each_segment_strip(const Array& x, const std::vector<Index>& offsets, const Body& body) {
  const Index width = x.numel() / x.size(0);
  each_segment(offsets, 8 * width, [&](Index, Index first, Index last) {
    if (first == last) return;
    for (Index c = 0; c < width; c += simd::kStrip) {
      body(first * width + c, last - first, width, std::min(simd::kStrip, width - c));
    }
  });
}

}  // namespace

Array segment_softmax(const Array& x, const std::vector<Index>& offsets) {
  const Array from = x.contiguous();
  Array out = Array::empty(x.shape(), x.dtype());
  if (out.numel() == 0) return out;
  visit_floating("segment_softmax", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    each_segment_strip(x, offsets, [&](Index at, Index rows, Index step, Index columns) {
      simd::softmax_columns<T>().forward(from.data<T>() + at, out.mutable_data<T>() + at, rows,
                                         step, columns, false);
    });
  });
  return out;
}

Array segment_softmax_grad(const Array& g, const Array& y, const std::vector<Index>& offsets) {
  const Array from_g = g.contiguous(), from_y = y.contiguous();
  Array out = Array::empty(y.shape(), y.dtype());
  if (out.numel() == 0) return out;
  visit_floating("segment_softmax", y.dtype(), [&](auto zero) {
    using T = decltype(zero);
    each_segment_strip(y, offsets, [&](Index at, Index rows, Index step, Index columns) {
      simd::softmax_columns<T>().backward(from_g.data<T>() + at, from_y.data<T>() + at,
                                          out.mutable_data<T>() + at, rows, step, columns, false);
    });
  });
  return out;
}

Array reduce_segments(Reduce op, const Array& x, const std::vector<Index>& offsets) {
  const Index count = static_cast<Index>(offsets.size()) - 1;
  Array out = Array::zeros(with_rows(count, x.shape()), x.dtype());
  if (out.numel() == 0) return out;
  const Index width = out.numel() / count;
  constexpr Index kFew = 64;  // longer ones are worth a view, and a sum that is split
  if (op == Reduce::sum && x.is_contiguous() && is_computed(x.dtype())) {
    visit_floating("segment_sum", x.dtype(), [&](auto zero) {
      using T = decltype(zero);
      each_segment(offsets, width, [&](Index b, Index first, Index last) {
        if (last - first > kFew) {
          Array to = out.select(0, b);
          copy_into(to, reduce(op, x.slice(0, first, last), {0}, false));
        } else {
          sum_rows(x.data<T>() + first * width, out.mutable_data<T>() + b * width, last - first,
                   width);
        }
      });
    });
    return out;
  }
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
