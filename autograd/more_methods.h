// The methods of tensor_words.h: each is the function of its name, or a line of others.
#pragma once

#include "methods.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/close.h"
#include "ops/index/mask_index.h"

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
