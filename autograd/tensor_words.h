// Methods of Tensor by PyTorch's rarer words, and those that heed has no method for, which the
// compiler refuses in a line. Defined in more_methods.h, part of <heed/heed.h>.
#pragma once

#include <initializer_list>
#include <optional>

#include "../core/axes.h"
#include "../core/dtype.h"
#include "../core/refused.h"
#include "../core/scalar.h"

namespace heed {

class IndexEntry;
class Tensor;

class TensorWords {
 public:
  DType scalar_type() const;
  DType type() const;
  Tensor type(DType dtype) const;  ///< as to()
  Tensor toType(DType dtype) const;
  Index ndimension() const;
  Index element_size() const;  ///< bytes
  Index nbytes() const;
  bool is_same_size(const Tensor& other) const;
  Tensor swapaxes(Index a, Index b) const;
  /// One axis as several, whose sizes (one of which may be -1) make up its own.
  Tensor unflatten(Index axis, const Shape& sizes) const;
  Tensor trace() const;
  Tensor gelu() const;
  Tensor silu() const;
  Tensor expm1() const;
  Tensor log1p() const;
  Tensor erf() const;
  Tensor tan() const;
  Tensor isnan() const;
  Tensor isinf() const;
  Tensor isfinite() const;
  Tensor leaky_relu(double slope = 0.01) const;
  Tensor asin() const;
  Tensor acos() const;
  Tensor atan() const;
  Tensor sinh() const;
  Tensor cosh() const;
  Tensor log2() const;
  Tensor log10() const;
  Tensor atan2(const Tensor& x) const;
  Tensor logical_xor(const Tensor& y) const;
  Tensor greater(const Tensor& y) const;
  Tensor greater(Scalar y) const;
  Tensor greater_equal(const Tensor& y) const;
  Tensor greater_equal(Scalar y) const;
  Tensor less(const Tensor& y) const;
  Tensor less(Scalar y) const;
  Tensor less_equal(const Tensor& y) const;
  Tensor less_equal(Scalar y) const;
  Tensor not_equal(const Tensor& y) const;
  Tensor not_equal(Scalar y) const;
  Tensor swapdims(Index a, Index b) const;
  Tensor movedim(Index from, Index to) const;
  Tensor ravel() const;
  Tensor take(const Tensor& index) const;
  Tensor unique() const;
  Tensor bincount(Index minlength = 0) const;
  Tensor count_nonzero(const Axes& axes = {}) const;
  /// This + a b, this + value x y, this + value x / y.
  Tensor addmm(const Tensor& a, const Tensor& b) const;
  Tensor addcmul(const Tensor& x, const Tensor& y, Scalar value = 1) const;
  Tensor addcdiv(const Tensor& x, const Tensor& y, Scalar value = 1) const;
  /// What makes tensors takes it: zeros({2, 3}, x.options()).
  DType options() const;
  /// The first element, to be written over, as by what writes in place; throws as that and as
  /// data_ptr().
  template <class T>
  T* mutable_data_ptr() const;
  Tensor lerp(const Tensor& y, double weight) const;
  Tensor inner(const Tensor& y) const;  ///< over the last axes: see linalg.h
  Tensor isclose(const Tensor& y) const;
  /// This where the condition holds, else the other.
  Tensor where(const Tensor& condition, const Tensor& other) const;
  /// Of this dtype, not of its numbers.
  Tensor new_zeros(const Shape& shape) const;
  Tensor new_ones(const Shape& shape) const;
  Tensor new_full(const Shape& shape, double value) const;
  Tensor new_empty(const Shape& shape) const;

  // In place, unrecorded.
  Tensor neg_() const;
  Tensor abs_() const;
  Tensor exp_() const;
  Tensor log_() const;
  Tensor sqrt_() const;
  Tensor rsqrt_() const;
  Tensor square_() const;
  Tensor reciprocal_() const;
  Tensor sin_() const;
  Tensor cos_() const;
  Tensor tanh_() const;
  Tensor sigmoid_() const;
  Tensor relu_() const;
  Tensor floor_() const;
  Tensor ceil_() const;
  Tensor round_() const;
  Tensor trunc_() const;
  Tensor remainder_(const Tensor& y) const;
  Tensor remainder_(Scalar y) const;
  Tensor clip_(std::optional<double> min, std::optional<double> max = {}) const;
  Tensor cumsum_(Index axis) const;
  Tensor tril_(Index diagonal = 0) const;
  Tensor triu_(Index diagonal = 0) const;
  /// On the diagonal of a matrix.
  Tensor fill_diagonal_(Scalar value) const;
  /// Places of one axis become those of `from`.
  Tensor index_copy_(Index axis, const Tensor& index, const Tensor& from) const;
  Tensor index_put_(std::initializer_list<IndexEntry> places, const Tensor& values) const;
  Tensor index_put_(std::initializer_list<IndexEntry> places, Scalar value) const;
  Tensor scatter_add_(Index axis, const Tensor& index, const Tensor& values) const;
  Tensor index_add_(Index axis, const Tensor& index, const Tensor& values) const;
  Tensor clamp_min_(double min) const;
  Tensor clamp_max_(double max) const;
  Tensor lerp_(const Tensor& y, double weight) const;
  Tensor addcmul_(const Tensor& x, const Tensor& y, Scalar value = 1) const;
  Tensor addcdiv_(const Tensor& x, const Tensor& y, Scalar value = 1) const;
  /// Replaces the numbers of a leaf, as set_array().
  void set_data(const Tensor& numbers);

  void cuda(Say<"heed computes on the processor: leave it out"> = {}) const = delete;
  void device(Say<"heed computes on the processor: leave it out"> = {}) const = delete;
  void is_cuda(Say<"heed computes on the processor: leave it out"> = {}) const = delete;
  void numpy(Say<"x.to_vector<float>()"> = {}) const = delete;
  void tolist(Say<"x.to_vector<float>()"> = {}) const = delete;
  template <class T, int Rank>
  void accessor(Say<"x[i][j], or x.data_ptr<float>()"> = {}) const = delete;
  void storage(Say<"x.array()"> = {}) const = delete;
  void grad_fn(Say<"x.requires_grad(); the tape is not shown"> = {}) const = delete;
  void print(Say<"std::cout << x"> = {}) const = delete;
  void to_string(Say<"to_string(x)"> = {}) const = delete;
  Tensor mode(Say<"unique_with_counts(x)"> = {}) const = delete;
  template <class T>
  Tensor scatter(Index, const Tensor&, T&&, Say<"scatter_add(), index_put()"> = {}) const = delete;
  template <class T>
  Tensor scatter_(Index, const Tensor&, T&&,
                  Say<"scatter_add_(), index_put()"> = {}) const = delete;
  Tensor index_fill_(Index, const Tensor&, double, Say<"x[indices] = value"> = {}) const = delete;
  Tensor bernoulli_(double = 0.5, Say<"x.copy_(bernoulli(p))"> = {}) const = delete;
  Tensor random_(Index = 0, Say<"x.copy_(randint(n, shape))"> = {}) const = delete;
  Tensor detach_(Say<"x = x.detach()"> = {}) const = delete;
  Tensor t_(Say<"x = x.t()"> = {}) const = delete;
  Tensor transpose_(Index, Index, Say<"x = x.transpose(a, b)"> = {}) const = delete;
  Tensor unsqueeze_(Index, Say<"x = x.unsqueeze(axis)"> = {}) const = delete;
  Tensor squeeze_(Say<"x = x.squeeze()"> = {}) const = delete;
  Tensor resize_(const Shape&, Say<"x = x.reshape(shape)"> = {}) const = delete;
  Tensor inverse(Say<"inverse(x)"> = {}) const = delete;

 private:
  const Tensor& self() const;
};

}  // namespace heed
