// record(): puts an operator on the tape. Forward and derivative stand next to each other:
//
//   Tensor mul(const Tensor& x, const Tensor& y) {
//     return record(Op::mul, kernels::binary(Binary::mul, x.array(), y.array()), {x, y},
//                   [y = Saved(y)](const Tensor& g) { return g * y(); },
//                   [x = Saved(x)](const Tensor& g) { return g * x(); });
//   }
//
// One rule an input; what a rule captures is all that is kept for it, and the rule of an input that
// needs no gradient is dropped at once. Rules are written with differentiable operators, and return
// a gradient that the engine sums over broadcast axes.
#pragma once

#include <array>
#include <initializer_list>
#include <new>
#include <optional>
#include <tuple>

#include "../core/observer.h"
#include "grad_mode.h"
#include "node.h"

namespace heed {

/// A reference to an input, without counting it.
class InputRef {
 public:
  InputRef(const Tensor& tensor) : tensor_(&tensor) {}
  const Tensor& operator*() const { return *tensor_; }

 private:
  const Tensor* tensor_;
};
using Inputs = std::initializer_list<InputRef>;

/// One gradient an input, undefined where there is none.
using Gradients = std::vector<Tensor>;

namespace detail {

// anomaly.cpp: looks at a new result; notes where its node was made.
void inspect_result(const Label& label, const Array& out, const InputRef* begin,
                    const InputRef* end);
void note_origin(TapeNode& node, const InputRef* begin, const InputRef* end);

// record.cpp
/// Tells the Observer of a call; its number goes into the node, where there is one.
void tell_call(const Label& label, const Array* outs, std::size_t count, const InputRef* begin,
               const InputRef* end, TapeNode* node);
[[noreturn]] void throw_undefined_result(const Label& label);
[[noreturn]] void throw_rule_count(const Label& label, std::size_t rules, std::size_t inputs);
[[noreturn]] void throw_gradient_count(const TapeNode& node, std::size_t gradients);

inline bool any_requires_grad(const InputRef* begin, const InputRef* end) {
  if (!recording()) return false;
  for (const InputRef* input = begin; input != end; ++input) {
    if ((**input).defined() && (**input).requires_grad()) return true;
  }
  return false;
}

template <class T, class... Args>
Ref<TapeNode> make_node(Args&&... args) {
  void* block = allocate_block(sizeof(T), BlockKind::node);
  try {
    return Ref<TapeNode>::adopt(::new (block) T(std::forward<Args>(args)...));
  } catch (...) {
    free_block(block, sizeof(T), BlockKind::node);
    throw;
  }
}

template <class... Rules>
class RuleNode final : public TapeNode {
  static constexpr std::size_t kInputs = sizeof...(Rules);

 public:
  RuleNode(const Label& label, const Array& out, const InputRef* inputs, Rules&&... rules)
      : TapeNode(label, edges_, kInputs, &output_, 1), rules_(std::move(rules)...) {
    output_.shape = out.shape();
    output_.dtype = out.dtype();
    for (std::size_t i = 0; i < kInputs; ++i) edges_[i] = Edge::to(*inputs[i]);
    drop_unwanted(std::index_sequence_for<Rules...>{});
    take_order();
  }

  void differentiate(GradientSink& sink) override {
    const Tensor g = std::move(output_.gradient);
    apply(g, sink, std::index_sequence_for<Rules...>{});
  }
  void free_saved() noexcept override {
    std::apply([](auto&... rule) { (rule.reset(), ...); }, rules_);
  }

 private:
  template <std::size_t... I>
  void drop_unwanted(std::index_sequence<I...>) {
    ((edges_[I] ? void() : std::get<I>(rules_).reset()), ...);
  }
  template <std::size_t... I>
  void apply(const Tensor& g, GradientSink& sink, std::index_sequence<I...>) {
    (apply_one<I>(g, sink), ...);
  }
  template <std::size_t I>
  void apply_one(const Tensor& g, GradientSink& sink) {
    if (!edges_[I] || !sink.wants(I)) return;
    sink.give(I, (*std::get<I>(rules_))(g));
    if (!sink.retains()) std::get<I>(rules_).reset();
  }
  std::size_t size() const override { return sizeof(*this); }

  Edge edges_[kInputs];
  OutputSlot output_;
  std::tuple<std::optional<Rules>...> rules_;
};

template <std::size_t kInputs, class Rule>
class SharedNode final : public TapeNode {
 public:
  SharedNode(const Label& label, const Array& out, const InputRef* inputs, Rule&& rule)
      : TapeNode(label, edges_, kInputs, &output_, 1), rule_(std::move(rule)) {
    output_.shape = out.shape();
    output_.dtype = out.dtype();
    for (std::size_t i = 0; i < kInputs; ++i) edges_[i] = Edge::to(*inputs[i]);
    take_order();
  }

  void differentiate(GradientSink& sink) override {
    const Tensor g = std::move(output_.gradient);
    std::array<bool, kInputs> needs;
    for (std::size_t i = 0; i < kInputs; ++i) needs[i] = edges_[i] && sink.wants(i);
    std::array<Tensor, kInputs> grads = (*rule_)(g, needs);
    for (std::size_t i = 0; i < kInputs; ++i) {
      if (needs[i]) sink.give(i, std::move(grads[i]));
    }
  }
  void free_saved() noexcept override { rule_.reset(); }

 private:
  std::size_t size() const override { return sizeof(*this); }

  Edge edges_[kInputs];
  OutputSlot output_;
  std::optional<Rule> rule_;
};

template <class Rule>
class JointNode final : public TapeNode {
 public:
  JointNode(const Label& label, std::vector<Edge> edges, std::vector<OutputSlot> outputs,
            Rule&& rule)
      : TapeNode(label, edges.data(), edges.size(), outputs.data(),
             static_cast<std::uint32_t>(outputs.size())),
        edges_(std::move(edges)),
        outputs_(std::move(outputs)),
        rule_(std::move(rule)) {
    take_order();
  }

  void differentiate(GradientSink& sink) override {
    Gradients g(outputs_.size());
    for (std::size_t i = 0; i < g.size(); ++i) g[i] = std::move(outputs_[i].gradient);
    std::vector<bool> needs(edges_.size());
    for (std::size_t i = 0; i < needs.size(); ++i) needs[i] = edges_[i] && sink.wants(i);
    Gradients grads = (*rule_)(g, needs);
    if (grads.size() != needs.size()) throw_gradient_count(*this, grads.size());
    for (std::size_t i = 0; i < grads.size(); ++i) {
      if (needs[i] && grads[i].defined()) sink.give(i, std::move(grads[i]));
    }
  }
  void free_saved() noexcept override { rule_.reset(); }

 private:
  std::size_t size() const override { return sizeof(*this); }

  std::vector<Edge> edges_;
  std::vector<OutputSlot> outputs_;
  std::optional<Rule> rule_;
};

}  // namespace detail

/// A result with one rule an input: rule(g) -> gradient. Undefined inputs are skipped.
template <class... Rules>
Tensor record(const Label& label, Array out, Inputs inputs, Rules... rules) {
  if (!out.defined()) detail::throw_undefined_result(label);
  if (inputs.size() != sizeof...(Rules)) {
    detail::throw_rule_count(label, sizeof...(Rules), inputs.size());
  }
  if (detail::t_anomaly) detail::inspect_result(label, out, inputs.begin(), inputs.end());
  if (!detail::any_requires_grad(inputs.begin(), inputs.end())) {
    if (observed()) [[unlikely]]
      detail::tell_call(label, &out, 1, inputs.begin(), inputs.end(), nullptr);
    return Tensor(std::move(out));
  }
  Ref<TapeNode> node = detail::make_node<detail::RuleNode<Rules...>>(label, out, inputs.begin(),
                                                                 std::move(rules)...);
  if (detail::t_anomaly) detail::note_origin(*node, inputs.begin(), inputs.end());
  if (observed()) [[unlikely]]
    detail::tell_call(label, &out, 1, inputs.begin(), inputs.end(), node.get());
  return Tensor::on_tape(std::move(out), std::move(node), 0);
}

/// A result with one rule for all inputs, where their gradients share work: rule(g, needs) -> one
/// gradient an input, undefined where needs[i] is false.
template <std::size_t kInputs, class Rule>
Tensor record_shared(const Label& label, Array out, const InputRef (&inputs)[kInputs], Rule rule) {
  if (!out.defined()) detail::throw_undefined_result(label);
  if (detail::t_anomaly) detail::inspect_result(label, out, inputs, inputs + kInputs);
  if (!detail::any_requires_grad(inputs, inputs + kInputs)) {
    if (observed()) [[unlikely]]
      detail::tell_call(label, &out, 1, inputs, inputs + kInputs, nullptr);
    return Tensor(std::move(out));
  }
  Ref<TapeNode> node =
      detail::make_node<detail::SharedNode<kInputs, Rule>>(label, out, inputs, std::move(rule));
  if (detail::t_anomaly) detail::note_origin(*node, inputs, inputs + kInputs);
  if (observed()) [[unlikely]]
    detail::tell_call(label, &out, 1, inputs, inputs + kInputs, node.get());
  return Tensor::on_tape(std::move(out), std::move(node), 0);
}

/// Several results, or any number of inputs, with one rule for all: rule(gradients of the outputs,
/// which may be undefined, needs) -> one gradient an input, undefined where needs[i] is false.
template <class Rule>
std::vector<Tensor> record_joint(const Label& label, const std::vector<Array>& outs,
                                 const std::vector<InputRef>& inputs, Rule rule) {
  const InputRef* const begin = inputs.data();
  const InputRef* const end = begin + inputs.size();
  std::vector<Tensor> results;
  results.reserve(outs.size());
  for (const Array& out : outs) {
    if (!out.defined()) detail::throw_undefined_result(label);
    if (detail::t_anomaly) detail::inspect_result(label, out, begin, end);
  }
  if (!detail::any_requires_grad(begin, end)) {
    if (observed()) [[unlikely]]
      detail::tell_call(label, outs.data(), outs.size(), begin, end, nullptr);
    for (const Array& out : outs) results.emplace_back(out);
    return results;
  }
  std::vector<Edge> edges;
  edges.reserve(inputs.size());
  for (const InputRef& input : inputs) edges.push_back(Edge::to(*input));
  std::vector<OutputSlot> slots(outs.size());
  for (std::size_t i = 0; i < outs.size(); ++i) {
    slots[i].shape = outs[i].shape();
    slots[i].dtype = outs[i].dtype();
  }
  const Ref<TapeNode> node = detail::make_node<detail::JointNode<Rule>>(
      label, std::move(edges), std::move(slots), std::move(rule));
  if (detail::t_anomaly) detail::note_origin(*node, begin, end);
  if (observed()) [[unlikely]]
    detail::tell_call(label, outs.data(), outs.size(), begin, end, node.get());
  for (std::size_t i = 0; i < outs.size(); ++i) {
    results.push_back(Tensor::on_tape(outs[i], node, static_cast<std::uint32_t>(i)));
  }
  return results;
}

}  // namespace heed
