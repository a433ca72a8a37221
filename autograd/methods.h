// The methods of Tensor that are functions of the same name, a line each. <heed/heed.h> and
// <heed/autograd.h> have it; whoever includes less calls the functions.
#pragma once

#include "chosen.h"
#include "ops/elementwise/clamp.h"
#include "ops/elementwise/close.h"
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/in_place.h"
#include "ops/elementwise/power.h"
#include "ops/elementwise/remainder.h"
#include "ops/elementwise/rounding.h"
#include "ops/elementwise/trigonometry.h"
#include "ops/index/index.h"
#include "ops/index/mask_index.h"
#include "ops/index/sort.h"
#include "ops/linalg/linalg.h"
#include "ops/linalg/matmul.h"
#include "ops/normalise/softmax.h"
#include "ops/reduce/cumulative.h"
#include "ops/reduce/reduce.h"
#include "ops/reduce/statistics.h"
#include "ops/shape/arrange.h"
#include "ops/shape/shape.h"
#include "ops/shape/triangle.h"
#include "ops/shape/unfold.h"
#include "tensor.h"

namespace heed {

template <class Look>
requires std::is_void_v<std::invoke_result_t<Look&, const Tensor&>> HookId
Tensor::register_hook(Look look)
const {
  return register_hook(Hook([look = std::move(look)](const Tensor& gradient) mutable {
    look(gradient);
    return Tensor();
  }));
}

// Places.
inline Tensor Tensor::operator[](Index place) const { return heed::select(*this, 0, place); }
inline Chosen Tensor::operator[](const Tensor& places) const { return {*this, places}; }
inline Chosen Tensor::operator[](std::initializer_list<IndexEntry> entries) const {
  return {*this, std::vector<IndexEntry>(entries)};
}
inline Tensor Tensor::operator[](const IndexEntry& entry) const {
  return heed::index(*this, std::vector<IndexEntry>{entry});
}
inline Chosen Tensor::index(std::initializer_list<IndexEntry> entries) const {
  return {*this, std::vector<IndexEntry>(entries)};
}
inline Tensor& Tensor::operator=(const Tensor& y) && {
  heed::copy_(*this, y);
  return *this;
}
inline Tensor& Tensor::operator=(Scalar y) && {
  heed::fill_(*this, y);
  return *this;
}

// Shapes.
inline Tensor Tensor::view(const Shape& shape) const { return heed::view(*this, shape); }
inline Tensor Tensor::reshape(const Shape& shape) const { return heed::reshape(*this, shape); }
inline Tensor Tensor::expand(const Shape& shape) const { return heed::expand(*this, shape); }
inline Tensor Tensor::repeat(const Axes& repeats) const { return heed::repeat(*this, repeats); }
inline Tensor Tensor::permute(const Axes& axes) const { return heed::permute(*this, axes); }
inline Tensor Tensor::view_as(const Tensor& other) const {
  return heed::view(*this, other.shape());
}
inline Tensor Tensor::reshape_as(const Tensor& other) const {
  return heed::reshape(*this, other.shape());
}
inline Tensor Tensor::expand_as(const Tensor& other) const {
  return heed::expand(*this, other.shape());
}
inline Tensor Tensor::broadcast_to(const Shape& shape) const {
  return heed::broadcast_to(*this, shape);
}
inline Tensor Tensor::flatten(Index first, Index last) const {
  return heed::flatten(*this, first, last);
}
inline Tensor Tensor::transpose(Index a, Index b) const { return heed::transpose(*this, a, b); }
inline Tensor Tensor::t() const { return heed::t(*this); }
inline Tensor Tensor::T() const { return heed::t(*this); }
inline Tensor Tensor::mT() const { return heed::transpose(*this, -2, -1); }
inline Tensor Tensor::squeeze() const { return heed::squeeze(*this); }
inline Tensor Tensor::squeeze(Index axis) const { return heed::squeeze(*this, axis); }
inline Tensor Tensor::squeeze(std::initializer_list<Index> axes) const {
  return heed::squeeze(*this, std::vector<Index>(axes));
}
inline Tensor Tensor::unsqueeze(Index axis) const { return heed::unsqueeze(*this, axis); }
inline Tensor Tensor::contiguous() const { return heed::contiguous(*this); }
inline Tensor Tensor::flip(const Axes& axes) const { return heed::flip(*this, axes); }
inline Tensor Tensor::roll(const Axes& shifts, const Axes& axes) const {
  return heed::roll(*this, shifts, axes);
}
inline Tensor Tensor::tile(const Axes& repeats) const { return heed::tile(*this, repeats); }
inline Tensor Tensor::repeat_interleave(Index repeats, Index axis) const {
  return heed::repeat_interleave(*this, repeats, axis);
}
inline Tensor Tensor::unfold(Index axis, Index size, Index step) const {
  return heed::unfold(*this, axis, size, step);
}
inline std::vector<Tensor> Tensor::split(Index length, Index axis) const {
  return heed::split(*this, length, axis);
}
inline std::vector<Tensor> Tensor::split(const std::vector<Index>& lengths, Index axis) const {
  return heed::split(*this, lengths, axis);
}
inline std::vector<Tensor> Tensor::chunk(Index count, Index axis) const {
  return heed::chunk(*this, count, axis);
}
inline std::vector<Tensor> Tensor::unbind(Index axis) const { return heed::unbind(*this, axis); }
inline Tensor Tensor::to(DType dtype) const { return heed::to(*this, dtype); }
inline Tensor Tensor::clone() const { return heed::clone(*this); }

// Parts.
inline Tensor Tensor::select(Index axis, Index index) const {
  return heed::select(*this, axis, index);
}
inline Tensor Tensor::slice(Index axis, Index start, Index stop, Index step) const {
  return heed::slice(*this, axis, start, stop, step);
}
inline Tensor Tensor::narrow(Index axis, Index start, Index length) const {
  return heed::narrow(*this, axis, start, length);
}
inline Tensor Tensor::index_select(Index axis, const Tensor& index) const {
  return heed::index_select(*this, axis, index);
}
inline Tensor Tensor::gather(Index axis, const Tensor& index) const {
  return heed::gather(*this, axis, index);
}
inline Tensor Tensor::scatter_add(Index axis, const Tensor& index, const Tensor& values) const {
  return heed::scatter_add(*this, axis, index, values);
}
inline Tensor Tensor::index_add(Index axis, const Tensor& index, const Tensor& values) const {
  return heed::index_add(*this, axis, index, values);
}
inline Tensor Tensor::masked_fill(const Tensor& mask, Scalar value) const {
  return heed::masked_fill(*this, mask, value);
}
inline Tensor Tensor::masked_select(const Tensor& mask) const {
  return heed::masked_select(*this, mask);
}
inline Tensor Tensor::nonzero() const { return heed::nonzero(*this); }
inline Tensor Tensor::diagonal(Index offset, Index axis1, Index axis2) const {
  return heed::diagonal(*this, offset, axis1, axis2);
}
inline Tensor Tensor::diag(Index offset) const { return heed::diag(*this, offset); }
inline Tensor Tensor::tril(Index diagonal) const { return heed::tril(*this, diagonal); }
inline Tensor Tensor::triu(Index diagonal) const { return heed::triu(*this, diagonal); }

// Element by element.
inline Tensor Tensor::add(const Tensor& y) const { return *this + y; }
inline Tensor Tensor::add(const Tensor& y, Scalar alpha) const { return *this + alpha * y; }
inline Tensor Tensor::add(Scalar y) const { return *this + y; }
inline Tensor Tensor::sub(const Tensor& y) const { return *this - y; }
inline Tensor Tensor::sub(const Tensor& y, Scalar alpha) const { return *this - alpha * y; }
inline Tensor Tensor::sub(Scalar y) const { return *this - y; }
inline Tensor Tensor::mul(const Tensor& y) const { return *this * y; }
inline Tensor Tensor::mul(Scalar y) const { return *this * y; }
inline Tensor Tensor::div(const Tensor& y) const { return *this / y; }
inline Tensor Tensor::div(Scalar y) const { return *this / y; }
inline Tensor Tensor::remainder(const Tensor& y) const { return heed::remainder(*this, y); }
inline Tensor Tensor::remainder(Scalar y) const { return heed::remainder(*this, y); }
inline Tensor Tensor::pow(const Tensor& y) const { return heed::pow(*this, y); }
inline Tensor Tensor::pow(double y) const { return heed::pow(*this, y); }
inline Tensor Tensor::neg() const { return -*this; }
inline Tensor Tensor::abs() const { return heed::abs(*this); }
inline Tensor Tensor::sign() const { return heed::sign(*this); }
inline Tensor Tensor::exp() const { return heed::exp(*this); }
inline Tensor Tensor::log() const { return heed::log(*this); }
inline Tensor Tensor::sqrt() const { return heed::sqrt(*this); }
inline Tensor Tensor::rsqrt() const { return heed::rsqrt(*this); }
inline Tensor Tensor::square() const { return heed::square(*this); }
inline Tensor Tensor::reciprocal() const { return heed::reciprocal(*this); }
inline Tensor Tensor::sin() const { return heed::sin(*this); }
inline Tensor Tensor::cos() const { return heed::cos(*this); }
inline Tensor Tensor::tanh() const { return heed::tanh(*this); }
inline Tensor Tensor::sigmoid() const { return heed::sigmoid(*this); }
inline Tensor Tensor::relu() const { return heed::relu(*this); }
inline Tensor Tensor::floor() const { return heed::floor(*this); }
inline Tensor Tensor::ceil() const { return heed::ceil(*this); }
inline Tensor Tensor::round() const { return heed::round(*this); }
inline Tensor Tensor::trunc() const { return heed::trunc(*this); }
inline Tensor Tensor::clamp(std::optional<double> min, std::optional<double> max) const {
  return heed::clamp(*this, min, max);
}
inline Tensor Tensor::clamp(const Tensor& min, const Tensor& max) const {
  return heed::clamp(*this, min, max);
}
inline Tensor Tensor::clip(std::optional<double> min, std::optional<double> max) const {
  return heed::clamp(*this, min, max);
}
inline Tensor Tensor::maximum(const Tensor& y) const { return heed::maximum(*this, y); }
inline Tensor Tensor::minimum(const Tensor& y) const { return heed::minimum(*this, y); }
inline Tensor Tensor::softmax(Index axis) const { return heed::softmax(*this, axis); }
inline Tensor Tensor::log_softmax(Index axis) const { return heed::log_softmax(*this, axis); }
inline Tensor Tensor::eq(const Tensor& y) const { return *this == y; }
inline Tensor Tensor::eq(Scalar y) const { return *this == y; }
inline Tensor Tensor::ne(const Tensor& y) const { return *this != y; }
inline Tensor Tensor::ne(Scalar y) const { return *this != y; }
inline Tensor Tensor::lt(const Tensor& y) const { return *this < y; }
inline Tensor Tensor::lt(Scalar y) const { return *this < y; }
inline Tensor Tensor::le(const Tensor& y) const { return *this <= y; }
inline Tensor Tensor::le(Scalar y) const { return *this <= y; }
inline Tensor Tensor::gt(const Tensor& y) const { return *this > y; }
inline Tensor Tensor::gt(Scalar y) const { return *this > y; }
inline Tensor Tensor::ge(const Tensor& y) const { return *this >= y; }
inline Tensor Tensor::ge(Scalar y) const { return *this >= y; }
inline Tensor Tensor::logical_not() const { return heed::logical_not(*this); }
inline Tensor Tensor::logical_and(const Tensor& y) const { return heed::logical_and(*this, y); }
inline Tensor Tensor::logical_or(const Tensor& y) const { return heed::logical_or(*this, y); }
inline bool Tensor::equal(const Tensor& y) const { return heed::equal(*this, y); }
inline bool Tensor::allclose(const Tensor& y, double rtol, double atol) const {
  return heed::allclose(*this, y, rtol, atol);
}

// Over axes; none: all.
inline Tensor Tensor::sum(const Axes& axes, bool keepdim) const {
  return heed::sum(*this, axes, keepdim);
}
inline Tensor Tensor::mean(const Axes& axes, bool keepdim) const {
  return heed::mean(*this, axes, keepdim);
}
inline Tensor Tensor::prod(const Axes& axes, bool keepdim) const {
  return heed::prod(*this, axes, keepdim);
}
inline Tensor Tensor::var(const Axes& axes, bool keepdim, Index correction) const {
  return heed::var(*this, axes, keepdim, correction);
}
inline Tensor Tensor::std(const Axes& axes, bool keepdim, Index correction) const {
  return heed::stddev(*this, axes, keepdim, correction);
}
inline Tensor Tensor::norm(double p, const Axes& axes, bool keepdim) const {
  return heed::norm(*this, p, axes, keepdim);
}
inline Tensor Tensor::logsumexp(const Axes& axes, bool keepdim) const {
  return heed::logsumexp(*this, axes, keepdim);
}
inline Tensor Tensor::amax(const Axes& axes, bool keepdim) const {
  return heed::amax(*this, axes, keepdim);
}
inline Tensor Tensor::amin(const Axes& axes, bool keepdim) const {
  return heed::amin(*this, axes, keepdim);
}
inline Tensor Tensor::all(const Axes& axes, bool keepdim) const {
  return heed::all(*this, axes, keepdim);
}
inline Tensor Tensor::any(const Axes& axes, bool keepdim) const {
  return heed::any(*this, axes, keepdim);
}
inline Tensor Tensor::max() const { return heed::max(*this); }
inline Tensor Tensor::min() const { return heed::min(*this); }
inline Picked Tensor::max(Index axis, bool keepdim) const {
  return heed::max(*this, axis, keepdim);
}
inline Picked Tensor::min(Index axis, bool keepdim) const {
  return heed::min(*this, axis, keepdim);
}
inline Tensor Tensor::argmax() const { return heed::argmax(*this); }
inline Tensor Tensor::argmin() const { return heed::argmin(*this); }
inline Tensor Tensor::argmax(Index axis, bool keepdim) const {
  return heed::argmax(*this, axis, keepdim);
}
inline Tensor Tensor::argmin(Index axis, bool keepdim) const {
  return heed::argmin(*this, axis, keepdim);
}
inline Tensor Tensor::median() const { return heed::median(*this); }
inline Picked Tensor::median(Index axis, bool keepdim) const {
  return heed::median(*this, axis, keepdim);
}
inline Picked Tensor::sort(Index axis, bool descending) const {
  return heed::sort(*this, axis, descending);
}
inline Tensor Tensor::argsort(Index axis, bool descending) const {
  return heed::argsort(*this, axis, descending);
}
inline Picked Tensor::topk(Index k, Index axis, bool largest, bool sorted) const {
  return heed::topk(*this, k, axis, largest, sorted);
}
inline Tensor Tensor::cumsum(Index axis) const { return heed::cumsum(*this, axis); }
inline Tensor Tensor::cumprod(Index axis) const { return heed::cumprod(*this, axis); }

// Products.
inline Tensor Tensor::matmul(const Tensor& y) const { return heed::matmul(*this, y); }
inline Tensor Tensor::mm(const Tensor& y) const { return heed::mm(*this, y); }
inline Tensor Tensor::bmm(const Tensor& y) const { return heed::bmm(*this, y); }
inline Tensor Tensor::mv(const Tensor& y) const { return heed::mv(*this, y); }
inline Tensor Tensor::dot(const Tensor& y) const { return heed::dot(*this, y); }
inline Tensor Tensor::outer(const Tensor& y) const { return heed::outer(*this, y); }

// In place.
inline Tensor Tensor::fill_(Scalar value) const { return heed::fill_(*this, value); }
inline Tensor Tensor::zero_() const { return heed::zero_(*this); }
inline Tensor Tensor::copy_(const Tensor& from) const { return heed::copy_(*this, from); }
inline Tensor Tensor::add_(const Tensor& y, Scalar alpha) const {
  return heed::add_(*this, alpha.value() == 1 ? y : alpha * y);
}
inline Tensor Tensor::add_(Scalar y) const { return heed::add_(*this, y); }
inline Tensor Tensor::sub_(const Tensor& y, Scalar alpha) const {
  return heed::sub_(*this, alpha.value() == 1 ? y : alpha * y);
}
inline Tensor Tensor::sub_(Scalar y) const { return heed::sub_(*this, y); }
inline Tensor Tensor::mul_(const Tensor& y) const { return heed::mul_(*this, y); }
inline Tensor Tensor::mul_(Scalar y) const { return heed::mul_(*this, y); }
inline Tensor Tensor::div_(const Tensor& y) const { return heed::div_(*this, y); }
inline Tensor Tensor::div_(Scalar y) const { return heed::div_(*this, y); }
inline Tensor Tensor::pow_(double y) const { return heed::pow_(*this, y); }
inline Tensor Tensor::clamp_(std::optional<double> min, std::optional<double> max) const {
  return heed::clamp_(*this, min, max);
}
inline Tensor Tensor::masked_fill_(const Tensor& mask, Scalar value) const {
  return heed::masked_fill_(*this, mask, value);
}

}  // namespace heed
