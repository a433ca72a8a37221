// Modules that are written in Python, and the members of any module by their names.
#include "modules.h"

#include <algorithm>

namespace heed::nn {

/// What a module written in Python may do with its members, which nobody refers to: let one go, and
/// put another in its place; and what Python asks of any module. Module is open to Layers alone, so
/// this is one of a kind.
template <>
class Layer<python::PythonModule> {
 public:
  /// Nothing happens for a name that is not there.
  static void drop(Module& from, const std::string& name) {
    for (Module::Slot& slot : from.slots_) {
      if (slot.name != name) continue;
      slot.name.clear();  // it stays: others have their places behind it
      slot.tensor = Tensor();
      return;
    }
    const auto entry = find(from, name);
    if (entry != from.children_.end()) let_go(from, entry - from.children_.begin());
  }
  /// Beside the parameter or buffer of that name, which is to be dropped next.
  static void add(Module& to, const std::string& name, const std::shared_ptr<Module>& child) {
    to.adopt(name, child);
  }
  /// In the child's place among the others.
  static void replace(Module& in, const std::string& name, const std::shared_ptr<Module>& child) {
    const auto at = find(in, name) - in.children_.begin();
    if (in.children_[static_cast<std::size_t>(at)].module == child) return;
    in.adopt(name, child);
    std::swap(in.children_[static_cast<std::size_t>(at)], in.children_.back());
    let_go(in, static_cast<std::ptrdiff_t>(in.children_.size()) - 1);
  }

  /// The parameter or buffer of that name; null for none.
  static Tensor* tensor(Module& in, const std::string& name) {
    for (Module::Slot& slot : in.slots_) {
      if (slot.name == name && slot.tensor.defined()) return &slot.tensor;
    }
    return nullptr;
  }
  static bool is_buffer(const Module& in, const Tensor& place) {
    return std::any_of(in.slots_.begin(), in.slots_.end(), [&](const Module::Slot& slot) {
      return &slot.tensor == &place && slot.is_buffer;
    });
  }

  static const Hooks* hooks(const Module& of) { return of.hooks_.get(); }
  static void set_mode(Module& of, bool training) {
    if (of.hooks_) of.hooks_->check_called();
    of.training_ = training;
  }
  static std::vector<std::pair<std::string, std::shared_ptr<Module>>> children(const Module& of) {
    std::vector<std::pair<std::string, std::shared_ptr<Module>>> out;
    for (const Module::Child& entry : of.children_) out.emplace_back(entry.name, entry.module);
    return out;
  }

 private:
  static std::vector<Module::Child>::iterator find(Module& in, const std::string& name) {
    return std::find_if(in.children_.begin(), in.children_.end(),
                        [&](const Module::Child& entry) { return entry.name == name; });
  }
  static void let_go(Module& from, std::ptrdiff_t place) {
    const std::shared_ptr<Module> child = from.children_[static_cast<std::size_t>(place)].module;
    {
      Module last;  // the child's parent, and gone at once
      last.children_.push_back(std::move(from.children_[static_cast<std::size_t>(place)]));
      from.children_.erase(from.children_.begin() + place);
      last.change_parent(from);
    }
    for (const Module::Child& entry : from.children_) {  // its other names in this module
      if (entry.module == child) child->add_parent(from, entry.name);
    }
  }
};

}  // namespace heed::nn

namespace heed::python {

void PythonModule::set_child(const std::string& name, const std::shared_ptr<nn::Module>& child) {
  if (has_child(name)) {
    nn::Layer<PythonModule>::replace(*this, name, child);
  } else if (own(name)) {
    nn::Layer<PythonModule>::add(*this, name, child);
    drop(name);
  } else {
    shared_child(name, child);
  }
  children_[name] = child;
}

void PythonModule::set_parameter(const std::string& name, const Tensor& tensor) {
  if (tensor.defined()) {  // before anything is let go of
    check_floating(("parameter \"" + name + "\"").c_str(), tensor.dtype());
    if (!tensor.is_leaf()) {
      throw GradError(name + ": the result of an operator is no parameter: detach() it");
    }
  }
  if (Tensor* const place = is_parameter(name) ? own(name) : nullptr) {
    *place = tensor;
    return;
  }
  if (own(name) || has_child(name)) drop(name);
  const bool trained = !tensor.defined() || tensor.requires_grad();
  Tensor& placed = parameter(name, tensor);
  if (!trained) placed.set_requires_grad(false);
  parameters_[name] = &placed;
}

void PythonModule::set_buffer(const std::string& name, const Tensor& tensor) {
  if (own(name) || has_child(name)) drop(name);
  buffers_[name] = &buffer(name, tensor);
}

Tensor* PythonModule::own(const std::string& name) {
  for (const auto* const slots : {&parameters_, &buffers_}) {
    if (const auto found = slots->find(name); found != slots->end()) return found->second;
  }
  return nullptr;
}

bool PythonModule::is_parameter(const std::string& name) const {
  return parameters_.contains(name);
}

void PythonModule::drop(const std::string& name) {
  nn::Layer<PythonModule>::drop(*this, name);
  parameters_.erase(name);
  buffers_.erase(name);
  children_.erase(name);
}

Tensor* own_tensor(nn::Module& module, const std::string& name) {
  return nn::Layer<PythonModule>::tensor(module, name);
}

bool is_buffer(const nn::Module& module, const Tensor& place) {
  return nn::Layer<PythonModule>::is_buffer(module, place);
}

const nn::Hooks* hooks_of(const nn::Module& module) {
  return nn::Layer<PythonModule>::hooks(module);
}

void set_mode(nn::Module& module, bool training) {
  nn::Layer<PythonModule>::set_mode(module, training);
}

NamedModules children_of(const std::shared_ptr<nn::Module>& module) {
  NamedModules out = nn::Layer<PythonModule>::children(*module);
  if (!dynamic_cast<const PythonModule*>(module.get())) {
    for (auto& entry : out) entry.second = child_of(module, *entry.second);
  }
  return out;
}

py::object child_of(const std::shared_ptr<nn::Module>& module, const std::string& name) {
  for (const auto& [own, child] : module->children()) {
    if (own != name) continue;
    if (!child->class_name().starts_with("ModuleList")) return py::cast(child_of(module, *child));
    py::list all;
    for (const auto& entry : child->children()) all.append(child_of(module, *entry.second));
    return py::tuple(all);
  }
  return {};
}

}  // namespace heed::python
