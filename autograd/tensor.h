// Tensor: an Array plus an optional place on the tape. Copying a Tensor copies the handle; both see
// the same numbers, the same gradient and the same place.
//
// Threads: any number may read one tensor and compute with it, each through handles of its own,
// which it copies, moves and destroys as it likes, also while others walk the graph. Graphs that
// share leaves may be differentiated at once: the gradients add up, in the order in which passes
// end. Where two passes meet in one recorded operator the later one throws GradError. What writes
// (copy_from, set_array, set_grad, zero_grad, set_requires_grad, register_hook, remove_hook, and
// array() of a sparse gradient, which it makes dense) wants the tensor for itself, and so does
// grad() while a pass may add to it. Grad modes and DetectAnomaly belong to the thread that opened
// them.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "../core/array.h"
#include "../core/axes.h"
#include "../core/refused.h"
#include "../core/scalar.h"
#include "../core/sparse_rows.h"
#include "backward_options.h"
#include "tensor_words.h"

namespace heed {

class Chosen;
class Generator;
class IndexEntry;
class TapeNode;
class Tensor;
struct Picked;

/// A function on a gradient that may replace it: returns the new one, or an undefined Tensor to
/// keep it.
using Hook = std::function<Tensor(const Tensor& gradient)>;
using HookId = std::uint64_t;

class TensorImpl;

class Tensor : public TensorWords {
 public:
  /// Undefined.
  Tensor() = default;
  /// A constant: no place on the tape.
  Tensor(Array array);
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) = default;
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & = default;
  /// A gradient of which only some rows are held. Any operator that reads it makes it dense.
  explicit Tensor(SparseRows rows);

  bool defined() const { return static_cast<bool>(impl_); }
  /// The numbers. Throws GradError when undefined.
  const Array& array() const;
  const Shape& shape() const;
  DType dtype() const;
  Index rank() const { return shape().rank(); }
  Index numel() const { return array().numel(); }
  /// Size of one axis, negative axes from the end. Throws ShapeError.
  Index size(Index axis) const { return shape().at(axis); }
  /// The only element, cast to T. Throws ShapeError unless there is exactly one.
  template <class T = double>
  T item() const {
    if constexpr (std::same_as<T, bool>) return array().item() != 0;
    if constexpr (Whole<T>) {  // a double would round large integers
      if (numel() == 1 && dtype() == DType::i64) return static_cast<T>(*array().data<Index>());
    }
    return static_cast<T>(array().item());
  }

  /// True for leaves that were asked to, and for results on the tape.
  bool requires_grad() const;
  /// Throws GradError for a result on the tape, DTypeError unless f32 or f64.
  Tensor& set_requires_grad(bool on = true);
  Tensor requires_grad(bool on) const;
  Tensor requires_grad_(bool on = true) const { return requires_grad(on); }
  /// True unless it is the result of a recorded operator.
  bool is_leaf() const;

  /// What backward passes have summed into this leaf; undefined before the first, and for results
  /// unless retain_grad() was called.
  Tensor grad() const;
  /// Throws ShapeError, DTypeError when it does not fit.
  void set_grad(const Tensor& gradient);
  void zero_grad();

  /// Walks the tape from here and adds into the grad() of every leaf. `gradient` may be left out
  /// for one element. Throws GradError when this does not require a gradient, or the graph was
  /// freed.
  void backward(const Tensor& gradient = Tensor(), const BackwardOptions& options = {}) const;
  void backward(const Tensor& gradient, bool retain_graph, bool create_graph = false) const {
    backward(gradient, BackwardOptions{retain_graph, create_graph});
  }
  /// `loss.backward({.retain_graph = true})`; a template, so that `{}` alone is no gradient.
  template <std::same_as<BackwardOptions> Options = BackwardOptions>
  void backward(const Options& options) const {
    backward(Tensor(), options);
  }

  /// Called with each gradient that reaches this tensor, once a backward pass; may return nothing.
  HookId register_hook(Hook hook) const;
  template <class Look>
  requires std::is_void_v<std::invoke_result_t<Look&, const Tensor&>> HookId
  register_hook(Look look)
  const;
  void remove_hook(HookId id) const;
  /// Makes backward passes add into the grad() of this result as if it were a leaf; grad() leaves
  /// it alone. Nothing for a leaf. Throws GradError when this does not require a gradient.
  void retain_grad() const;
  bool retains_grad() const;

  /// The same numbers, off the tape.
  Tensor detach() const;

  /// True for a gradient that holds only some rows, until somebody asks for array().
  bool is_sparse() const;
  /// The rows. Throws GradError unless is_sparse().
  const SparseRows& sparse_rows() const;

  /// Replaces the numbers of a leaf, for all that hold this handle: what module.to(dtype) and
  /// load_state_dict do. Drops grad(). What operators kept of the old ones is stale, as after a
  /// write in place. Throws GradError for a result on the tape.
  void set_array(Array array);

  /// Writes `from` (same shape) into the numbers, in place. Throws GradError for a leaf that
  /// requires a gradient while recording, and for results on the tape.
  void copy_from(const Tensor& from);

  /// The same object, not equal numbers.
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }

  // What follows are methods by PyTorch's names, each defined in methods.h, part of <heed/heed.h>,
  // by the function of its name: shapes, dtypes and errors are that function's. Sizes and axes may
  // stand in braces or by themselves: view({-1, 6}), view(-1, 6), sum(1), sum({0, -1}, true).

  const Shape& sizes() const { return shape(); }
  const Shape& size() const { return shape(); }
  Index dim() const { return rank(); }
  Index ndim() const { return rank(); }
  Index nelement() const { return numel(); }
  const Strides& strides() const { return array().strides(); }
  Index stride(Index axis) const { return strides().at(axis); }
  bool is_contiguous() const { return array().is_contiguous(); }
  bool is_floating_point() const { return is_floating(dtype()); }
  /// The first element, to be read; rows follow each other where is_contiguous(). Throws DTypeError
  /// unless T is the dtype.
  template <class T>
  const T* data_ptr() const {
    return array().data<T>();
  }
  /// The elements in row-major order. Throws DTypeError unless T is the dtype.
  template <class T = float>
  std::vector<T> to_vector() const {
    return array().to_vector<T>();
  }
  /// Off the tape, as detach().
  Tensor data() const { return detach(); }
  /// Whether the only element is not 0: `if (all(x == y))`. Throws ShapeError unless there is one.
  explicit operator bool() const { return item<bool>(); }

  /// A place of the first axis, a view; places of a mask or indices (chosen.h); a part: index().
  Tensor operator[](Index place) const;
  Chosen operator[](const Tensor& places) const;
  Chosen operator[](std::initializer_list<IndexEntry> entries) const;
  Tensor operator[](const IndexEntry& entry) const;
  Chosen index(std::initializer_list<IndexEntry> entries) const;
  /// `x[0] = y`, `x[0] = 1`: written into x, as copy_() and fill_() do.
  Tensor& operator=(const Tensor& y) &&;
  Tensor& operator=(Scalar y) &&;

  // Shapes.
  Tensor view(const Shape& shape) const;
  Tensor reshape(const Shape& shape) const;
  Tensor expand(const Shape& shape) const;
  Tensor repeat(const Axes& repeats) const;
  Tensor permute(const Axes& axes) const;
  template <Whole... I>
  Tensor view(I... sizes) const {
    return view(Shape{static_cast<Index>(sizes)...});
  }
  template <Whole... I>
  Tensor reshape(I... sizes) const {
    return reshape(Shape{static_cast<Index>(sizes)...});
  }
  template <Whole... I>
  Tensor expand(I... sizes) const {
    return expand(Shape{static_cast<Index>(sizes)...});
  }
  template <Whole... I>
  requires(sizeof...(I) > 1) Tensor repeat(I... repeats)
  const { return repeat(Axes{static_cast<Index>(repeats)...}); }
  template <Whole... I>
  requires(sizeof...(I) > 1) Tensor permute(I... axes)
  const { return permute(Axes{static_cast<Index>(axes)...}); }
  Tensor view_as(const Tensor& other) const;
  Tensor reshape_as(const Tensor& other) const;
  Tensor expand_as(const Tensor& other) const;
  Tensor broadcast_to(const Shape& shape) const;
  Tensor flatten(Index first = 0, Index last = -1) const;
  Tensor transpose(Index a, Index b) const;
  Tensor t() const;
  Tensor T() const;
  Tensor mT() const;
  Tensor squeeze() const;
  Tensor squeeze(Index axis) const;
  Tensor squeeze(std::initializer_list<Index> axes) const;
  Tensor unsqueeze(Index axis) const;
  Tensor contiguous() const;
  Tensor flip(const Axes& axes) const;
  Tensor roll(const Axes& shifts, const Axes& axes = {}) const;
  Tensor tile(const Axes& repeats) const;
  Tensor repeat_interleave(Index repeats, Index axis) const;
  Tensor unfold(Index axis, Index size, Index step) const;
  std::vector<Tensor> split(Index length, Index axis = 0) const;
  std::vector<Tensor> split(const std::vector<Index>& lengths, Index axis = 0) const;
  std::vector<Tensor> chunk(Index count, Index axis = 0) const;
  std::vector<Tensor> unbind(Index axis = 0) const;
  Tensor to(DType dtype) const;
  Tensor to(const Tensor& other) const { return to(other.dtype()); }
  Tensor type_as(const Tensor& other) const { return to(other.dtype()); }
  Tensor clone() const;
  Tensor cpu() const { return *this; }

  // Parts.
  Tensor select(Index axis, Index index) const;
  Tensor slice(Index axis, Index start, Index stop = INT64_MAX, Index step = 1) const;
  Tensor narrow(Index axis, Index start, Index length) const;
  Tensor index_select(Index axis, const Tensor& index) const;
  Tensor gather(Index axis, const Tensor& index) const;
  Tensor scatter_add(Index axis, const Tensor& index, const Tensor& values) const;
  Tensor index_add(Index axis, const Tensor& index, const Tensor& values) const;
  Tensor masked_fill(const Tensor& mask, Scalar value) const;
  Tensor masked_select(const Tensor& mask) const;
  Tensor nonzero() const;
  Tensor diagonal(Index offset = 0, Index axis1 = 0, Index axis2 = 1) const;
  Tensor diag(Index offset = 0) const;
  Tensor tril(Index diagonal = 0) const;
  Tensor triu(Index diagonal = 0) const;

  // Element by element.
  Tensor add(const Tensor& y) const;
  Tensor add(const Tensor& y, Scalar alpha) const;
  Tensor add(Scalar y) const;
  Tensor sub(const Tensor& y) const;
  Tensor sub(const Tensor& y, Scalar alpha) const;
  Tensor sub(Scalar y) const;
  Tensor mul(const Tensor& y) const;
  Tensor mul(Scalar y) const;
  Tensor div(const Tensor& y) const;
  Tensor div(Scalar y) const;
  Tensor remainder(const Tensor& y) const;
  Tensor remainder(Scalar y) const;
  Tensor pow(const Tensor& y) const;
  Tensor pow(double y) const;
  Tensor neg() const;
  Tensor abs() const;
  Tensor sign() const;
  Tensor exp() const;
  Tensor log() const;
  Tensor sqrt() const;
  Tensor rsqrt() const;
  Tensor square() const;
  Tensor reciprocal() const;
  Tensor sin() const;
  Tensor cos() const;
  Tensor tanh() const;
  Tensor sigmoid() const;
  Tensor relu() const;
  Tensor floor() const;
  Tensor ceil() const;
  Tensor round() const;
  Tensor round(Index decimals) const;
  Tensor trunc() const;
  Tensor clamp(std::optional<double> min, std::optional<double> max = {}) const;
  Tensor clamp(const Tensor& min, const Tensor& max = Tensor()) const;
  Tensor clip(std::optional<double> min, std::optional<double> max = {}) const;
  Tensor clamp_min(double min) const { return clamp(min); }
  Tensor clamp_max(double max) const { return clamp({}, max); }
  Tensor maximum(const Tensor& y) const;
  Tensor minimum(const Tensor& y) const;
  Tensor softmax(Index axis) const;
  Tensor softmax(Index axis, DType dtype) const;
  Tensor log_softmax(Index axis) const;
  Tensor eq(const Tensor& y) const;
  Tensor eq(Scalar y) const;
  Tensor ne(const Tensor& y) const;
  Tensor ne(Scalar y) const;
  Tensor lt(const Tensor& y) const;
  Tensor lt(Scalar y) const;
  Tensor le(const Tensor& y) const;
  Tensor le(Scalar y) const;
  Tensor gt(const Tensor& y) const;
  Tensor gt(Scalar y) const;
  Tensor ge(const Tensor& y) const;
  Tensor ge(Scalar y) const;
  Tensor logical_not() const;
  Tensor logical_and(const Tensor& y) const;
  Tensor logical_or(const Tensor& y) const;
  bool equal(const Tensor& y) const;
  bool allclose(const Tensor& y, double rtol = 1e-5, double atol = 1e-8) const;

  // Over axes; none: all.
  Tensor sum(const Axes& axes = {}, bool keepdim = false) const;
  template <std::same_as<DType> Type>
  Tensor sum(Type dtype) const;
  Tensor mean(const Axes& axes = {}, bool keepdim = false) const;
  Tensor prod(const Axes& axes = {}, bool keepdim = false) const;
  Tensor var(const Axes& axes = {}, bool keepdim = false, Index correction = 1) const;
  Tensor std(const Axes& axes = {}, bool keepdim = false, Index correction = 1) const;
  template <std::same_as<bool> T>
  void var(const Axes&, T, T, Say<"x.var(axes, keepdim, correction)"> = {}) const = delete;
  template <std::same_as<bool> T>
  void std(const Axes&, T, T, Say<"x.std(axes, keepdim, correction)"> = {}) const = delete;
  Tensor norm(double p = 2, const Axes& axes = {}, bool keepdim = false) const;
  Tensor logsumexp(const Axes& axes, bool keepdim = false) const;
  Tensor amax(const Axes& axes = {}, bool keepdim = false) const;
  Tensor amin(const Axes& axes = {}, bool keepdim = false) const;
  Tensor all(const Axes& axes = {}, bool keepdim = false) const;
  Tensor any(const Axes& axes = {}, bool keepdim = false) const;
  Tensor max() const;
  Tensor min() const;
  Picked max(Index axis, bool keepdim = false) const;
  Picked min(Index axis, bool keepdim = false) const;
  Tensor argmax() const;
  Tensor argmin() const;
  Tensor argmax(Index axis, bool keepdim = false) const;
  Tensor argmin(Index axis, bool keepdim = false) const;
  Tensor median() const;
  Picked median(Index axis, bool keepdim = false) const;
  Picked sort(Index axis = -1, bool descending = false) const;
  Tensor argsort(Index axis = -1, bool descending = false) const;
  Picked topk(Index k, Index axis = -1, bool largest = true, bool sorted = true) const;
  Tensor cumsum(Index axis) const;
  Tensor cumprod(Index axis) const;

  // Products.
  Tensor matmul(const Tensor& y) const;
  Tensor mm(const Tensor& y) const;
  Tensor bmm(const Tensor& y) const;
  Tensor mv(const Tensor& y) const;
  Tensor dot(const Tensor& y) const;
  Tensor outer(const Tensor& y) const;

  // In place, unrecorded: see ops/elementwise/in_place.h; more of them in tensor_words.h.
  Tensor fill_(Scalar value) const;
  Tensor zero_() const;
  Tensor copy_(const Tensor& from) const;
  Tensor add_(const Tensor& y, Scalar alpha = 1) const;
  Tensor add_(Scalar y) const;
  Tensor sub_(const Tensor& y, Scalar alpha = 1) const;
  Tensor sub_(Scalar y) const;
  Tensor mul_(const Tensor& y) const;
  Tensor mul_(Scalar y) const;
  Tensor div_(const Tensor& y) const;
  Tensor div_(Scalar y) const;
  Tensor pow_(double y) const;
  Tensor clamp_(std::optional<double> min, std::optional<double> max = {}) const;
  Tensor masked_fill_(const Tensor& mask, Scalar value) const;
  Tensor normal_(double mean = 0, double deviation = 1) const;
  Tensor uniform_(double low = 0, double high = 1) const;

  void to(const char*, Say<"heed computes on the processor: leave it out"> = {}) const = delete;

  static Tensor zeros(const Shape& shape, DType dtype = DType::f32);
  static Tensor ones(const Shape& shape, DType dtype = DType::f32);
  static Tensor full(const Shape& shape, double value, DType dtype = DType::f32);
  static Tensor rand(const Shape& shape, DType dtype = DType::f32);
  static Tensor randn(const Shape& shape, DType dtype = DType::f32);

  // For the tape.
  TensorImpl* impl() const { return impl_.get(); }
  static Tensor on_tape(Array array, Ref<TapeNode> node, std::uint32_t output);
  const Ref<TapeNode>& node() const;
  std::uint32_t output() const;

 private:
  friend class TensorImpl;
  explicit Tensor(Ref<TensorImpl> impl) : impl_(std::move(impl)) {}
  TensorImpl& checked() const;

  Ref<TensorImpl> impl_;
};

/// "f32[2, 3]", "undefined".
std::string describe(const Tensor& tensor);
/// As NumPy prints: a row a line, columns aligned, long axes cut; see core/print.h.
std::string to_string(const Tensor& tensor);
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace heed

#include "factories.h"    // what makes tensors,
#include "tensor_impl.h"  // what they point to
