// The methods of tensor_words.h: each is the function of its name, or a line of others.
#pragma once

#include "methods.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/close.h"
#include "ops/index/mask_index.h"
#include "ops/index/search.h"
#include "other_words.h"

namespace heed {

inline const Tensor& TensorWords::self() const { return static_cast<const Tensor&>(*this); }

inline DType TensorWords::scalar_type() const { return self().dtype(); }
inline DType TensorWords::type() const { return self().dtype(); }
inline Tensor TensorWords::type(DType dtype) const { return self().to(dtype); }
inline Tensor TensorWords::toType(DType dtype) const { return self().to(dtype); }
inline Index TensorWords::ndimension() const { return self().rank(); }
inline Index TensorWords::element_size() const {
  return static_cast<Index>(size_of(self().dtype()));
}
inline Index TensorWords::nbytes() const { return self().numel() * element_size(); }
inline bool TensorWords::is_same_size(const Tensor& other) const {
  return self().shape() == other.shape();
}
inline Tensor TensorWords::swapaxes(Index a, Index b) const { return self().transpose(a, b); }
inline Tensor TensorWords::unflatten(Index axis, const Shape& sizes) const {
  return self().reshape(heed::detail::unflattened("unflatten", self().shape(), axis, sizes));
}
inline Tensor TensorWords::trace() const { return heed::trace(self()); }
inline Tensor TensorWords::gelu() const { return heed::gelu(self()); }
inline Tensor TensorWords::expm1() const { return heed::expm1(self()); }
inline Tensor TensorWords::log1p() const { return heed::log1p(self()); }
inline Tensor TensorWords::erf() const { return heed::erf(self()); }
inline Tensor TensorWords::tan() const { return heed::tan(self()); }
inline Tensor TensorWords::isnan() const { return heed::isnan(self()); }
inline Tensor TensorWords::isinf() const { return heed::isinf(self()); }
inline Tensor TensorWords::isfinite() const { return heed::isfinite(self()); }
inline Tensor TensorWords::silu() const { return heed::silu(self()); }
inline Tensor TensorWords::leaky_relu(double slope) const {
  return heed::leaky_relu(self(), slope);
}
inline Tensor TensorWords::asin() const { return heed::asin(self()); }
inline Tensor TensorWords::acos() const { return heed::acos(self()); }
inline Tensor TensorWords::atan() const { return heed::atan(self()); }
inline Tensor TensorWords::sinh() const { return heed::sinh(self()); }
inline Tensor TensorWords::cosh() const { return heed::cosh(self()); }
inline Tensor TensorWords::log2() const { return heed::log2(self()); }
inline Tensor TensorWords::log10() const { return heed::log10(self()); }
inline Tensor TensorWords::atan2(const Tensor& x) const { return heed::atan2(self(), x); }
inline Tensor TensorWords::logical_xor(const Tensor& y) const {
  return heed::logical_xor(self(), y);
}
inline Tensor TensorWords::greater(const Tensor& y) const { return self() > y; }
inline Tensor TensorWords::greater(Scalar y) const { return self() > y; }
inline Tensor TensorWords::greater_equal(const Tensor& y) const { return self() >= y; }
inline Tensor TensorWords::greater_equal(Scalar y) const { return self() >= y; }
inline Tensor TensorWords::less(const Tensor& y) const { return self() < y; }
inline Tensor TensorWords::less(Scalar y) const { return self() < y; }
inline Tensor TensorWords::less_equal(const Tensor& y) const { return self() <= y; }
inline Tensor TensorWords::less_equal(Scalar y) const { return self() <= y; }
inline Tensor TensorWords::not_equal(const Tensor& y) const { return self() != y; }
inline Tensor TensorWords::not_equal(Scalar y) const { return self() != y; }
inline Tensor TensorWords::swapdims(Index a, Index b) const { return self().transpose(a, b); }
inline Tensor Tensor::round(Index decimals) const { return heed::round(*this, decimals); }
template <std::same_as<DType> Type>
Tensor Tensor::sum(Type dtype) const {
  return heed::sum(*this, dtype);
}
inline Tensor Tensor::softmax(Index axis, DType dtype) const {
  return heed::softmax(heed::to(*this, dtype), axis);
}
inline Tensor TensorWords::movedim(Index from, Index to) const {
  return heed::movedim(self(), from, to);
}
inline Tensor TensorWords::ravel() const { return self().flatten(); }
inline Tensor TensorWords::take(const Tensor& index) const { return heed::take(self(), index); }
inline Tensor TensorWords::unique() const { return heed::unique(self()); }
inline Tensor TensorWords::bincount(Index minlength) const {
  return heed::bincount(self(), minlength);
}
inline Tensor TensorWords::count_nonzero(const Axes& axes) const {
  return heed::count_nonzero(self(), axes);
}
inline Tensor TensorWords::addmm(const Tensor& a, const Tensor& b) const {
  return heed::addmm(self(), a, b);
}
inline Tensor TensorWords::addcmul(const Tensor& x, const Tensor& y, Scalar value) const {
  return heed::addcmul(self(), x, y, value);
}
inline Tensor TensorWords::addcdiv(const Tensor& x, const Tensor& y, Scalar value) const {
  return heed::addcdiv(self(), x, y, value);
}
inline DType TensorWords::options() const { return self().dtype(); }
template <class T>
T* TensorWords::mutable_data_ptr() const {
  return heed::detail::written("mutable_data_ptr", self()).template mutable_data<T>();
}
inline Tensor TensorWords::lerp(const Tensor& y, double weight) const {
  return heed::lerp(self(), y, weight);
}
inline Tensor TensorWords::inner(const Tensor& y) const { return heed::inner(self(), y); }
inline Tensor TensorWords::isclose(const Tensor& y) const { return heed::isclose(self(), y); }
inline Tensor TensorWords::where(const Tensor& condition, const Tensor& other) const {
  return heed::where(condition, self(), other);
}
inline Tensor TensorWords::new_zeros(const Shape& shape) const {
  return heed::zeros(shape, self().dtype());
}
inline Tensor TensorWords::new_ones(const Shape& shape) const {
  return heed::ones(shape, self().dtype());
}
inline Tensor TensorWords::new_full(const Shape& shape, double value) const {
  return heed::full(shape, value, self().dtype());
}
inline Tensor TensorWords::new_empty(const Shape& shape) const {
  return heed::empty(shape, self().dtype());
}

inline Tensor TensorWords::neg_() const { return self().copy_(-self().detach()); }
inline Tensor TensorWords::abs_() const { return self().copy_(heed::abs(self().detach())); }
inline Tensor TensorWords::exp_() const { return self().copy_(heed::exp(self().detach())); }
inline Tensor TensorWords::log_() const { return self().copy_(heed::log(self().detach())); }
inline Tensor TensorWords::sqrt_() const { return self().copy_(heed::sqrt(self().detach())); }
inline Tensor TensorWords::rsqrt_() const { return self().copy_(heed::rsqrt(self().detach())); }
inline Tensor TensorWords::square_() const { return self().copy_(heed::square(self().detach())); }
inline Tensor TensorWords::reciprocal_() const {
  return self().copy_(heed::reciprocal(self().detach()));
}
inline Tensor TensorWords::sin_() const { return self().copy_(heed::sin(self().detach())); }
inline Tensor TensorWords::cos_() const { return self().copy_(heed::cos(self().detach())); }
inline Tensor TensorWords::tanh_() const { return self().copy_(heed::tanh(self().detach())); }
inline Tensor TensorWords::sigmoid_() const { return self().copy_(heed::sigmoid(self().detach())); }
inline Tensor TensorWords::relu_() const { return self().copy_(heed::relu(self().detach())); }
inline Tensor TensorWords::floor_() const { return self().copy_(heed::floor(self().detach())); }
inline Tensor TensorWords::ceil_() const { return self().copy_(heed::ceil(self().detach())); }
inline Tensor TensorWords::round_() const { return self().copy_(heed::round(self().detach())); }
inline Tensor TensorWords::trunc_() const { return self().copy_(heed::trunc(self().detach())); }
inline Tensor TensorWords::remainder_(const Tensor& y) const {
  return self().copy_(heed::remainder(self().detach(), y));
}
inline Tensor TensorWords::remainder_(Scalar y) const {
  return self().copy_(heed::remainder(self().detach(), y));
}
inline Tensor TensorWords::clip_(std::optional<double> min, std::optional<double> max) const {
  return self().clamp_(min, max);
}
inline Tensor TensorWords::cumsum_(Index axis) const {
  return self().copy_(heed::cumsum(self().detach(), axis));
}
inline Tensor TensorWords::tril_(Index diagonal) const {
  return self().copy_(heed::tril(self().detach(), diagonal));
}
inline Tensor TensorWords::triu_(Index diagonal) const {
  return self().copy_(heed::triu(self().detach(), diagonal));
}
inline Tensor TensorWords::fill_diagonal_(Scalar value) const {
  heed::fill_(heed::diagonal(self()), value);
  return self();
}
inline Tensor TensorWords::index_copy_(Index axis, const Tensor& index, const Tensor& from) const {
  self().transpose(0, axis)[index] = from.transpose(0, axis);
  return self();
}

inline Tensor TensorWords::index_put_(std::initializer_list<IndexEntry> places,
                                      const Tensor& values) const {
  self().index(places) = values;
  return self();
}
inline Tensor TensorWords::index_put_(std::initializer_list<IndexEntry> places,
                                      Scalar value) const {
  self().index(places) = value;
  return self();
}
inline Tensor TensorWords::scatter_add_(Index axis, const Tensor& index,
                                        const Tensor& values) const {
  return self().copy_(self().detach().scatter_add(axis, index, values));
}
inline Tensor TensorWords::index_add_(Index axis, const Tensor& index, const Tensor& values) const {
  return self().copy_(self().detach().index_add(axis, index, values));
}
inline Tensor TensorWords::clamp_min_(double min) const { return self().clamp_(min); }
inline Tensor TensorWords::clamp_max_(double max) const { return self().clamp_({}, max); }
inline Tensor TensorWords::lerp_(const Tensor& y, double weight) const {
  return self().copy_(heed::lerp(self().detach(), y, weight));
}
inline Tensor TensorWords::addcmul_(const Tensor& x, const Tensor& y, Scalar value) const {
  return self().copy_(self().detach() + value * (x * y));
}
inline Tensor TensorWords::addcdiv_(const Tensor& x, const Tensor& y, Scalar value) const {
  return self().copy_(self().detach() + value * (x / y));
}
inline void TensorWords::set_data(const Tensor& numbers) {
  static_cast<Tensor&>(*this).set_array(numbers.array());
}

/// `for (const auto& row : x)`: the places of the first axis, as x[i].
class RowIterator {
 public:
  RowIterator(const Tensor& of, Index at) : of_(&of), at_(at) {}
  Tensor operator*() const { return (*of_)[at_]; }
  RowIterator& operator++() {
    ++at_;
    return *this;
  }
  bool operator==(const RowIterator& other) const { return at_ == other.at_; }

 private:
  const Tensor* of_;
  Index at_;
};
/// Throws ShapeError for a rank of 0.
inline RowIterator begin(const Tensor& x) { return {x, 0}; }
inline RowIterator end(const Tensor& x) { return {x, x.size(0)}; }

}  // namespace heed
