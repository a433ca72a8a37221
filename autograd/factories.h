// What makes tensors: constants, ranges, draws. Sizes stand in braces or by themselves:
// zeros({2, 3}), zeros(2, 3). Without a dtype, numbers decide: arange(5) is i64, arange(0, 1, 0.1)
// f32. All throw ShapeError for sizes below 0. Comes with tensor.h.
#pragma once

#include "tensor.h"

namespace heed {

Tensor zeros(const Shape& shape, DType dtype = DType::f32);
Tensor ones(const Shape& shape, DType dtype = DType::f32);
/// Of the value's own kind, full({3}, 2) is i64, or of the dtype given. Throws ValueError for an
/// integer beyond i64 in i64, as all do that take a number beside an i64 tensor.
Tensor full(const Shape& shape, Scalar value);
Tensor full(const Shape& shape, Scalar value, DType dtype);
/// Numbers to be written over: zeros, here.
inline Tensor empty(const Shape& shape, DType dtype = DType::f32) { return zeros(shape, dtype); }

/// Independent draws, normal or uniform in [0, 1), from the default generator or the one given.
Tensor randn(const Shape& shape, DType dtype = DType::f32);
Tensor randn(const Shape& shape, DType dtype, Generator& generator);
Tensor rand(const Shape& shape, DType dtype = DType::f32);
Tensor rand(const Shape& shape, DType dtype, Generator& generator);
/// i64, uniform in {low, .., high - 1}. Throws ValueError unless low < high.
Tensor randint(Index low, Index high, const Shape& shape);
Tensor randint(Index high, const Shape& shape);
Tensor randint(Index low, Index high, const Shape& shape, Generator& generator);
Tensor randint(Index high, const Shape& shape, Generator& generator);
/// i64: 0 .. count - 1 in random order. Throws ValueError for a negative count.
Tensor randperm(Index count);
Tensor randperm(Index count, Generator& generator);
/// bool to f32: 1 with the probability that stands there (f32, f64), else 0. Throws ValueError.
Tensor bernoulli(const Tensor& probabilities);

template <Whole... I>
requires(sizeof...(I) > 0) Tensor zeros(I... sizes) {
  return zeros(Shape{static_cast<Index>(sizes)...});
}
template <Whole... I>
requires(sizeof...(I) > 0) Tensor ones(I... sizes) {
  return ones(Shape{static_cast<Index>(sizes)...});
}
template <Whole... I>
requires(sizeof...(I) > 0) Tensor empty(I... sizes) {
  return empty(Shape{static_cast<Index>(sizes)...});
}
template <Whole... I>
requires(sizeof...(I) > 0) Tensor rand(I... sizes) {
  return rand(Shape{static_cast<Index>(sizes)...});
}
template <Whole... I>
requires(sizeof...(I) > 0) Tensor randn(I... sizes) {
  return randn(Shape{static_cast<Index>(sizes)...});
}

/// x's shape and dtype, or the dtype given.
Tensor zeros_like(const Tensor& x);
Tensor ones_like(const Tensor& x);
Tensor full_like(const Tensor& x, Scalar value);
Tensor empty_like(const Tensor& x);
Tensor zeros_like(const Tensor& x, DType dtype);
Tensor ones_like(const Tensor& x, DType dtype);
Tensor full_like(const Tensor& x, Scalar value, DType dtype);
/// The same of draws; f32 and f64 (DTypeError).
Tensor rand_like(const Tensor& x);
Tensor randn_like(const Tensor& x);

/// start, start + step, .. before stop: i64 where all three are integers, else f32; or of the dtype
/// given. Throws ValueError for a step of 0, or one that leads away from stop.
Tensor arange(Scalar stop);
Tensor arange(Scalar start, Scalar stop, Scalar step = 1);
Tensor arange(Scalar start, Scalar stop, Scalar step, DType dtype);
inline Tensor arange(Scalar stop, DType dtype) { return arange(0, stop, 1, dtype); }
/// `count` numbers from first to last, both among them. Throws ValueError for a negative count,
/// DTypeError unless f32 or f64.
Tensor linspace(double first, double last, Index count, DType dtype = DType::f32);
/// Ones on the diagonal of [rows, columns].
Tensor eye(Index rows, Index columns, DType dtype = DType::f32);
inline Tensor eye(Index size, DType dtype = DType::f32) { return eye(size, size, dtype); }

/// Rank 0, of the number's kind: tensor(2.5) is f32, tensor(2) i64, tensor(true) bool.
template <class T>
requires std::is_arithmetic_v<T> Tensor tensor(T value) { return full(Shape{}, value); }
template <class T>
requires std::is_arithmetic_v<T> Tensor tensor(T value, DType dtype) {
  return full(Shape{}, value, dtype);
}
/// `values` in row-major order. Throws ShapeError when the count does not fill the shape.
Tensor tensor(const std::vector<double>& values, const Shape& shape, DType dtype = DType::f32);

/// Numbers in braces, in braces: all of one depth and length.
class Nested {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> Nested(T value)
      : values_{static_cast<double>(value)},
        whole_{Scalar(value).whole()},
        dtype_(Scalar(value).dtype()) {}
  /// Throws ShapeError where one is of another shape.
  Nested(std::initializer_list<Nested> rows);

  /// Of the dtype given, or of the numbers' own: bool, i64, or f32 where one has a point.
  Tensor tensor(std::optional<DType> dtype) const;

 private:
  Shape shape_;
  std::vector<double> values_;
  std::vector<std::int64_t> whole_;
  DType dtype_ = DType::f32;
};
/// `tensor({1, 2, 3})` is i64[3], `tensor({{1.5, 2}, {3, 4}})` f32[2, 2]. Throws ShapeError.
Tensor tensor(std::initializer_list<Nested> values);
Tensor tensor(std::initializer_list<Nested> values, DType dtype);
/// Rank 1: of floats f32, of doubles f64, of bools bool, of integers i64.
template <class T>
requires std::is_arithmetic_v<T> Tensor tensor(const std::vector<T>& values) {
  return Array::from(values);
}
template <class T>
requires std::is_arithmetic_v<T> Tensor tensor(const std::vector<T>& values, DType dtype) {
  return Array::from(values).to(dtype);
}

}  // namespace heed
