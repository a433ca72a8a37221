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

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../core/array.h"
#include "../core/sparse_rows.h"

namespace heed {

class Node;
class Tensor;

/// A function on a gradient that may replace it: returns the new one, or an undefined Tensor to
/// keep it.
using Hook = std::function<Tensor(const Tensor& gradient)>;
using HookId = std::uint64_t;

/// retain_graph: what was saved stays for another pass. create_graph: the pass is recorded itself,
/// so that its results can be differentiated; implies retain_graph.
struct BackwardOptions {
  bool retain_graph = false;
  bool create_graph = false;
};

class TensorImpl;

class Tensor {
 public:
  /// Undefined.
  Tensor() = default;
  /// A constant: no place on the tape.
  Tensor(Array array);
  /// A gradient of which only some rows are held. Any operator that reads it makes it dense.
  explicit Tensor(SparseRows rows);
  /// From numbers: `tensor({1, 2, 3, 4, 5, 6}, {2, 3})` and tensor(2.5).

  bool defined() const { return static_cast<bool>(impl_); }
  /// The numbers. Throws GradError when undefined.
  const Array& array() const;
  const Shape& shape() const;
  DType dtype() const;
  Index rank() const { return shape().rank(); }
  Index numel() const { return array().numel(); }
  /// Size of one axis, negative axes from the end. Throws ShapeError.
  Index size(Index axis) const { return shape().at(axis); }
  /// The only element. Throws ShapeError unless there is exactly one.
  double item() const { return array().item(); }

  /// True for leaves that were asked to, and for results on the tape.
  bool requires_grad() const;
  /// Throws GradError for a result on the tape, DTypeError unless f32 or f64.
  Tensor& set_requires_grad(bool on = true);
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

  /// Called with each gradient that reaches this tensor, once a backward pass.
  HookId register_hook(Hook hook) const;
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
  /// load_state_dict do. Drops grad(). Throws GradError for a result on the tape.
  void set_array(Array array);

  /// Writes `from` (same shape) into the numbers, in place. Throws GradError for a leaf that
  /// requires a gradient while recording, and for results on the tape.
  void copy_from(const Tensor& from);

  /// The same object, not equal numbers.
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }

  // For the tape.
  TensorImpl* impl() const { return impl_.get(); }
  static Tensor on_tape(Array array, Ref<Node> node, std::uint32_t output);
  const Ref<Node>& node() const;
  std::uint32_t output() const;

 private:
  friend class TensorImpl;
  explicit Tensor(Ref<TensorImpl> impl) : impl_(std::move(impl)) {}
  TensorImpl& checked() const;

  Ref<TensorImpl> impl_;
};

/// Rank 0. `tensor(2.5)`
Tensor tensor(double value, DType dtype = DType::f32);
/// `values` in row-major order. Throws ShapeError when the count does not fill the shape.
Tensor tensor(const std::vector<double>& values, const Shape& shape, DType dtype = DType::f32);
Tensor zeros(const Shape& shape, DType dtype = DType::f32);
Tensor ones(const Shape& shape, DType dtype = DType::f32);
Tensor full(const Shape& shape, double value, DType dtype = DType::f32);

class Generator;
/// Independent draws, from the default generator or the one given.
Tensor randn(const Shape& shape, DType dtype = DType::f32);
Tensor randn(const Shape& shape, DType dtype, Generator& generator);
Tensor rand(const Shape& shape, DType dtype = DType::f32);
Tensor rand(const Shape& shape, DType dtype, Generator& generator);

/// "f32[2, 3]", "undefined".
std::string describe(const Tensor& tensor);
/// As NumPy prints: a row a line, columns aligned, long axes cut; see core/print.h.
std::string to_string(const Tensor& tensor);
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

/// What a Tensor points to.
class TensorImpl : public RefCounted {
 public:
  static Ref<TensorImpl> make(Array array);
  static void destroy(TensorImpl* impl) noexcept;

  Array array;
  Tensor grad;
  Ref<Node> node;              ///< the operator that made it; null for leaves
  std::uint32_t output = 0;    ///< which of its results
  bool requires_grad = false;  ///< of a leaf
  bool retains_grad = false;   ///< of a result: its node points here
  std::unique_ptr<SparseRows> sparse;
  std::unique_ptr<std::vector<std::pair<HookId, Hook>>> hooks;  ///< of a leaf

 private:
  explicit TensorImpl(Array numbers);
  ~TensorImpl();
};

}  // namespace heed
