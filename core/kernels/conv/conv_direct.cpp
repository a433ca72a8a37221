#include "conv_direct.h"

#include <algorithm>
#include <vector>

#include "../../array.h"
#include "../../parallel.h"
#include "../elementwise/iterate.h"
#include "../reduce/reduce.h"
#include "conv_direct_simd.h"

namespace heed::kernels {
namespace {

constexpr Index kRoom = 1 << 16;  // elements of a band's input, about: they stay in cache

// How an image is cut into bands of output rows, and how a band's input is laid out.
struct Bands {
  const ConvShape& shape;
  Index pitch, height, count;

  explicit Bands(const ConvShape& s, Index tallest) : shape(s) {
    pitch = s.x.out + (s.x.kernel - 1) * s.x.dilation;
    const Index lines = kRoom / (pitch * s.group_in()) - reach();
    height = std::clamp<Index>(lines, 1, std::clamp<Index>(tallest, 1, s.y.out));
    count = (s.y.out - 1) / height + 1;
  }
  Index reach() const { return (shape.y.kernel - 1) * shape.y.dilation; }
  Index plane() const { return (height + reach()) * pitch; }
  Index input() const { return shape.group_in() * plane() + simd::kConvSlack; }
  Index output() const { return simd::conv_height() * (height * pitch + simd::kConvSlack); }

  // The element of each tap, from that of the first.
  std::vector<Index> offsets() const {
    std::vector<Index> out;
    for (Index c = 0; c < shape.group_in(); ++c) {
      for (Index ky = 0; ky < shape.y.kernel; ++ky) {
        for (Index kx = 0; kx < shape.x.kernel; ++kx) {
          out.push_back(c * plane() + ky * shape.y.dilation * pitch + kx * shape.x.dilation);
        }
      }
    }
    return out;
  }

  // Channels of an image, from input line `first - padding` on. What lies beside the image is the
  // same in every band: it is 0 from the start.
  template <class T>
  void lay_out(const T* channels, Index first, T* to) const {
    const Index from = std::clamp<Index>(shape.x.padding, 0, pitch);
    const Index until = std::clamp<Index>(shape.x.in + shape.x.padding, from, pitch);
    for (Index c = 0; c < shape.group_in(); ++c) {
      for (Index line = 0; line < height + reach(); ++line, to += pitch) {
        const Index y = first + line - shape.y.padding;
        if (y < 0 || y >= shape.y.in) {
          std::fill_n(to, pitch, T{0});
          continue;
        }
        const T* row = channels + (c * shape.y.in + y) * shape.x.in;
        std::copy(row + (from - shape.x.padding), row + (until - shape.x.padding), to + from);
      }
    }
  }
};

// [groups, blocks, depth, conv_height()]: the channels of a block side by side, zeros behind them.
template <class T>
Array packed(const ConvShape& shape, const T* weight, Index blocks) {
  const Index height = simd::conv_height(), depth = shape.depth();
  Array out = Array::zeros(Shape{shape.groups * blocks, depth, height}, dtype_of<T>);
  T* to = out.mutable_data<T>();
  for (Index o = 0; o < shape.out_channels; ++o) {
    const Index group = o / shape.group_out(), place = o % shape.group_out();
    T* first = to + (group * blocks + place / height) * depth * height + place % height;
    for (Index k = 0; k < depth; ++k) first[k * height] = weight[o * depth + k];
  }
  return out;
}

}  // namespace

bool fits_conv_direct(const ConvShape& shape) {
  constexpr Index kDeepest = 1024;  // beyond, blocking over the depth wins
  constexpr Index kNarrowest = 4;   // else most of what is worked out is between the rows
  return shape.y.stride == 1 && shape.x.stride == 1 && shape.taps() > 1 && shape.depth() > 0 &&
         shape.depth() <= kDeepest && shape.group_out() >= 4 && shape.x.out >= kNarrowest &&
         shape.x.out >= (shape.x.kernel - 1) * shape.x.dilation;
}

template <class T>
void conv_direct(const ConvShape& shape, const T* x, const T* weight, const T* bias, T* out) {
  const Bands bands(shape, shape.y.out);
  const std::vector<Index> offsets = bands.offsets();
  const Index tall = simd::conv_height(), depth = shape.depth();
  const Index blocks = (shape.group_out() - 1) / tall + 1;
  const Array weights = packed(shape, weight, blocks);
  const T* const packed_weight = weights.data<T>();
  const Index work = bands.height * bands.pitch * depth * blocks * shape.groups;  // of a band
  parallel_for(
      shape.images * bands.count, std::max<Index>(1, kGrain / work), [&](Index begin, Index end) {
        Array input = Array::zeros(Shape{bands.input()}, dtype_of<T>);
        Array output = Array::empty(Shape{bands.output()}, dtype_of<T>);
        for (Index i = begin; i < end; ++i) {
          const Index image = i / bands.count, first = i % bands.count * bands.height;
          const Index rows = std::min(bands.height, shape.y.out - first);
          for (Index group = 0; group < shape.groups; ++group) {
            const Index plane = shape.y.in * shape.x.in;
            bands.lay_out(x + (image * shape.in_channels + group * shape.group_in()) * plane, first,
                          input.mutable_data<T>());
            for (Index block = 0; block < blocks; ++block) {
              const Index channel = group * shape.group_out() + block * tall;
              const simd::ConvBand band{
                  offsets.data(), depth,
                  rows,           shape.x.out,
                  bands.pitch,    std::min(tall, (group + 1) * shape.group_out() - channel)};
              simd::conv<T>().band(band, input.data<T>(),
                                   packed_weight + (group * blocks + block) * depth * tall,
                                   bias ? bias + channel : nullptr, output.mutable_data<T>(),
                                   out + (image * shape.out_channels + channel) * shape.places() +
                                       first * shape.x.out,
                                   shape.places());
            }
          }
        }
      });
}

bool fits_conv_direct_weight(const ConvShape& shape) {
  return fits_conv_direct(shape) && shape.out_channels * shape.depth() <= kGrain / 2;
}

template <class T>
void conv_direct_weight_grad(const ConvShape& shape, const T* g, const T* x, T* gw) {
  const simd::ConvKernels<T>& kernels = simd::conv<T>();
  const Index tall = simd::conv_height(), depth = shape.depth(), places = shape.places();
  // As much of g as stays in the nearest cache while tap after tap is multiplied by it: some rows of
  // an image, or some images.
  constexpr Index kNear = 16384 / sizeof(T);
  const Bands bands(shape, kNear / tall / shape.x.out);
  const std::vector<Index> offsets = bands.offsets();
  const Index blocks = (shape.group_out() - 1) / tall + 1, blocks_in_all = shape.groups * blocks;
  const auto band_of = [&](Index block, Index rows) {
    const Index channels = std::min(tall, shape.group_out() - block % blocks * tall);
    return simd::ConvBand{offsets.data(), depth, rows, shape.x.out, bands.pitch, channels};
  };
  const auto channel_of = [&](Index block) {
    return block / blocks * shape.group_out() + block % blocks * tall;
  };
  const Index packed = kernels.packed(band_of(0, bands.height));
  const Index each = kernels.sums(depth);
  const Index tasks = shape.images * bands.count, per_part = (tasks - 1) / 8 + 1;
  const Index most = std::min({per_part, kNear / packed, kRoom / bands.input()});
  const Index at_once = bands.count > 1 ? 1 : std::max<Index>(1, most);
  const Index parts = (tasks - 1) / per_part + 1;
  Array sums = Array::zeros(Shape{parts, blocks_in_all * each}, dtype_of<T>);
  T* const all = sums.mutable_data<T>();
  parallel_for(tasks, per_part, [&](Index begin, Index end) {
    Array input = Array::zeros(Shape{at_once, bands.input()}, dtype_of<T>);
    Array of_g = Array::zeros(Shape{at_once, packed}, dtype_of<T>);
    T* const inputs = input.mutable_data<T>();
    T* const gs = of_g.mutable_data<T>();
    for (Index i = begin; i < end; i += at_once) {
      const Index some = std::min(at_once, end - i);
      const Index image = i / bands.count, first = i % bands.count * bands.height;
      const Index rows = std::min(bands.height, shape.y.out - first);
      for (Index block = 0; block < blocks_in_all; ++block) {
        const simd::ConvBand band = band_of(block, rows);
        if (band.channels < tall || rows < bands.height) std::fill_n(gs, some * packed, T{0});
        for (Index b = 0; b < some; ++b) {
          if (block % blocks == 0) {
            const Index channel =
                (image + b) * shape.in_channels + block / blocks * shape.group_in();
            bands.lay_out(x + channel * shape.y.in * shape.x.in, first, inputs + b * bands.input());
          }
          const Index channel = (image + b) * shape.out_channels + channel_of(block);
          kernels.pack(band, g + channel * places + first * shape.x.out, places, gs + b * packed);
        }
        kernels.weight(band, some, inputs, bands.input(), gs, packed,
                       all + (begin / per_part * blocks_in_all + block) * each);
      }
    }
  });
  const Array joined = reduce(Reduce::sum, sums, {0}, false);
  for (Index block = 0; block < blocks_in_all; ++block) {
    kernels.join(band_of(block, 1), joined.data<T>() + block * each,
                 gw + channel_of(block) * depth);
  }
}

ConvShape input_grad_shape(const ConvShape& shape) {
  const auto turned = [](const WindowAxis& axis) {
    WindowAxis out = axis;
    std::swap(out.in, out.out);
    out.padding = (axis.kernel - 1) * axis.dilation - axis.padding;
    return out;
  };
  ConvShape out = shape;
  std::swap(out.in_channels, out.out_channels);
  out.y = turned(shape.y);
  out.x = turned(shape.x);
  return out;
}

template <class T>
void turn_around(const ConvShape& shape, const T* weight, T* to) {
  const Index taps = shape.taps(), ins = shape.group_in(), outs = shape.group_out();
  for (Index o = 0; o < shape.out_channels; ++o) {
    for (Index c = 0; c < ins; ++c, weight += taps) {
      const Index channel = o / outs * ins + c;
      std::reverse_copy(weight, weight + taps, to + (channel * outs + o % outs) * taps);
    }
  }
}

template void conv_direct(const ConvShape&, const float*, const float*, const float*, float*);
template void conv_direct(const ConvShape&, const double*, const double*, const double*, double*);
template void conv_direct_weight_grad(const ConvShape&, const float*, const float*, float*);
template void conv_direct_weight_grad(const ConvShape&, const double*, const double*, double*);
template void turn_around(const ConvShape&, const float*, float*);
template void turn_around(const ConvShape&, const double*, double*);

}  // namespace heed::kernels
