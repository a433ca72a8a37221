#include "pool.h"

#include <algorithm>
#include <vector>

#include "../../parallel.h"
#include "../elementwise/iterate.h"

namespace heed::kernels {
namespace {

// The real places of a window: first, first + dilation, .. before end.
struct Reach {
  Index first, end;
};

Reach reach(const WindowAxis& axis, Index place) {
  const Index start = place * axis.stride - axis.padding;
  const Index skipped = start >= 0 ? 0 : (-start - 1) / axis.dilation + 1;
  return {start + skipped * axis.dilation,
          std::min(axis.in, start + (axis.kernel - 1) * axis.dilation + 1)};
}

// Where along an axis the k-th place of a window is, for results 0, 1, ..: from + o stride; real for
// those of [begin, end).
struct Real {
  Index from, begin, end;
};

std::vector<Real> real_places(const WindowAxis& axis) {
  std::vector<Real> out;
  for (Index k = 0; k < axis.kernel; ++k) {
    const Index from = k * axis.dilation - axis.padding;
    const Index begin = from >= 0 ? 0 : (-from - 1) / axis.stride + 1;
    const Index last = axis.in - 1 - from;
    out.push_back({from, begin, last < 0 ? 0 : std::min(axis.out, last / axis.stride + 1)});
  }
  return out;
}

// A row of results at a time, one place of all their windows after another, without branches: which
// of two is larger cannot be foretold.
template <class T>
void largest(const WindowAxis& y, const WindowAxis& x, const std::vector<Real>& along,
             const T* plane, T* values, std::int64_t* indices) {
  for (Index oy = 0; oy < y.out; ++oy, values += x.out, indices += x.out) {
    const Reach rows = reach(y, oy);
    for (Index ox = 0; ox < x.out; ++ox) {
      indices[ox] = rows.first * x.in + reach(x, ox).first;
    }
    for (Index iy = rows.first; iy < rows.end; iy += y.dilation) {
      for (const auto& [from, begin, end] : along) {
        Index at = iy * x.in + from + begin * x.stride;
        for (Index ox = begin; ox < end; ++ox, at += x.stride) {
          const Index best = indices[ox];
          const T value = plane[at], most = plane[best];
          const bool takes = !(value <= most) & (most == most);  // larger, or the first NaN
          indices[ox] = best + (at - best) * takes;
        }
      }
    }
    for (Index ox = 0; ox < x.out; ++ox) values[ox] = plane[indices[ox]];
  }
}

// Planes of one chunk of parallel work, when each costs so many steps.
Index planes_at_once(Index cost) { return std::max<Index>(1, kGrain / std::max<Index>(1, cost)); }

}  // namespace

Pooled max_pool(const WindowAxis& y, const WindowAxis& x, const Array& planes) {
  const Shape shape{planes.size(0), y.out, x.out};
  Pooled out{Array::empty(shape, planes.dtype()), Array::empty(shape, DType::i64)};
  if (out.values.numel() == 0) return out;
  const Array from = planes.contiguous();
  const Index count = y.out * x.out, size = y.in * x.in;
  std::int64_t* indices = out.indices.mutable_data<std::int64_t>();
  visit_floating("max_pool", planes.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* first = from.data<T>();
    T* values = out.values.mutable_data<T>();
    const std::vector<Real> along = real_places(x);
    parallel_for(planes.size(0), planes_at_once(size + count), [&](Index begin, Index end) {
      for (Index p = begin; p < end; ++p) {
        largest(y, x, along, first + p * size, values + p * count, indices + p * count);
      }
    });
  });
  return out;
}

Array max_pool_grad(const Array& g, const Array& indices, Index height, Index width) {
  Array out = Array::zeros(Shape{g.size(0), height, width}, g.dtype());
  if (g.numel() == 0) return out;
  const Array from = g.contiguous();
  const Array places = indices.contiguous();
  const std::int64_t* place = places.data<std::int64_t>();
  const Index count = g.numel() / g.size(0), size = height * width;
  visit_floating("max_pool_grad", g.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* values = from.data<T>();
    T* to = out.mutable_data<T>();
    parallel_for(g.size(0), planes_at_once(count), [&](Index begin, Index end) {
      for (Index i = begin * count; i < end * count; ++i)
        to[i / count * size + place[i]] += values[i];
    });
  });
  return out;
}

Span AverageAxis::operator[](Index place) const {
  const Index in = window.in, out = window.out;
  if (adaptive) {
    const Index begin = place * in / out;
    const Index end = ((place + 1) * in - 1) / out + 1;
    return {begin, end, end - begin};
  }
  const Index start = place * window.stride - window.padding;
  // With ceil_mode the last window may reach behind the padding, which never counts.
  const Index end = std::min(start + window.kernel, in + window.padding);
  const Span real{std::max<Index>(start, 0), std::min(end, in), 0};
  return {real.begin, real.end, count_padding ? end - start : real.end - real.begin};
}

Array avg_pool(const AverageAxis& y, const AverageAxis& x, const Array& planes) {
  const Index rows = y.window.out, columns = x.window.out;
  Array out = Array::empty(Shape{planes.size(0), rows, columns}, planes.dtype());
  if (out.numel() == 0) return out;
  const Array from = planes.contiguous();
  const Index width = x.window.in, size = y.window.in * width;
  visit_floating("avg_pool", planes.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* first = from.data<T>();
    T* values = out.mutable_data<T>();
    const Index grain = planes_at_once(size + rows * columns);
    parallel_for(planes.size(0), grain, [&](Index begin, Index end) {
      T* to = values + begin * rows * columns;
      for (Index row = begin * rows; row < end * rows; ++row) {
        const Span down = y[row % rows];
        const T* plane = first + row / rows * size;
        for (Index column = 0; column < columns; ++column) {
          const Span along = x[column];
          T total = 0;
          for (Index iy = down.begin; iy < down.end; ++iy) {
            for (Index ix = along.begin; ix < along.end; ++ix) total += plane[iy * width + ix];
          }
          *to++ = total / static_cast<T>(down.count * along.count);
        }
      }
    });
  });
  return out;
}

Array avg_pool_grad(const AverageAxis& y, const AverageAxis& x, const Array& g) {
  const Index rows = y.window.out, columns = x.window.out;
  const Index width = x.window.in, size = y.window.in * width;
  Array out = Array::zeros(Shape{g.size(0), y.window.in, width}, g.dtype());
  if (g.numel() == 0) return out;
  const Array from = g.contiguous();
  visit_floating("avg_pool_grad", g.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* values = from.data<T>();
    T* to = out.mutable_data<T>();
    const Index grain = planes_at_once(size + rows * columns);
    parallel_for(g.size(0), grain, [&](Index begin, Index end) {
      const T* gradient = values + begin * rows * columns;
      for (Index row = begin * rows; row < end * rows; ++row) {
        const Span down = y[row % rows];
        T* plane = to + row / rows * size;
        for (Index column = 0; column < columns; ++column) {
          const Span along = x[column];
          const T share = *gradient++ / static_cast<T>(down.count * along.count);
          for (Index iy = down.begin; iy < down.end; ++iy) {
            for (Index ix = along.begin; ix < along.end; ++ix) plane[iy * width + ix] += share;
          }
        }
      }
    });
  });
  return out;
}

}  // namespace heed::kernels
