#include "pool.h"

#include <algorithm>
#include <vector>

#include "../../parallel.h"
#include "../elementwise/iterate.h"
#include "../reduce/reduce_simd.h"
#include "pool_simd.h"

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

// Where in a plane the largest of a window is.
template <class T>
Index place_of_largest(const WindowAxis& y, const WindowAxis& x, const T* plane, const Reach& rows,
                       const Reach& columns) {
  Index best = rows.first * x.in + columns.first;
  for (Index iy = rows.first; iy < rows.end; iy += y.dilation) {
    for (Index ix = columns.first; ix < columns.end; ix += x.dilation) {
      const T value = plane[iy * x.in + ix];
      const T most = plane[best];
      if (value > most || (value != value && most == most)) best = iy * x.in + ix;
    }
  }
  return best;
}

// Windows of a row that hold no padding beside them go beside each other, by vectors.
template <class T>
class Largest {
 public:
  Largest(const WindowAxis& y, const WindowAxis& x) : y_(y), x_(x) {
    constexpr Index kMany = 4096;  // places of a window beyond which it is gone through by itself
    if (y.kernel > kMany / x.kernel) return;
    const Index width = (x.kernel - 1) * x.dilation + 1;
    begin_ = x.padding == 0 ? 0 : std::min(x.out, (x.padding - 1) / x.stride + 1);
    const Index room = x.in + x.padding - width;  // where the last window without padding begins
    end_ = room < 0 ? begin_ : std::clamp(room / x.stride + 1, begin_, x.out);
    for (Index k = 0; k < y.kernel; ++k) {
      for (Index j = 0; j < x.kernel; ++j) {
        offsets_.push_back(k * y.dilation * x.in + j * x.dilation);
      }
    }
    chosen_.resize(static_cast<std::size_t>(end_ - begin_));
  }

  void run(const T* plane, T* values, std::int64_t* indices) {
    for (Index oy = 0; oy < y_.out; ++oy, values += x_.out, indices += x_.out) {
      const Reach rows = reach(y_, oy);
      for (Index ox = 0; ox < x_.out; ++ox) {
        if (ox == begin_ && end_ > begin_) {
          beside_each_other(rows, plane, values, indices);
          ox = end_ - 1;
          continue;
        }
        indices[ox] = place_of_largest(y_, x_, plane, rows, reach(x_, ox));
        values[ox] = plane[indices[ox]];
      }
    }
  }

 private:
  void beside_each_other(const Reach& rows, const T* plane, T* values, std::int64_t* indices) {
    const Index real_rows = (rows.end - 1 - rows.first) / y_.dilation + 1;
    const Index from = rows.first * x_.in + begin_ * x_.stride - x_.padding;
    simd::pooling<T>().largest(end_ - begin_, plane + from, x_.stride, real_rows * x_.kernel,
                               offsets_.data(), values + begin_, chosen_.data());
    for (Index i = 0; i < end_ - begin_; ++i) {
      const auto place = static_cast<std::size_t>(chosen_[static_cast<std::size_t>(i)]);
      indices[begin_ + i] = from + i * x_.stride + offsets_[place];
    }
  }

  const WindowAxis &y_, &x_;
  Index begin_ = 0, end_ = 0;   // the windows of a row that go beside each other
  std::vector<Index> offsets_;  // of a window's places from its first
  std::vector<T> chosen_;       // which of them each is
};

constexpr Index kFew = 16;  // numbers that are added as they are; what comes of them in doubles

// At least as many as the longest window of an axis has.
Index most_of(const AverageAxis& axis) {
  const WindowAxis& window = axis.window;
  return axis.adaptive ? (window.in - 1) / window.out + 2 : window.kernel;
}

// The sum of `rows` runs of n numbers.
template <class T>
double sum_of_runs(const T* x, Index step, Index rows, Index n) {
  double total = 0;
  for (Index row = 0; row < rows; ++row, x += step) {
    if (n > kFew) {
      total += simd::reductions<T>().sum(x, 1, static_cast<std::size_t>(n));
      continue;
    }
    T few = 0;
    for (Index i = 0; i < n; ++i) few += x[i];
    total += static_cast<double>(few);
  }
  return total;
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
    parallel_for(planes.size(0), planes_at_once(size + count), [&](Index begin, Index end) {
      Largest<T> largest(y, x);
      for (Index p = begin; p < end; ++p) {
        largest.run(first + p * size, values + p * count, indices + p * count);
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
    const auto each = [&](const auto& mean) {
      const Index grain = planes_at_once(size + rows * columns);
      parallel_for(planes.size(0), grain, [&](Index begin, Index end) {
        T* to = values + begin * rows * columns;
        for (Index row = begin * rows; row < end * rows; ++row) {
          const Span down = y[row % rows];
          const T* plane = first + row / rows * size;
          for (Index column = 0; column < columns; ++column) *to++ = mean(plane, down, x[column]);
        }
      });
    };
    if (most_of(y) <= kFew / most_of(x)) {
      each([width](const T* plane, const Span& down, const Span& along) {
        T total = 0;
        for (Index iy = down.begin; iy < down.end; ++iy) {
          for (Index ix = along.begin; ix < along.end; ++ix) total += plane[iy * width + ix];
        }
        return total / static_cast<T>(down.count * along.count);
      });
    } else {
      each([width](const T* plane, const Span& down, const Span& along) {
        const double sum = sum_of_runs(plane + down.begin * width + along.begin, width,
                                       down.end - down.begin, along.end - along.begin);
        return static_cast<T>(sum / static_cast<double>(down.count * along.count));
      });
    }
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
