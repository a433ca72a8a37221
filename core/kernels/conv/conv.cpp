#include "conv.h"

#include <algorithm>

#include "../../parallel.h"
#include "../../precision.h"
#include "../elementwise/elementwise_simd.h"
#include "../gemm/gemm.h"
#include "../reduce/finite_simd.h"
#include "conv_direct.h"

namespace heed::kernels {
namespace {

// The output places of all images, in panels whose columns stay in the cache of one core.
class Panels {
 public:
  explicit Panels(const ConvShape& shape) : images_(shape.images), places_(shape.places()) {
    constexpr Index kElements = Index{1} << 18;
    const Index wide = std::max<Index>(256, kElements / std::max<Index>(1, shape.depth()));
    if (places_ > wide) {
      pieces_ = (places_ - 1) / wide + 1;
      step_ = (places_ - 1) / pieces_ + 1;
    } else {
      whole_ = std::max<Index>(1, wide / places_);
      step_ = whole_ * places_;
    }
  }

  struct Panel {
    Index begin, end;  // places
    Index width() const { return end - begin; }
  };

  /// Panels that share no image are of different units.
  Index units() const { return (images_ + whole_ - 1) / whole_; }
  Index per_unit() const { return pieces_; }
  Index count() const { return units() * pieces_; }
  Index widest() const { return std::min(step_, images_ * places_); }
  Panel operator[](Index i) const {
    if (pieces_ == 1) {
      return {i * step_, std::min((i + 1) * step_, images_ * places_)};
    }
    const Index start = i / pieces_ * places_;
    const Index begin = i % pieces_ * step_;
    return {start + std::min(begin, places_), start + std::min(begin + step_, places_)};
  }

 private:
  Index images_;
  Index places_;
  Index whole_ = 1;   // images in a panel
  Index pieces_ = 1;  // panels in an image
  Index step_ = 1;
};

// A panel's part of an array [B, O, places]: of a group's channels, where each image lies.
struct Slab {
  const ConvShape& shape;
  Index group;
  Panels::Panel panel;

  bool one_image() const {
    return panel.begin / shape.places() == (panel.end - 1) / shape.places();
  }
  /// Of the first element of the first channel, `image` images on.
  Index offset(Index image) const {
    const Index first = panel.begin / shape.places() + image;
    return (first * shape.out_channels + group * shape.group_out()) * shape.places() +
           (image == 0 ? panel.begin % shape.places() : 0);
  }
  Index images() const { return (panel.width() - 1) / shape.places() + 1; }
};

// The slab as a matrix [group_out, width]: in place, or gathered where it is of several images.
template <class T>
Matrix<const T> gathered(const Slab& slab, const T* g, T* spare) {
  const Index places = slab.shape.places();
  if (slab.one_image()) return {g + slab.offset(0), places};
  const Index width = slab.panel.width();
  for (Index image = 0; image < slab.images(); ++image) {
    const T* from = g + slab.offset(image);
    for (Index o = 0; o < slab.shape.group_out(); ++o) {
      std::copy_n(from + o * places, places, spare + o * width + image * places);
    }
  }
  return {spare, width};
}

// True where the columns of a panel of one image are that image.
bool is_product(const ConvShape& shape) {
  const auto plain = [](const WindowAxis& axis) {
    return axis.kernel == 1 && axis.stride == 1 && axis.padding == 0 && axis.out == axis.in;
  };
  return plain(shape.y) && plain(shape.x);
}

template <class T>
Index image_offset(const ConvShape& shape, const Panels::Panel& panel, Index channel) {
  return (panel.begin / shape.places() * shape.in_channels + channel) * shape.places() +
         panel.begin % shape.places();
}

// What a panel reads of a group's channels, as a matrix [depth, width].
template <class T>
Matrix<const T> columns_of(const Slab& slab, const T* x, T* spare) {
  const ConvShape& shape = slab.shape;
  const Index first = slab.group * shape.group_in();
  if (is_product(shape) && slab.one_image()) {
    return {x + image_offset<T>(shape, slab.panel, first), shape.places()};
  }
  im2col(shape, x, first, shape.group_in(), slab.panel.begin, slab.panel.end, spare);
  return {spare, slab.panel.width()};
}

// A lone panel's product may use all threads; among several, each has one. Always in f32: what a
// panel holds would decide what is rounded, and that depends on how many images there are.
template <class T>
void product(bool alone, Index m, Index n, Index k, Matrix<const T> a, Matrix<const T> b, bool add,
             T* c, Index c_step) {
  if (alone) {
    const PrecisionScope scope(Precision::f32);
    gemm(m, n, k, a, b, add, c, c_step);
  } else {
    gemm_here(m, n, k, a, b, add, c, c_step);
  }
}

template <class T>
Array spare(Index rows, Index columns) {
  return Array::empty(Shape{rows, columns}, dtype_of<T>);
}

template <class T>
void forward(const ConvShape& shape, const T* x, const T* weight, const T* bias, T* out) {
  const Panels panels(shape);
  const Index M = shape.group_out(), K = shape.depth(), places = shape.places();
  parallel_for(panels.count(), 1, [&](Index first, Index last) {
    Array columns = spare<T>(K, panels.widest());
    Array products = spare<T>(M, panels.widest());
    for (Index i = first; i < last; ++i) {
      for (Index group = 0; group < shape.groups; ++group) {
        const Slab slab{shape, group, panels[i]};
        const Index width = slab.panel.width();
        if (width <= 0) continue;
        const Matrix<const T> b = columns_of(slab, x, columns.mutable_data<T>());
        const bool direct = slab.one_image();
        T* c = direct ? out + slab.offset(0) : products.mutable_data<T>();
        const Index step = direct ? places : width;
        product(panels.count() == 1, M, width, K, {weight + group * M * K, K}, b, false, c, step);
        for (Index image = 0; image < slab.images(); ++image) {
          const Index count = direct ? width : places;
          for (Index o = 0; o < M; ++o) {
            const T* from = c + o * step + image * places;
            T* to = out + slab.offset(image) + o * places;
            if (bias != nullptr) {
              simd::elements<T>().binary(Binary::add, from, true, bias + group * M + o, false, to,
                                         static_cast<std::size_t>(count));
            } else if (!direct) {
              std::copy_n(from, count, to);
            }
          }
        }
      }
    }
  });
}

template <class T>
void to_input(const ConvShape& shape, const T* g, const T* weight, T* gx) {
  const Panels panels(shape);
  const Index M = shape.group_out(), K = shape.depth(), taps = shape.taps();
  // Panels of one image add into one place: they stay on one thread. Few units are cut by channels.
  const Index cuts = panels.units() >= 4 ? 1 : std::clamp<Index>(shape.group_in() / 8, 1, 4);
  const Index step = cuts == 1 ? shape.group_in() : (shape.group_in() - 1) / cuts + 1;
  const Index tasks = panels.units() * cuts;
  parallel_for(tasks, 1, [&](Index begin, Index end) {
    Array columns = spare<T>(step * taps, panels.widest());
    Array slabs = spare<T>(M, panels.widest());
    for (Index task = begin; task < end; ++task) {
      const Index low = std::min(task % cuts * step, shape.group_in());
      const Index channels = std::min(step, shape.group_in() - low);
      for (Index i = 0; i < panels.per_unit() * shape.groups; ++i) {
        const Slab slab{shape, i % shape.groups,
                        panels[task / cuts * panels.per_unit() + i / shape.groups]};
        const Index width = slab.panel.width();
        if (width <= 0 || channels <= 0) continue;
        const Index first = slab.group * shape.group_in() + low;
        const bool direct = is_product(shape) && slab.one_image();
        T* c = direct ? gx + image_offset<T>(shape, slab.panel, first) : columns.mutable_data<T>();
        const Matrix<const T> a{weight + slab.group * M * K + low * taps, K, true};
        product(tasks == 1, channels * taps, width, M, a,
                gathered(slab, g, slabs.mutable_data<T>()), false, c,
                direct ? shape.places() : width);
        if (!direct) col2im(shape, c, first, channels, slab.panel.begin, slab.panel.end, gx);
      }
    }
  });
}

template <class T>
void to_weight(const ConvShape& shape, const T* g, const T* x, Array& gw) {
  const Panels panels(shape);
  const Index M = shape.group_out(), K = shape.depth(), size = shape.out_channels * K;
  // A partial sum for each run of panels, added in order.
  const Index per_part = (panels.count() - 1) / 8 + 1;
  const Index parts = (panels.count() - 1) / per_part + 1;
  Array sums = Array::zeros(Shape{parts - 1, size}, dtype_of<T>);
  T* to = gw.mutable_data<T>();
  T* others = sums.mutable_data<T>();
  parallel_for(panels.count(), per_part, [&](Index begin, Index end) {
    Array columns = spare<T>(K, panels.widest());
    Array slabs = spare<T>(M, panels.widest());
    T* sum = begin == 0 ? to : others + (begin / per_part - 1) * size;
    for (Index i = begin; i < end; ++i) {
      for (Index group = 0; group < shape.groups; ++group) {
        const Slab slab{shape, group, panels[i]};
        if (slab.panel.width() <= 0) continue;
        Matrix<const T> b = columns_of(slab, x, columns.mutable_data<T>());
        b.transposed = true;
        product(parts == 1, M, K, slab.panel.width(), gathered(slab, g, slabs.mutable_data<T>()), b,
                true, sum + group * M * K, K);
      }
    }
  });
  for (Index part = 0; part + 1 < parts; ++part) {
    simd::elements<T>().binary(Binary::add, to, true, others + part * size, true, to,
                               static_cast<std::size_t>(size));
  }
}

}  // namespace

Array conv(const ConvShape& shape, const Array& x, const Array& weight, const Array& bias) {
  Array out =
      Array::empty(Shape{shape.images, shape.out_channels, shape.y.out, shape.x.out}, x.dtype());
  if (out.numel() == 0) return out;
  const Array from = x.contiguous(), by = weight.contiguous();
  const Array plus = bias.defined() ? bias.contiguous() : Array();
  visit_floating("conv", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto run = fits_conv_direct(shape) ? conv_direct<T> : forward<T>;
    run(shape, from.data<T>(), by.data<T>(), plus.defined() ? plus.data<T>() : nullptr,
        out.mutable_data<T>());
  });
  return out;
}

Array conv_input_grad(const ConvShape& shape, const Array& g, const Array& weight) {
  const Shape whole{shape.images, shape.in_channels, shape.y.in, shape.x.in};
  if (whole.numel() == 0 || g.numel() == 0) return Array::zeros(whole, g.dtype());
  const Array from = g.contiguous(), by = weight.contiguous();
  const ConvShape turned = input_grad_shape(shape);
  const bool direct = fits_conv_direct(turned);
  Array gx = direct ? Array::empty(whole, g.dtype()) : Array::zeros(whole, g.dtype());
  visit_floating("conv_input_grad", g.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (direct) {
      Array taps = Array::empty(by.shape(), by.dtype());
      turn_around(shape, by.data<T>(), taps.mutable_data<T>());
      conv_direct<T>(turned, from.data<T>(), taps.data<T>(), nullptr, gx.mutable_data<T>());
      return;
    }
    to_input(shape, from.data<T>(), by.data<T>(), gx.mutable_data<T>());
  });
  return gx;
}

Array conv_weight_grad(const ConvShape& shape, const Array& g, const Array& x) {
  Array gw = Array::zeros(
      Shape{shape.out_channels, shape.group_in(), shape.y.kernel, shape.x.kernel}, g.dtype());
  if (gw.numel() == 0 || g.numel() == 0) return gw;
  const Array from = g.contiguous(), by = x.contiguous();
  visit_floating("conv_weight_grad", g.dtype(), [&](auto zero) {
    using T = decltype(zero);
    // It would multiply what is not finite by its gaps' zeros.
    if (fits_conv_direct_weight(shape) && simd::finite<T>().all(by.numel(), by.data<T>())) {
      conv_direct_weight_grad(shape, from.data<T>(), by.data<T>(), gw.mutable_data<T>());
    } else {
      to_weight(shape, from.data<T>(), by.data<T>(), gw);
    }
  });
  return gw;
}

}  // namespace heed::kernels
