// Modules between Python and heed: those that are written in Python, and what every binding of a
// layer says.
#pragma once

#include "bindings.h"

namespace heed::python {

/// A module written in Python: class Model(heed.nn.Module). Its children, parameters and buffers
/// are registered here as they are assigned; its attributes beside them are Python's.
class PythonModule : public nn::Module {
 public:
  explicit PythonModule(std::string name) : name_(std::move(name)) { forwards_always(); }

  std::string class_name() const override { return name_; }

  /// Takes the name for a child, a parameter or a buffer; who had it before gives it up.
  void set_child(const std::string& name, const std::shared_ptr<nn::Module>& child);
  void set_parameter(const std::string& name, const Tensor& tensor);
  void set_buffer(const std::string& name, const Tensor& tensor);
  /// The parameter or buffer of that name; null for none.
  Tensor* own(const std::string& name);
  bool is_parameter(const std::string& name) const;
  bool has_child(const std::string& name) const { return children_.contains(name); }
  void drop(const std::string& name);
  using nn::Module::forwarded;

 private:
  std::string name_;
  std::map<std::string, Tensor*> parameters_, buffers_;
  std::map<std::string, std::weak_ptr<nn::Module>> children_;
};

/// nn.Parameter: a leaf that becomes a parameter of the module it is assigned to.
class Parameter : public Tensor {
 public:
  Parameter(const Tensor& data, bool requires_grad);
  /// The very tensor, as a module has it.
  explicit Parameter(Tensor same) : Tensor(std::move(same)) {}
};

/// A tensor that `module` has, as Python sees it: a Parameter, or a buffer, which is a Tensor.
TensorObject object_of(const nn::Module& module, const Tensor& place);
/// A Parameter; None for an undefined one.
TensorObject parameter_object(const Tensor& tensor);

template <class T, class Base = nn::Module>
using ModuleClass = py::class_<T, Base, std::shared_ptr<T>>;

/// A child as an object of its own, which keeps its parent alive.
template <class T>
std::shared_ptr<nn::Module> child_of(const std::shared_ptr<T>& parent, nn::Module& child) {
  return std::shared_ptr<nn::Module>(parent, &child);
}

/// A parameter or buffer that is a member: read, and assigned to tie it to another.
#define HEED_TENSOR(T, NAME)                                  \
  def_property(                                               \
      #NAME, [](const T& m) { return object_of(m, m.NAME); }, \
      [](T& m, const py::object& given) { assign_tensor(m, m.NAME, given, #NAME); })
/// A child that is a member.
#define HEED_CHILD(T, NAME) \
  def_property_readonly(#NAME, [](const std::shared_ptr<T>& m) { return child_of(m, m->NAME); })
/// One that may be missing.
#define HEED_PERHAPS(T, NAME)                                                                   \
  def_property_readonly(#NAME, [](const std::shared_ptr<T>& m) -> std::shared_ptr<nn::Module> { \
    return m->NAME ? child_of(m, *m->NAME) : nullptr;                                           \
  })
/// A list of them, as a tuple.
#define HEED_CHILDREN(T, NAME)                                     \
  def_property_readonly(#NAME, [](const std::shared_ptr<T>& m) {   \
    std::vector<std::shared_ptr<nn::Module>> all;                  \
    for (auto& child : m->NAME) all.push_back(child_of(m, child)); \
    return py::tuple(py::cast(all));                               \
  })

/// The parameter or buffer of that name in the module itself; null for none.
Tensor* own_tensor(nn::Module& module, const std::string& name);
/// The child of that name, a list of children as a tuple; null for none.
py::object child_of(const std::shared_ptr<nn::Module>& module, const std::string& name);

bool is_buffer(const nn::Module& module, const Tensor& place);

/// Puts `given`, a Tensor or None, in the place of a parameter or buffer of `module`. Throws
/// TypeError for anything else, and for a parameter that is a Tensor which is not trained, unless
/// it is a Parameter or what is there is frozen, too; ShapeError, DTypeError, GradError for what
/// cannot stand there.
void assign_tensor(nn::Module& module, Tensor& place, const py::object& given, const char* name);

using NamedModules = std::vector<std::pair<std::string, std::shared_ptr<nn::Module>>>;
/// The children, each for as long as it is held: by itself of a module that is written in Python,
/// which may let go of it, else by its parent.
NamedModules children_of(const std::shared_ptr<nn::Module>& module);

/// What is registered on the module; null for nothing.
const nn::Hooks* hooks_of(const nn::Module& module);
/// Of this module alone.
void set_mode(nn::Module& module, bool training);

using ModuleBase = py::class_<nn::Module, std::shared_ptr<nn::Module>>;
/// Before super().__init__() there is nothing behind a Python object: TypeError.
nn::Module& made(const py::object& self);
void bind_attributes(ModuleBase& c);
void bind_hooks(ModuleBase& c);

}  // namespace heed::python
