#include "factories.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/error.h"
#include "../core/generator.h"
#include "check_defined.h"
#include "ops/elementwise/in_i64.h"

namespace heed {

Tensor zeros(const Shape& shape, DType dtype) { return Array::zeros(shape, dtype); }
Tensor ones(const Shape& shape, DType dtype) { return Array::full(shape, 1, dtype); }
Tensor full(const Shape& shape, Scalar value) { return full(shape, value, value.dtype()); }
Tensor full(const Shape& shape, Scalar value, DType dtype) {
  if (dtype != DType::i64 || value.dtype() == DType::f32) {
    return Array::full(shape, value.value(), dtype);
  }
  check_in_i64("full", value);
  Array out = Array::empty(shape, dtype);  // a double would round large integers
  std::fill_n(out.mutable_data<std::int64_t>(), out.numel(), value.whole());
  return out;
}

Tensor randn(const Shape& shape, DType dtype) { return randn(shape, dtype, default_generator()); }
Tensor randn(const Shape& shape, DType dtype, Generator& generator) {
  return generator.normal(shape, 0, 1, dtype);
}
Tensor rand(const Shape& shape, DType dtype) { return rand(shape, dtype, default_generator()); }
Tensor rand(const Shape& shape, DType dtype, Generator& generator) {
  return generator.uniform(shape, 0, 1, dtype);
}

Tensor randint(Index low, Index high, const Shape& shape) {
  return randint(low, high, shape, default_generator());
}
Tensor randint(Index low, Index high, const Shape& shape, Generator& generator) {
  if (low >= high || (low < 0 && high > low + INT64_MAX)) {
    throw ValueError(fmt::format("randint: no integers from {} to below {}", low, high));
  }
  Array out = Array::empty(shape, DType::i64);
  std::int64_t* const values = out.mutable_data<std::int64_t>();
  for (Index i = 0; i < out.numel(); ++i) values[i] = low + generator.below(high - low);
  return out;
}
Tensor randint(Index high, const Shape& shape) { return randint(0, high, shape); }
Tensor randint(Index high, const Shape& shape, Generator& generator) {
  return randint(0, high, shape, generator);
}

Tensor randperm(Index count) { return randperm(count, default_generator()); }
Tensor randperm(Index count, Generator& generator) {
  if (count < 0) throw ValueError(fmt::format("randperm: count {} is negative", count));
  Array out = Array::empty({count}, DType::i64);  // first: says so where there is no memory for it
  const std::vector<Index> order = generator.permutation(count);
  std::copy(order.begin(), order.end(), out.mutable_data<std::int64_t>());
  return out;
}

Tensor bernoulli(const Tensor& probabilities) {
  check_defined("bernoulli", probabilities, "probabilities");
  const DType dtype = probabilities.dtype();
  check_floating("bernoulli", dtype);
  const auto p = probabilities.array().to(DType::f64).to_vector<double>();
  std::vector<double> values(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!(p[i] >= 0 && p[i] <= 1)) {
      throw ValueError(fmt::format("bernoulli: probability {} is not in [0, 1]", p[i]));
    }
  }
  for (std::size_t i = 0; i < p.size(); ++i) values[i] = default_generator().uniform() < p[i];
  return Array::from(values, probabilities.shape()).to(dtype);
}

Tensor zeros_like(const Tensor& x) {
  check_defined("zeros_like", x, "x");
  return zeros(x.shape(), x.dtype());
}
Tensor zeros_like(const Tensor& x, DType dtype) {
  check_defined("zeros_like", x, "x");
  return zeros(x.shape(), dtype);
}
Tensor ones_like(const Tensor& x, DType dtype) {
  check_defined("ones_like", x, "x");
  return ones(x.shape(), dtype);
}
Tensor full_like(const Tensor& x, Scalar value, DType dtype) {
  check_defined("full_like", x, "x");
  return full(x.shape(), value, dtype);
}
Tensor ones_like(const Tensor& x) {
  check_defined("ones_like", x, "x");
  return ones(x.shape(), x.dtype());
}
Tensor full_like(const Tensor& x, Scalar value) {
  check_defined("full_like", x, "x");
  return full(x.shape(), value, x.dtype());
}
Tensor empty_like(const Tensor& x) {
  check_defined("empty_like", x, "x");
  return empty(x.shape(), x.dtype());
}
Tensor rand_like(const Tensor& x) {
  check_defined("rand_like", x, "x");
  return rand(x.shape(), x.dtype());
}
Tensor randn_like(const Tensor& x) {
  check_defined("randn_like", x, "x");
  return randn(x.shape(), x.dtype());
}

namespace {

bool has_point(Scalar number) { return number.dtype() == DType::f32; }

// How many numbers from start come before stop; below 0 where the step leads away from it. Integers
// are not counted in doubles, which round large ones: the way between any two is an unsigned one.
double count_of(Scalar start, Scalar stop, Scalar step) {
  if (step.value() == 0) return -1;
  if (has_point(start) || has_point(stop) || has_point(step)) {
    const double steps = (stop.value() - start.value()) / step.value();
    return steps < 0 ? -1 : std::ceil(steps);  // -0.5 would be rounded up to none
  }
  const bool up = step.whole() > 0;
  if (up ? stop.whole() < start.whole() : stop.whole() > start.whole()) return -1;
  const auto bits = [](Scalar number) { return static_cast<std::uint64_t>(number.whole()); };
  const std::uint64_t way = up ? bits(stop) - bits(start) : bits(start) - bits(stop);
  const std::uint64_t stride = up ? bits(step) : 0 - bits(step);
  return static_cast<double>(way / stride + (way % stride != 0));
}

}  // namespace

Tensor arange(Scalar stop) { return arange(0, stop, 1); }
Tensor arange(Scalar start, Scalar stop, Scalar step) {
  return arange(start, stop, step,
                has_point(start) || has_point(stop) || has_point(step) ? DType::f32 : DType::i64);
}
Tensor arange(Scalar start, Scalar stop, Scalar step, DType dtype) {
  const double length = count_of(start, stop, step);
  if (!std::isfinite(length) || length < 0) {
    throw ValueError(fmt::format("arange: steps of {} do not lead from {} to {}", step.value(),
                                 start.value(), stop.value()));
  }
  if (length > 9e15) throw ShapeError(fmt::format("arange: {} elements are too many", length));
  const auto count = static_cast<Index>(length);
  if (!has_point(start) && !has_point(step)) {
    Array out = Array::empty({count}, DType::i64);
    std::int64_t* const values = out.mutable_data<std::int64_t>();
    std::uint64_t value = static_cast<std::uint64_t>(start.whole());  // a last step may wrap around
    for (Index i = 0; i < count; ++i, value += static_cast<std::uint64_t>(step.whole())) {
      values[i] = static_cast<std::int64_t>(value);
    }
    return out.to(dtype);
  }
  Array out = Array::empty({count}, DType::f64);
  double* const values = out.mutable_data<double>();
  for (Index i = 0; i < count; ++i) {
    values[i] = start.value() + static_cast<double>(i) * step.value();
  }
  return out.to(dtype);
}

// From both ends, so that the last is met exactly.
Tensor linspace(double first, double last, Index count, DType dtype) {
  check_floating("linspace", dtype);
  if (count < 0) throw ValueError(fmt::format("linspace: count {} is negative", count));
  Array out = Array::empty({count}, DType::f64);
  double* const values = out.mutable_data<double>();
  const double step = count > 1 ? (last - first) / static_cast<double>(count - 1) : 0;
  for (Index i = 0; i < count; ++i) {
    values[i] = i < count / 2 || count == 1 ? first + static_cast<double>(i) * step
                                            : last - static_cast<double>(count - 1 - i) * step;
  }
  return out.to(dtype);
}

Tensor eye(Index rows, Index columns, DType dtype) {
  Array out = Array::zeros({rows, columns}, dtype);
  visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    T* const to = out.mutable_data<T>();
    for (Index i = 0; i < std::min(rows, columns); ++i) to[i * (columns + 1)] = T{1};
  });
  return out;
}

Tensor tensor(const std::vector<double>& values, const Shape& shape, DType dtype) {
  return Array::from(values, shape).to(dtype);
}

Nested::Nested(std::initializer_list<Nested> rows) : shape_{static_cast<Index>(rows.size())} {
  if (rows.size() == 0) return;
  const Shape& inner = rows.begin()->shape_;
  for (const Index size : inner) shape_.push_back(size);
  dtype_ = DType::boolean;
  for (const Nested& row : rows) {
    if (!(row.shape_ == inner)) {
      throw ShapeError(fmt::format("tensor: values in braces are of shapes {} and {}",
                                   to_string(inner), to_string(row.shape_)));
    }
    values_.insert(values_.end(), row.values_.begin(), row.values_.end());
    whole_.insert(whole_.end(), row.whole_.begin(), row.whole_.end());
    if (row.dtype_ == DType::f32 || dtype_ == DType::boolean) dtype_ = row.dtype_;
  }
}

Tensor Nested::tensor(std::optional<DType> dtype) const {
  const DType own = dtype_;
  for (std::size_t i = 0; own == DType::i64 && i < whole_.size(); ++i) {
    if (!in_i64(values_[i], whole_[i])) throw_beyond_i64("tensor", whole_[i]);
  }
  return (own == DType::i64 ? Array::from(whole_, shape_) : Array::from(values_, shape_))
      .to(dtype.value_or(own));
}

Tensor tensor(std::initializer_list<Nested> values) { return Nested(values).tensor({}); }
Tensor tensor(std::initializer_list<Nested> values, DType dtype) {
  return Nested(values).tensor(dtype);
}

}  // namespace heed
