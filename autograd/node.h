// The tape: a TapeNode is one recorded operator, an Edge says where the gradient of one of its
// inputs goes, Saved and SavedOutput are what an operator's derivative keeps.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../core/precision.h"
#include "op.h"
#include "tensor.h"

namespace heed {

/// Where a gradient goes: to a result of another node, or to a leaf; nowhere when both are null.
struct Edge {
  Ref<TapeNode> node;
  Ref<TensorImpl> leaf;
  std::uint32_t output = 0;

  /// Where `input`'s gradient goes.
  static Edge to(const Tensor& input);
  explicit operator bool() const { return node || leaf; }
};

/// What a node is called: an operator of the list, or a user's function by a name of its own, which
/// must outlive the graph (a literal).
struct Label {
  Label(Op op_in) : op(op_in) {}
  Label(const char* name_in) : op(Op::function), user(name_in) {}
  const char* name() const { return user ? user : heed::name(op); }

  Op op;
  const char* user = nullptr;
};

/// What DetectAnomaly notes of a node: what it was made from, and where.
struct Origin {
  std::string inputs;
  std::string scopes;
  std::vector<void*> frames;
};

using Hooks = std::vector<std::pair<HookId, Hook>>;

/// What the engine knows of one result of a node.
struct OutputSlot {
  Shape shape;
  DType dtype = DType::f32;
  Tensor gradient;  ///< summed so far in the pass that is running
  std::unique_ptr<Hooks> hooks;
  TensorImpl* retained = nullptr;  ///< of whom retain_grad() was asked, while it lives
};

/// Takes the gradients of a node's inputs while the node is differentiated.
class GradientSink {
 public:
  /// False when nobody wants the gradient of that input.
  virtual bool wants(std::size_t input) const = 0;
  virtual void give(std::size_t input, Tensor gradient) = 0;
  /// True when what is saved must stay for another pass.
  virtual bool retains() const = 0;
  /// Hands an output's gradient to a tensor made while the node is differentiated: the walk goes on
  /// from there, as if what made it had been recorded in the node's stead.
  virtual void graft(const Tensor& tensor, Tensor gradient) = 0;

 protected:
  ~GradientSink() = default;
};

class TapeNode : public RefCounted {
 public:
  /// Walks the freed graph with a list instead of the stack.
  static void destroy(TapeNode* node) noexcept;

  Op op() const { return label_.op; }
  const char* name() const { return label_.name(); }
  /// Greater than that of every node it gets inputs from: the engine's order.
  std::uint64_t order() const { return order_; }
  OutputSlot& output(std::uint32_t i) { return outputs_[i]; }
  std::uint32_t output_count() const { return output_count_; }
  const Edge& edge(std::size_t i) const { return edges_[i]; }
  std::size_t edge_count() const { return edge_count_; }
  bool freed() const { return freed_; }

  /// True when differentiating it may reach more than its inputs: see GradientSink::graft().
  virtual bool grafts() const { return false; }
  /// Hands the gradient of each wanted input to `sink`, given those of the outputs.
  virtual void differentiate(GradientSink& sink) = 0;
  /// Frees what was saved; the edges stay until the node goes.
  virtual void free_saved() noexcept = 0;
  void mark_freed() { freed_ = true; }

  /// What an Observer called the operator's call; 0 where none was told.
  std::uint32_t call() const { return call_; }
  void set_call(std::uint32_t call) { call_ = call; }

  /// What held when it was recorded, and holds again while it is differentiated.
  Precision precision() const { return precision_; }

  /// Null unless it was made under DetectAnomaly.
  const Origin* origin() const { return origin_.get(); }
  void set_origin(std::unique_ptr<Origin> origin) { origin_ = std::move(origin); }

  /// The engine's: the pass in which a gradient waits here, or that is at work here.
  const void* pass = nullptr;

 protected:
  TapeNode(Label label, Edge* edges, std::size_t edge_count, OutputSlot* outputs,
       std::uint32_t output_count);
  virtual ~TapeNode();
  /// To be called when the edges stand.
  void take_order();

 private:
  virtual std::size_t size() const = 0;

  TapeNode* next_dying_ = nullptr;
  Edge* edges_;
  OutputSlot* outputs_;
  std::uint64_t order_ = 0;
  std::uint32_t edge_count_;
  std::uint32_t output_count_;
  Label label_;
  std::unique_ptr<Origin> origin_;
  bool freed_ = false;
  Precision precision_ = heed::precision();
  std::uint32_t call_ = 0;
};

/// The state that an array was kept in. Where others may write to its numbers (core/loan.h), these
/// are hashed, now and when they are read again; else it is the version alone. `replaced`: what the
/// tensor adds to it, see TensorImpl::replace().
class Seal {
 public:
  Seal() = default;
  explicit Seal(const Array& array, std::uint32_t replaced = 0)
      : version_(array.version() + replaced) {
    if (array.exposed()) look_at(array, replaced);
  }
  /// False after a write.
  bool holds(const Array& array, std::uint32_t replaced = 0) const {
    if (hash_ != 0 || array.exposed()) return still_holds(array, replaced);
    return array.version() + replaced == version_;
  }
  /// Why it does not hold.
  std::string broken(const Array& array, std::uint32_t replaced = 0) const;

 private:
  void look_at(const Array& array, std::uint32_t replaced);
  bool still_holds(const Array& array, std::uint32_t replaced) const;
  std::uint32_t version_ = 0, hash_ = 0;  // 0: not hashed
};

/// An input kept for the derivative. Reading it after a write, or after set_array(), throws
/// GradError, naming the operator that kept it.
class Saved {
 public:
  Saved() = default;
  explicit Saved(const Tensor& tensor)
      : tensor_(tensor),
        seal_(tensor.defined() ? Seal(tensor.array(), tensor.impl()->replaced) : Seal()) {}
  const Tensor& operator()() const {
    if (tensor_.defined() && !seal_.holds(tensor_.array(), tensor_.impl()->replaced)) throw_stale();
    return tensor_;
  }
  const Array& array() const { return (*this)().array(); }
  bool defined() const { return tensor_.defined(); }
  /// True inside of a derivative that may write over the numbers: nobody else holds them, and the
  /// pass that is running frees what was saved.
  bool expendable() const;

 private:
  [[noreturn]] void throw_stale() const;
  Tensor tensor_;
  Seal seal_;
};

/// An output kept by its own derivative: only the numbers, so that no cycle of references arises;
/// inside the derivative it gets its place on the tape back.
class SavedOutput {
 public:
  explicit SavedOutput(const Array& array, std::uint32_t output = 0)
      : array_(array), seal_(array), output_(output) {}
  Tensor operator()() const;
  const Array& array() const;

 private:
  Array array_;
  Seal seal_;
  std::uint32_t output_;
};

namespace detail {
/// The node being differentiated on this thread, for Saved's messages and SavedOutput.
inline constinit thread_local TapeNode* t_current = nullptr;
/// Whether the pass that it is differentiated in keeps what was saved.
inline constinit thread_local bool t_retains = true;
/// True under DetectAnomaly.
inline constinit thread_local bool t_anomaly = false;
/// Nodes made on this thread from now on come after `order`.
void continue_order_after(std::uint64_t order);
}  // namespace detail

}  // namespace heed
