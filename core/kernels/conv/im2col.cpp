#include "im2col.h"

#include <algorithm>

namespace heed::kernels {
namespace {

// Calls body(column, count, before, real, at) for each stretch of places in one output row, for
// each tap: `count` elements from element `column` of the columns, of which the first `before` and
// all after `real` more are padding; the real ones lie stride apart from element `at` of x.
template <class Body>
void each_stretch(const ConvShape& shape, Index first, Index channels, Index begin, Index end,
                  const Body& body) {
  const WindowAxis& y = shape.y;
  const WindowAxis& x = shape.x;
  const Index width = end - begin;
  for (Index row = 0; row < channels * shape.taps(); ++row) {
    const Index channel = first + row / shape.taps();
    const Index ky = row / x.kernel % y.kernel;
    const Index shift = row % x.kernel * x.dilation - x.padding;
    // Places of an output row that this tap reads inside of the image: [low, high).
    const Index low = shift >= 0 ? 0 : (-shift - 1) / x.stride + 1;
    const Index high = x.in <= shift ? 0 : (x.in - shift - 1) / x.stride + 1;
    Index image = begin / shape.places();
    Index oy = begin % shape.places() / x.out;
    Index ox = begin % x.out;
    for (Index place = begin; place < end;) {
      const Index count = std::min(x.out - ox, end - place);
      const Index iy = oy * y.stride - y.padding + ky * y.dilation;
      const bool inside = iy >= 0 && iy < y.in;
      const Index from = inside ? std::clamp(low, ox, ox + count) : ox + count;
      const Index to = std::clamp(high, from, ox + count);
      const Index line = ((image * shape.in_channels + channel) * y.in + iy) * x.in;
      body(row * width + place - begin, count, from - ox, to - from,
           line + from * x.stride + shift);
      place += count;
      ox = 0;
      if (++oy == y.out) {
        oy = 0;
        ++image;
      }
    }
  }
}

}  // namespace

template <class T>
void im2col(const ConvShape& shape, const T* x, Index first, Index channels, Index begin, Index end,
            T* columns) {
  const Index stride = shape.x.stride;
  each_stretch(shape, first, channels, begin, end,
               [=](Index column, Index count, Index before, Index real, Index at) {
                 T* to = std::fill_n(columns + column, before, T{0});
                 if (stride == 1) {
                   if (real > 0) to = std::copy_n(x + at, real, to);
                 } else {
                   for (Index i = 0; i < real; ++i) *to++ = x[at + i * stride];
                 }
                 std::fill_n(to, count - before - real, T{0});
               });
}

template <class T>
void col2im(const ConvShape& shape, const T* columns, Index first, Index channels, Index begin,
            Index end, T* x) {
  const Index stride = shape.x.stride;
  each_stretch(shape, first, channels, begin, end,
               [=](Index column, Index, Index before, Index real, Index at) {
                 const T* from = columns + column + before;
                 for (Index i = 0; i < real; ++i) x[at + i * stride] += from[i];
               });
}

template void im2col(const ConvShape&, const float*, Index, Index, Index, Index, float*);
template void im2col(const ConvShape&, const double*, Index, Index, Index, Index, double*);
template void col2im(const ConvShape&, const float*, Index, Index, Index, Index, float*);
template void col2im(const ConvShape&, const double*, Index, Index, Index, Index, double*);

}  // namespace heed::kernels
