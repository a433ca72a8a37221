#include "int8_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "../../error.h"
#include "../../parallel.h"
#include "../index/index.h"
#include "int8_simd.h"

namespace heed::kernels {
namespace {

using simd::kInt8Panel;
using simd::kInt8Place;
using simd::kInt8Stretch;

constexpr Index up(Index count, Index by) { return (count + by - 1) / by; }

// So many bytes, in the places of floats.
Array block(Index count) { return Array::empty(Shape{up(count, 4)}, DType::f32); }
template <class T>
T* as(Array& x) {
  return reinterpret_cast<T*>(x.mutable_data<float>());
}
template <class T>
const T* as(const Array& x) {
  return reinterpret_cast<const T*>(x.data<float>());
}

Array checked(const Array& w) {
  if (!w.defined() || w.dtype() != DType::f32) {
    throw DTypeError(fmt::format("int8: weights are f32, not {}", describe(w)));
  }
  if (w.rank() != 2 || w.numel() == 0) {
    throw ShapeError(
        fmt::format("int8: weights are a matrix of some numbers, not {}", describe(w)));
  }
  return w.contiguous();
}

// Rows as integers up to 127, and their scales.
void round_rows(const Array& w, std::int8_t* to, float* scales) {
  const Index rows = w.size(0), width = w.size(1);
  const float* const from = w.data<float>();
  for (Index row = 0; row < rows; ++row) {
    float most = 0;
    for (Index i = 0; i < width; ++i) {
      const float x = from[row * width + i];
      if (!std::isfinite(x)) {
        throw ValueError(fmt::format("int8: row {} of the weights has {}", row, x));
      }
      most = std::max(most, std::abs(x));
    }
    scales[row] = most / 127;
    for (Index i = 0; i < width; ++i) {
      const float part = scales[row] > 0 ? from[row * width + i] / most * 127 : 0;
      to[row * width + i] = static_cast<std::int8_t>(std::nearbyint(part));
    }
  }
}

}  // namespace

Int8Matrix::Int8Matrix(const Array& w) {
  const Array from = checked(w);
  out_ = from.size(0), in_ = from.size(1);
  const Index places = up(in_, kInt8Place), size = places * kInt8Place * kInt8Panel;
  Array plain = block(out_ * in_);
  scales_ = Array::empty(Shape{out_}, DType::f32);
  const Index stretches = up(places, kInt8Stretch);
  offsets_ = block(stretches * out_ * 4);
  panels_ = block(up(out_, kInt8Panel) * size);
  std::int8_t* const rows = as<std::int8_t>(plain);
  round_rows(from, rows, scales_.mutable_data<float>());
  auto* const panels = as<std::int8_t>(panels_);
  auto* const offsets = as<std::int32_t>(offsets_);
  std::memset(panels, 0, static_cast<std::size_t>(panels_.numel()) * sizeof(float));
  for (Index row = 0; row < out_; ++row) {
    std::int8_t* const panel = panels + row / kInt8Panel * size;
    for (Index stretch = 0; stretch < stretches; ++stretch) {
      const Index begin = stretch * kInt8Stretch * kInt8Place;
      std::int32_t sum = 0;
      for (Index k = begin; k < std::min(begin + kInt8Stretch * kInt8Place, in_); ++k) {
        const std::int8_t q = rows[row * in_ + k];
        sum += q;
        panel[(k / kInt8Place * kInt8Panel + row % kInt8Panel) * kInt8Place + k % kInt8Place] = q;
      }
      offsets[stretch * out_ + row] = 128 * sum;
    }
  }
}

std::size_t Int8Matrix::bytes() const {
  return static_cast<std::size_t>(panels_.numel() + scales_.numel() + offsets_.numel()) *
         sizeof(float);
}

Array Int8Matrix::multiply(const Array& x, const Array& bias) const {
  if (!x.defined() || x.dtype() != DType::f32 || (bias.defined() && bias.dtype() != DType::f32)) {
    throw DTypeError(
        fmt::format("linear_int8: x and bias are f32, not {} and {}", describe(x), describe(bias)));
  }
  if (x.rank() == 0 || x.size(-1) != in_ || (bias.defined() && !(bias.shape() == Shape{out_}))) {
    throw ShapeError(fmt::format("linear_int8: x is {}, bias is {}, the weight [{}, {}]",
                                 describe(x), describe(bias), out_, in_));
  }
  Shape shape = x.shape();
  shape[x.rank() - 1] = out_;
  Array out = Array::empty(shape, DType::f32);
  if (out.numel() == 0) return out;
  const Index m = out.numel() / out_, places = up(in_, kInt8Place), step = places * kInt8Place;
  const Array from = x.contiguous();
  const Array offsets = bias.defined() ? bias.contiguous() : Array();
  Array rounded = block(m * step), row_scales = Array::empty(Shape{m}, DType::f32);
  const simd::Int8Kernels kernels = simd::int8();
  std::uint8_t* const rows = as<std::uint8_t>(rounded);
  float* const scales = row_scales.mutable_data<float>();
  parallel_for(m, std::max<Index>(1, 32768 / in_), [&](Index begin, Index end) {
    kernels.round_rows(end - begin, in_, from.data<float>() + begin * in_, rows + begin * step,
                       scales + begin);
  });
  const simd::Int8Product product{m,
                                  out_,
                                  places,
                                  rows,
                                  scales,
                                  as<std::int8_t>(panels_),
                                  scales_.data<float>(),
                                  as<std::int32_t>(offsets_),
                                  offsets.defined() ? offsets.data<float>() : nullptr,
                                  out.mutable_data<float>()};
  // Pairs of panels, in pieces of some 10 microseconds and more.
  const Index pairs = up(up(out_, kInt8Panel), 2), work = m * step * 2 * kInt8Panel;
  parallel_for(pairs, std::max<Index>(1, (Index{1} << 22) / work), [&](Index begin, Index end) {
    kernels.multiply(product, 2 * begin, std::min(2 * end, up(out_, kInt8Panel)));
  });
  return out;
}

Array Int8Matrix::rows(const Array& ids) const {
  check_ids("embedding_int8", ids, out_);
  Shape shape = ids.shape();
  shape.push_back(in_);
  Array out = Array::empty(shape, DType::f32);
  const Array places = ids.contiguous();
  const Index size = up(in_, kInt8Place) * kInt8Place * kInt8Panel;
  float* to = out.mutable_data<float>();
  for (Index i = 0; i < places.numel(); ++i) {
    const Index row = places.data<std::int64_t>()[i];
    const float scale = scales_.data<float>()[row];
    const std::int8_t* const panel = as<std::int8_t>(panels_) + row / kInt8Panel * size;
    for (Index k = 0; k < in_; ++k) {
      const Index place = (k / kInt8Place * kInt8Panel + row % kInt8Panel) * kInt8Place;
      *to++ = scale * static_cast<float>(panel[place + k % kInt8Place]);
    }
  }
  return out;
}

}  // namespace heed::kernels
