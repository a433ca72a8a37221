// Modules that are written in Python, and the members of any module by their names.
#include "modules.h"

#include <algorithm>

namespace heed::nn {

/// What a module written in Python may do with its members, which nobody refers to: let one go, and
/// put another in its place. Module is open to Layers alone, so this is one of a kind.
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

 private:
  static std::vector<Module::Child>::iterator find(Module& in, const std::string& name) {
    return std::find_if(in.children_.begin(), in.children_.end(),
                        [&](const Module::Child& entry) { return entry.name == name; });
  }
  static void let_go(Module& from, std::ptrdiff_t place) {
    Module last;  // the child's parent, and gone at once
    last.children_.push_back(std::move(from.children_[static_cast<std::size_t>(place)]));
    from.children_.erase(from.children_.begin() + place);
    last.change_parent(from);
  }
};

}  // namespace heed::nn

namespace heed::python {

void PythonModule::set_child(const std::string& name, const std::shared_ptr<nn::Module>& child) {
  if (own(name)) drop(name);
  if (has_child(name)) {
    nn::Layer<PythonModule>::replace(*this, name, child);
  } else {
    shared_child(name, child);
    children_[name] = child;
  }
}

void PythonModule::set_parameter(const std::string& name, const Tensor& tensor) {
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
