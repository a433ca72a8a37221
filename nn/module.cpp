#include "module.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <ostream>
#include <typeinfo>
#include <unordered_map>
#include <unordered_set>

#include "../autograd/grad_mode.h"
#include "../core/error.h"
#include "../core/faults.h"
#include "../core/quoted.h"
#include "held_by_value.h"
#include "unchecked_modes.h"

namespace heed::nn {
namespace {

// 1234567 as "1,234,567".
std::string grouped(Index count) {
  std::string out = std::to_string(count);
  for (std::size_t at = out.size(); at > 3;) out.insert(at -= 3, 1, ',');
  return out;
}

// Whether numbers of one dtype are copied into those of another: bf16 widens to f32.
bool goes_into(DType from, DType to) {
  return from == to || (from == DType::bf16 && to == DType::f32);
}

void check_leaf(const char* who, const std::string& name, const Tensor& tensor) {
  if (tensor.is_leaf()) return;
  throw GradError(fmt::format("{}: {} is {}, the result of an operator, not a leaf", who,
                              in_quotes(name), describe(tensor)));
}

std::string row(std::size_t depth, const std::string& label, const std::string& what, Index count) {
  const std::string left = std::string(2 * depth, ' ') + label;
  return fmt::format("{:<34} {:<20} {:>14}", left, what, grouped(count));
}

}  // namespace

Module::Module() { detail::enter_unowned(this); }
Module::Module(Module&& from, Handover)
    : slots_(std::move(from.slots_)),
      children_(std::move(from.children_)),
      hooks_(std::move(from.hooks_)),
      always_forwards_(from.always_forwards_),
      training_(from.training_) {
  change_parent(from);
  detail::enter_unowned(this);
}
Module::~Module() {
  leave_children();
  if (!owned_) detail::leave_unowned(this);
}

void Module::check_name(std::string_view name) const {
  if (name.empty() || name.find('.') != std::string_view::npos) {
    throw ValueError(fmt::format(
        "module: {} is no name: it must not be empty and must not have a '.'", in_quotes(name)));
  }
  const auto same = [&](const auto& entry) { return entry.name == name; };
  if (std::any_of(slots_.begin(), slots_.end(), same) ||
      std::any_of(children_.begin(), children_.end(), same)) {
    throw ValueError(fmt::format("module: the name {} is taken", in_quotes(name)));
  }
}

void Module::adopt(std::string_view name, std::shared_ptr<Module> child) {
  if (!child) throw GradError(fmt::format("module: child {} is none", in_quotes(name)));
  child->check_held_by_value();
  Module& module = *child;
  children_.push_back({std::string(name), std::move(child)});
  try {
    module.add_parent(*this, name);
  } catch (...) {
    children_.pop_back();
    throw;
  }
  if (!module.owned_) detail::leave_unowned(&module);
  module.owned_ = true;
}

void Module::check_held_by_value() const {
  if (checked_.load(std::memory_order_relaxed)) return;
  for (const Module* found : detail::held_by_value(*this)) {
    // What has nothing to list, and no mode as layers have, may stand where it likes: a score.
    if (found->slots_.empty() && found->children_.empty() && !found->always_forwards_) continue;
    throw ValueError(fmt::format(
        "module: {0} holds a {1} by value, which is in none of its lists: hold it by reference, "
        "{1}& name = child<{1}>(\"name\", ...)",
        class_name(), found->class_name()));
  }
  checked_.store(true, std::memory_order_relaxed);
}

void Module::check_is(const std::type_info& layer) const {
  if (typeid(*this) == layer) return;
  throw GradError(fmt::format(
      "forward: {} is derived from a layer, whose forward() this is: call the module, module(x)",
      class_name()));
}

Tensor Module::forwarded(Tensor output) const {
  if (!forwards_.load(std::memory_order_relaxed)) forwards_.store(true, std::memory_order_relaxed);
  if (hooks_) output = hooks_->run(*this, std::move(output));
  if (observed() && output.defined()) heed::detail::tell_returned(*this, output.array());
  return output;
}

Tensor& Module::parameter(std::string_view name, Tensor tensor) {
  check_name(name);
  if (tensor.defined()) {
    check_floating(fmt::format("parameter {}", in_quotes(name)).c_str(), tensor.dtype());
    tensor.set_requires_grad();
    if (!tensor.array().is_contiguous()) tensor.set_array(tensor.array().clone());
  }
  return slots_.emplace_back(Slot{std::string(name), std::move(tensor), false}).tensor;
}

Tensor& Module::buffer(std::string_view name, Tensor tensor) {
  check_name(name);
  return slots_.emplace_back(Slot{std::string(name), std::move(tensor), true}).tensor;
}

Tensor Module::nothing_like(const Tensor& parameter) {
  const Array number =
      Array::full(Shape{}, std::numeric_limits<double>::quiet_NaN(), parameter.dtype());
  return Tensor(number.expand(parameter.shape()));
}

void Module::give_up(const Tensor& parameter, const Tensor& nothing, const char* for_what) {
  for (Slot& slot : slots_) {
    if (&slot.tensor != &parameter) continue;
    slot.tensor = nothing;
    slot.given_up = for_what;
  }
}

void Module::collect(const std::string& prefix, std::vector<Slot>& out) const {
  check_held_by_value();
  for (const bool buffers : {false, true}) {
    for (const Slot& slot : slots_) {
      if (slot.is_buffer == buffers && slot.tensor.defined()) {
        out.push_back({prefix + slot.name, slot.tensor, slot.is_buffer, slot.given_up});
      }
    }
  }
  for (const Child& entry : children_) entry.module->collect(prefix + entry.name + ".", out);
}

std::vector<Module::Slot> Module::all() const {
  std::vector<Slot> out;
  collect("", out);
  return out;
}

std::vector<Module::Slot> Module::whole(const char* who) const {
  std::vector<Slot> out = all();
  for (const Slot& slot : out) {
    if (slot.given_up == nullptr) continue;
    throw ValueError(fmt::format("{}: {} is in {}, for good: keep the file that it came from", who,
                                 in_quotes(slot.name), slot.given_up));
  }
  return out;
}

std::vector<Module::Slot> Module::distinct() const {
  std::vector<Slot> out = all();
  std::unordered_set<const TensorImpl*> seen;
  std::erase_if(out, [&](const Slot& slot) { return !seen.insert(slot.tensor.impl()).second; });
  return out;
}

NamedTensors Module::named_parameters() const {
  NamedTensors out;
  for (const Slot& slot : distinct()) {
    if (!slot.is_buffer) out.emplace_back(slot.name, slot.tensor);
  }
  return out;
}

std::vector<Tensor> Module::parameters() const {
  std::vector<Tensor> out;
  for (const auto& entry : named_parameters()) out.push_back(entry.second);
  return out;
}

NamedTensors::Entries Module::named_buffers() const {
  NamedTensors::Entries out;
  for (const Slot& slot : distinct()) {
    if (slot.is_buffer) out.emplace_back(slot.name, slot.tensor);
  }
  return out;
}

NamedTensors Module::state_dict() const {
  NamedTensors out;
  for (const Slot& slot : whole("state_dict")) out.emplace_back(slot.name, slot.tensor.detach());
  return out;
}

void Module::load_state_dict(const NamedTensors& entries, bool strict) {
  std::vector<Slot> ours = whole("load_state_dict");
  std::unordered_map<std::string, Tensor> given;
  Faults faults;
  for (const auto& [name, tensor] : entries) {
    if (!given.emplace(name, tensor).second)
      faults.add(fmt::format("{} is named twice", in_quotes(name)));
  }
  for (const Slot& slot : ours) {
    const auto found = given.find(slot.name);
    if (found == given.end()) {
      if (strict) faults.add(fmt::format("{} is missing", in_quotes(slot.name)));
      continue;
    }
    const Tensor& tensor = found->second;
    if (!tensor.defined() || !(tensor.shape() == slot.tensor.shape()) ||
        !goes_into(tensor.dtype(), slot.tensor.dtype())) {
      faults.add(fmt::format("{} is {}, not {}", in_quotes(slot.name), describe(tensor),
                             describe(slot.tensor)));
    }
  }
  if (strict) {
    std::unordered_set<std::string> known;
    for (const Slot& slot : ours) known.insert(slot.name);
    for (const auto& entry : entries) {
      if (!known.contains(entry.first))
        faults.add(fmt::format("{} is unexpected", in_quotes(entry.first)));
    }
  }
  if (!faults.empty()) {
    throw ValueError(
        fmt::format("load_state_dict: the entries do not fit the module: {}", faults.text()));
  }
  std::unordered_set<const Storage*> written;
  for (const Slot& slot : ours) written.insert(slot.tensor.array().storage());
  std::vector<std::pair<Tensor, Tensor>> copies;  // what needs memory comes before the first
  for (const Slot& slot : ours) {
    const auto found = given.find(slot.name);
    if (found == given.end()) continue;
    const Array& from = found->second.array();
    const Array& to = slot.tensor.array();
    if (from.raw() == to.raw() && from.strides() == to.strides()) continue;
    check_leaf("load_state_dict", slot.name, slot.tensor);
    const bool overlap = written.contains(from.storage());
    copies.emplace_back(slot.tensor, overlap ? from.clone() : from.contiguous());
  }
  const NoGrad scope;
  for (auto& [to, from] : copies) to.copy_from(from);
}

Module& Module::train(bool on) {
  const std::vector<Module*> all = modules();
  for (const Module* each : all) {
    if (each->hooks_ && !UncheckedModes::now()) each->hooks_->check_called();
  }
  for (Module* each : all) each->training_ = on;
  return *this;
}

void Module::zero_grad() {
  for (Tensor& tensor : parameters()) tensor.zero_grad();
}

void Module::to(DType dtype) {
  if (dtype == DType::bf16) {
    throw DTypeError(
        "module.to: takes f32 or f64, not bf16: nn::to_bf16(module) holds its weights so");
  }
  check_floating("module.to", dtype);
  std::vector<std::pair<Tensor, Array>> changes;  // all made before the first is taken
  whole("module.to");
  for (const Slot& slot : distinct()) {
    if (is_floating(slot.tensor.dtype()) && slot.tensor.dtype() != dtype) {
      check_leaf("module.to", slot.name, slot.tensor);
      changes.emplace_back(slot.tensor, slot.tensor.array().to(dtype));
    }
  }
  for (auto& [tensor, numbers] : changes) tensor.set_array(std::move(numbers));
}

void Module::requires_grad(bool on) {
  NamedTensors all = named_parameters();
  for (const auto& [name, tensor] : all) {
    check_leaf("module.requires_grad", name, tensor);
    if (on) check_floating("module.requires_grad", tensor.dtype());
  }
  for (auto& [name, tensor] : all) {
    tensor.set_requires_grad(on);
    if (!on) tensor.zero_grad();
  }
}

Hooks& Module::hooks() {
  if (!hooks_) hooks_ = std::make_unique<Hooks>();
  return *hooks_;
}

HookId Module::register_forward_hook(ForwardHook hook) {
  if (!hook) throw ValueError("register_forward_hook: the hook is empty");
  const HookId id = hooks().add(std::move(hook));
  if (!always_forwards_ && !forwards_) watch(id);
  return id;
}

void Module::watch(HookId id) {
  const auto watch = hooks().watch(id, parameters(), class_name());
  if (!watch) return;
  worked_ = &watch->worked;
  std::unordered_set<const Module*> seen;
  for (const Child& entry : children_) {
    if (!seen.insert(entry.module.get()).second) continue;
    hooks().add_marker(entry.module, entry.module->hooks().add(Watch::marker(watch)));
  }
  watch->children = seen.size();
}

HookId Module::register_hook(const ParameterHook& hook) {
  if (!hook) throw ValueError("register_hook: the hook is empty");
  std::vector<std::pair<Tensor, HookId>> placed;
  for (const auto& [name, tensor] : named_parameters()) {
    if (!tensor.requires_grad()) continue;
    const HookId id = tensor.register_hook(
        [hook, name = name](const Tensor& gradient) { return hook(name, gradient); });
    placed.emplace_back(tensor, id);
  }
  if (placed.empty()) {
    throw GradError(
        fmt::format("register_hook: {} has no parameter that is trained", class_name()));
  }
  return hooks().add(std::move(placed));
}

void Module::remove_hook(HookId id) {
  if (!hooks_) return;
  hooks_->remove(id);
  if (!hooks_->watching()) worked_ = nullptr;
}

Index Module::parameter_count() const {
  Index count = 0;
  for (const Tensor& tensor : parameters()) count += tensor.numel();
  return count;
}

std::string Module::summary() const {
  std::unordered_set<const TensorImpl*> seen;
  Index frozen = 0;
  std::string out = row(0, class_name(), "", parameter_count()) + "\n";
  const auto print = [&](const auto& self, const Module& module, std::size_t depth) -> void {
    for (const Slot& slot : module.slots_) {
      if (!slot.tensor.defined()) continue;
      const bool tied = !seen.insert(slot.tensor.impl()).second;
      const bool is_frozen = !slot.is_buffer && !slot.tensor.requires_grad();
      if (is_frozen && !tied) frozen += slot.tensor.numel();
      out += row(depth, slot.name, describe(slot.tensor), slot.tensor.numel());
      out += fmt::format("{}{}{}\n", slot.is_buffer ? " buffer" : "", tied ? " tied" : "",
                         is_frozen ? " frozen" : "");
    }
    for (const Child& entry : module.children_) {
      const std::string label = fmt::format("{}: {}", entry.name, entry.module->class_name());
      out += row(depth, label, "", entry.module->parameter_count()) + "\n";
      self(self, *entry.module, depth + 1);
    }
  };
  print(print, *this, 1);
  if (frozen > 0) out += fmt::format("{} of the parameters are frozen\n", grouped(frozen));
  return out;
}

std::string to_string(const Module& module) { return module.summary(); }
std::ostream& operator<<(std::ostream& out, const Module& module) {
  return out << module.summary();
}

}  // namespace heed::nn
