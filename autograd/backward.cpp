#include "backward.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <unordered_map>

#include "../core/error.h"
#include "../core/observer.h"
#include "accumulate.h"
#include "anomaly.h"
#include "grad_mode.h"
#include "last_uses.h"
#include "leading.h"
#include "node.h"
#include "ops/reduce/reduce.h"
#include "pass_start.h"

namespace heed {
namespace {

Tensor run_hooks(const std::unique_ptr<Hooks>& hooks, Tensor gradient) {
  if (!hooks) return gradient;
  const Hooks now = *hooks;  // a hook may remove itself
  for (const auto& [id, hook] : now) {
    Tensor changed = hook(gradient);
    if (!changed.defined()) continue;
    if (!(changed.shape() == gradient.shape()) || changed.dtype() != gradient.dtype()) {
      throw GradError(fmt::format("hook: returned {} for a gradient of {}", describe(changed),
                                  describe(gradient)));
    }
    if (detail::t_anomaly) detail::inspect_gradient("a hook", changed);
    gradient = std::move(changed);
  }
  return gradient;
}

// One walk over the tape.
class Pass final : public GradientSink {
 public:
  Pass(bool retain, bool only_captured) : retain_(retain), only_captured_(only_captured) {}
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;
  // After an exception nothing of this pass may wait in the nodes for the next one.
  ~Pass() {
    if (current_) leave(*current_);
    for (const Entry& entry : queue_) leave(*entry.node);
  }

  // The gradient of `input` will be wanted: index into captured().
  void capture(const Tensor& input) {
    const std::size_t index = captured_.size();
    captured_.emplace_back();
    leading_.ask(input);
    if (input.node()) {
      captures_.insert({input.node().get(), {input.output(), index}});
    } else {
      leaf_captures_.insert({input.impl(), index});
      leaf_slot(Ref<TensorImpl>::share(input.impl()));
    }
  }

  void seed(const Tensor& output, Tensor gradient) {
    const Edge edge = Edge::to(output);
    if (only_captured_) leading_.look(edge);
    route(edge, std::move(gradient));
    if (edge.node) roots_.push_back(edge.node);
  }

  // Leaves are told of as soon as they are done with, see last_uses.h.
  void listen(const LeafListener& listener) {
    listener_ = &listener;
    uses_ = detail::last_uses(roots_);
  }

  void run() {
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end());
      TapeNode& node = *queue_.back().node;
      queue_.pop_back();
      for (; told_ < uses_.size() && uses_[told_].order > node.order(); ++told_) {
        const auto place = leaf_index_.find(uses_[told_].leaf);
        if (place != leaf_index_.end()) finish(leaves_[place->second]);
      }
      // What was grafted has been walked when the walk is back behind where it was grafted.
      while (!grafts_.empty() && node.order() <= grafts_.back().order) drop_graft();
      visit(node);
    }
  }

  // The whole walk, and what it came to into each leaf's grad().
  void run_to_leaves() {
    run();
    finish_leaves(
        [](TensorImpl& leaf, Tensor gradient) { add_to_grad(leaf, std::move(gradient)); });
  }

  // Hands each leaf's sum to take(leaf, gradient), in the order in which they were reached: none
  // where a hook throws.
  template <class Take>
  void finish_leaves(const Take& take) {
    for (Leaf& leaf : leaves_) finish(leaf);
    for (Leaf& leaf : leaves_) {
      if (leaf.gradient.defined()) take(*leaf.impl, std::move(leaf.gradient));
    }
  }

  std::vector<Tensor> captured() {
    finish_leaves([&](TensorImpl& impl, const Tensor& gradient) {
      const auto [begin, end] = leaf_captures_.equal_range(&impl);
      for (auto place = begin; place != end; ++place) captured_[place->second] = gradient;
    });
    return std::move(captured_);
  }

  // GradientSink.
  bool wants(std::size_t input) const override { return leads(current_->edge(input)); }
  bool retains() const override { return retain_; }
  void graft(const Tensor& tensor, Tensor gradient) override {
    const Edge edge = Edge::to(tensor);
    if (edge.node) {
      grafts_.push_back({edge.node, current_->order(), {}});
      if (only_captured_) grafts_.back().seen = leading_.look(edge);
    }
    route(edge, std::move(gradient));
  }
  void give(std::size_t input, Tensor gradient) override {
    const Edge& edge = current_->edge(input);
    if (!gradient.defined()) return;
    if (detail::t_anomaly) detail::inspect_gradient(*current_, input, gradient);
    const Shape& shape = edge.node ? edge.node->output(edge.output).shape : leaf_shape(edge);
    const DType dtype =
        widened(edge.node ? edge.node->output(edge.output).dtype : leaf_dtype(edge));
    if (gradient.dtype() != dtype) throw_misfit(input, gradient, shape, dtype);
    if (!(gradient.shape() == shape)) {
      if (!broadcasts_to(shape, gradient.shape())) throw_misfit(input, gradient, shape, dtype);
      gradient = sum_to(gradient, shape);
    }
    route(edge, std::move(gradient));
  }

 private:
  struct Entry {
    std::uint64_t order;
    TapeNode* node;
    bool operator<(const Entry& other) const { return order < other.order; }
  };
  struct Capture {
    std::uint32_t output;
    std::size_t index;
  };
  struct Graft {
    Ref<TapeNode> node;
    std::uint64_t order;  // of the node in whose stead it was made
    std::vector<const TapeNode*> seen;
  };
  struct Leaf {
    Ref<TensorImpl> impl;
    Tensor gradient;
    bool done = false;
  };

  // False where the gradient of nothing that is wanted depends on it.
  bool leads(const Edge& edge) const {
    if (edge.leaf && !edge.leaf->requires_grad) return false;  // frozen since
    return !only_captured_ || leading_.leads(edge);
  }

  // What was made in the node's stead goes, and others may come to lie where it was.
  void drop_graft() {
    const Graft& last = grafts_.back();
    for (const TapeNode* node : last.seen) {
      if (node->order() > last.order) leading_.forget(node);
    }
    grafts_.pop_back();
  }

  void finish(Leaf& leaf) {
    if (leaf.done || !leaf.gradient.defined()) return;
    leaf.done = true;
    leaf.gradient = run_hooks(leaf.impl->hooks, std::move(leaf.gradient));
    if (listener_) (*listener_)(TensorImpl::handle(leaf.impl), leaf.gradient);
  }

  static const Shape& leaf_shape(const Edge& edge) { return edge.leaf->array.shape(); }
  static DType leaf_dtype(const Edge& edge) { return edge.leaf->array.dtype(); }

  [[noreturn]] void throw_misfit(std::size_t input, const Tensor& gradient, const Shape& shape,
                                 DType dtype) const {
    throw GradError(
        fmt::format("backward: the derivative of {} gave {} for input {}, which is {}{}",
                    current_->name(), describe(gradient), input, name(dtype), to_string(shape)));
  }

  Leaf& leaf_slot(const Ref<TensorImpl>& impl) {
    const auto [place, fresh] = leaf_index_.try_emplace(impl.get(), leaves_.size());
    if (fresh) leaves_.push_back({impl, Tensor()});
    return leaves_[place->second];
  }

  void route(const Edge& edge, Tensor gradient) {
    if (!leads(edge)) return;
    if (edge.leaf) {
      accumulate(leaf_slot(edge.leaf).gradient, std::move(gradient));
      return;
    }
    if (!edge.node) return;
    TapeNode& node = *edge.node;
    // A node that is claimed stands in the queue from then on, or it would be left as it is.
    if (queue_.size() == queue_.capacity()) queue_.reserve(2 * queue_.size() + 8);
    if (claim(node)) {
      queue_.push_back({node.order(), &node});
      std::push_heap(queue_.begin(), queue_.end());
    }
    accumulate(node.output(edge.output).gradient, std::move(gradient));
  }

  // True when the node is new to this pass. Another pass may get to it at the same time, unless it
  // has one owner: the edge that led here, whose node is claimed already.
  bool claim(TapeNode& node) {
    const std::atomic_ref pass(node.pass);
    const void* holder = pass.load(std::memory_order_acquire);
    if (holder == this) return false;
    if (!holder && node.unique()) {
      pass.store(this, std::memory_order_relaxed);
    } else if (holder || !pass.compare_exchange_strong(holder, this, std::memory_order_acquire)) {
      throw_busy(node);
    }
    return true;
  }

  static void release(TapeNode& node) {
    std::atomic_ref(node.pass).store(nullptr, std::memory_order_release);
  }

  // No gradient of this pass stays behind.
  static void leave(TapeNode& node) {
    for (std::uint32_t i = 0; i < node.output_count(); ++i) node.output(i).gradient = Tensor();
    release(node);
  }

  [[noreturn]] static void throw_busy(const TapeNode& node) {
    throw GradError(fmt::format(
        "backward: {} is part of a pass that is running; one that is started by a hook or a "
        "derivative, or on another thread, must walk another graph",
        node.name()));
  }

  void visit(TapeNode& node) {
    current_ = &node;
    const bool last = only_captured_ && !leading_.goes_on(node);  // it is captured itself
    if (node.freed() && !last) {
      throw GradError(
          fmt::format("backward: what {} had saved was freed by an earlier pass; call that one "
                      "with retain_graph",
                      node.name()));
    }
    for (std::uint32_t i = 0; i < node.output_count(); ++i) {
      OutputSlot& slot = node.output(i);
      if (slot.hooks && slot.gradient.defined()) {
        slot.gradient = run_hooks(slot.hooks, std::move(slot.gradient));
      }
      if (std::atomic_ref(slot.retained).load(std::memory_order_relaxed) && !only_captured_ &&
          slot.gradient.defined()) {
        const std::lock_guard lock(grad_mutex());  // while it is held nobody destroys it
        if (TensorImpl* retained = slot.retained) add_to_grad(*retained, slot.gradient);
      }
    }
    if (!captures_.empty()) {
      const auto [begin, end] = captures_.equal_range(&node);
      for (auto place = begin; place != end; ++place) {
        captured_[place->second.index] = node.output(place->second.output).gradient;
      }
    }
    if (last) {
      leave(node);
      current_ = nullptr;
      return;
    }
    TapeNode* const before = std::exchange(detail::t_current, &node);
    const bool retained = std::exchange(detail::t_retains, retain_);
    try {
      const PrecisionScope scope(node.precision());
      if (observed()) [[unlikely]] {
        differentiate_observed(node);
      } else {
        node.differentiate(*this);
      }
    } catch (...) {
      detail::t_current = before;
      detail::t_retains = retained;
      if (!retain_) free(node);  // some of its rules may be gone already
      throw;
    }
    detail::t_current = before;
    detail::t_retains = retained;
    current_ = nullptr;
    if (!retain_) free(node);
    release(node);
  }

  // Whoever watches is told which gradients are wanted.
  void differentiate_observed(TapeNode& node) {
    const std::size_t count = node.edge_count();
    const auto wanted = std::make_unique<bool[]>(count);
    for (std::size_t i = 0; i < count; ++i) wanted[i] = node.edge(i) && wants(i);
    detail::tell_derivative({node.name(), node.call(), {wanted.get(), count}});
    try {
      node.differentiate(*this);
    } catch (...) {
      detail::tell_derivative_ends();
      throw;
    }
    detail::tell_derivative_ends();
  }

  static void free(TapeNode& node) {
    node.free_saved();
    node.mark_freed();
  }

  bool retain_;
  bool only_captured_;
  TapeNode* current_ = nullptr;
  std::vector<Entry> queue_;  // a heap, the newest operator on top
  std::vector<Ref<TapeNode>> roots_;
  std::vector<Leaf> leaves_;
  std::unordered_map<TensorImpl*, std::size_t> leaf_index_;
  std::vector<Graft> grafts_;
  std::unordered_multimap<TapeNode*, Capture> captures_;
  detail::Leading leading_;  // to what is captured
  std::unordered_multimap<TensorImpl*, std::size_t> leaf_captures_;
  std::vector<Tensor> captured_;
  const LeafListener* listener_ = nullptr;
  std::vector<detail::LastUse> uses_;
  std::size_t told_ = 0;
};

void seed_all(const char* op, Pass& pass, const std::vector<Tensor>& outputs,
              const std::vector<Tensor>& gradients) {
  if (gradients.size() > outputs.size()) {
    throw GradError(
        fmt::format("{}: {} gradients for {} outputs", op, gradients.size(), outputs.size()));
  }
  std::vector<Tensor> starts;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    starts.push_back(
        detail::start_of(op, outputs[i], i < gradients.size() ? gradients[i] : Tensor()));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) pass.seed(outputs[i], std::move(starts[i]));
}

}  // namespace

void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& gradients,
              const BackwardOptions& options) {
  detail::check_mode("backward", options);
  const GradMode mode(options.create_graph);
  Pass pass(options.retain_graph || options.create_graph, false);
  seed_all("backward", pass, outputs, gradients);
  pass.run_to_leaves();
}

void backward_and_tell(const std::vector<Tensor>& outputs, const LeafListener& leaf_is_done) {
  const NoGrad mode;
  Pass pass(false, false);
  seed_all("backward_and_tell", pass, outputs, {});
  pass.listen(leaf_is_done);
  pass.run_to_leaves();
}

std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& gradients, const BackwardOptions& options) {
  for (const Tensor& input : inputs) {
    if (!input.requires_grad()) {
      throw GradError(fmt::format("grad: input {} does not require a gradient", describe(input)));
    }
  }
  detail::check_mode("grad", options);
  const GradMode mode(options.create_graph);
  Pass pass(options.retain_graph || options.create_graph, true);
  for (const Tensor& input : inputs) pass.capture(input);
  seed_all("grad", pass, outputs, gradients);
  pass.run();
  return pass.captured();
}

}  // namespace heed
