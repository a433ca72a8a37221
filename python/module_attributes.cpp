// Attributes of nn.Module: children, parameters and buffers, registered as they are assigned.
#include "modules.h"

namespace heed::python {
namespace {

using nn::Module;

std::string class_of(py::handle object) { return Py_TYPE(object.ptr())->tp_name; }

// `what`: "parameter 'weight' (Parameter or None expected)"
py::type_error no(py::handle value, const std::string& what) {
  return py::type_error("cannot assign '" + class_of(value) + "' as " + what);
}

void set_plain(const py::object& self, const py::str& key, py::handle value) {
  if (PyObject_GenericSetAttr(self.ptr(), key.ptr(), value.ptr()) != 0)
    throw py::error_already_set();
}

// What Python itself knows under that name in the object, if anything: it would hide what is
// registered.
void forget_plain(const py::object& self, const py::str& key) {
  const py::object own = py::getattr(self, "__dict__", py::none());
  if (own.is_none() || !own.contains(key)) return;
  if (PyDict_DelItem(own.ptr(), key.ptr()) != 0) throw py::error_already_set();
}

// One that says itself what assigning means.
bool is_property(const py::object& self, const py::str& key) {
  const PyObject* const of_class = _PyType_Lookup(Py_TYPE(self.ptr()), key.ptr());
  return of_class && Py_TYPE(of_class)->tp_descr_set;
}

// Throws KeyError for a name that `owner` has otherwise.
void check_free(py::handle owner, const py::str& key) {
  if (py::hasattr(owner, key)) {
    throw py::key_error("attribute '" + std::string(key) + "' already exists in " +
                        (PyType_Check(owner.ptr())
                             ? reinterpret_cast<PyTypeObject*>(owner.ptr())->tp_name
                             : class_of(owner)));
  }
}

PythonModule& own_module(const py::object& self, const char* who) {
  if (auto* const ours = dynamic_cast<PythonModule*>(&made(self))) return *ours;
  throw ValueError(std::string(who) + ": only of a module written in Python");
}

void set_in_layer(const py::object& self, const py::str& key, const py::object& value) {
  Module& module = made(self);
  const std::string name = key;
  Tensor* const place = own_tensor(module, name);
  if (py::isinstance<Module>(value) || (!place && py::isinstance<Parameter>(value))) {
    throw ValueError(name +
                     ": a layer of heed takes no more children or parameters; what derives from "
                     "heed.nn.Module itself does");
  }
  if (place) {
    assign_tensor(module, *place, value, name.c_str());
  } else if (child_of(self.cast<std::shared_ptr<Module>>(), name)) {
    throw no(value, "child '" + name + "' of a layer of heed");
  } else {
    set_plain(self, key, value);
  }
}

void set_attribute(const py::object& self, const py::str& key, const py::object& value) {
  auto* const ours = dynamic_cast<PythonModule*>(&made(self));
  const std::string name = key;
  if (is_property(self, key)) {
    set_plain(self, key, value);
  } else if (!ours) {
    set_in_layer(self, key, value);
  } else if (py::isinstance<Module>(value)) {
    check_free(py::type::of<Module>(), key);
    ours->set_child(name, value.cast<std::shared_ptr<Module>>());
    set_plain(self, key, value);
  } else if (py::isinstance<Parameter>(value)) {
    check_free(py::type::of(self), key);
    ours->set_parameter(name, value.cast<const Tensor&>());
    forget_plain(self, key);  // __getattr__ finds it
  } else if (Tensor* const place = ours->own(name)) {
    assign_tensor(*ours, *place, value, name.c_str());
  } else if (ours->has_child(name)) {
    if (!value.is_none()) throw no(value, "child '" + name + "' (Module or None expected)");
    ours->drop(name);
    set_plain(self, key, value);
  } else {
    set_plain(self, key, value);
  }
}

// Parameters and buffers, and children of layers of heed, by their names in the state dict.
py::object get_attribute(const py::object& self, const std::string& name) {
  Module& module = made(self);
  auto* const ours = dynamic_cast<PythonModule*>(&module);
  if (Tensor* const found = ours ? ours->own(name) : own_tensor(module, name)) {
    return object_of(module, *found);
  }
  if (!ours) {
    if (py::object child = child_of(self.cast<std::shared_ptr<Module>>(), name)) return child;
  }
  throw py::attribute_error(class_of(self) + " has no attribute '" + name + "'");
}

void delete_attribute(const py::object& self, const py::str& key) {
  auto* const ours = dynamic_cast<PythonModule*>(&made(self));
  const std::string name = key;
  const bool registered = ours && (ours->own(name) || ours->has_child(name));
  const bool plain = !registered || ours->has_child(name);
  if (registered) ours->drop(name);
  if (plain) set_plain(self, key, {});
}

void register_buffer(const py::object& self, const py::str& key, const Tensor& tensor) {
  PythonModule& ours = own_module(self, "register_buffer");
  if (!ours.own(key) && !ours.has_child(key)) check_free(self, key);
  ours.set_buffer(key, tensor);
  forget_plain(self, key);
}

void register_parameter(const py::object& self, const py::str& key, const py::object& given) {
  PythonModule& ours = own_module(self, "register_parameter");
  if (!ours.own(key) && !ours.has_child(key)) check_free(self, key);
  const std::string what = "parameter '" + std::string(key) + "' (Parameter or None expected)";
  if (!given.is_none() && !py::isinstance<Tensor>(given)) throw no(given, what);
  const auto tensor = given.cast<Tensor>();
  if (tensor.defined() && !tensor.requires_grad() && !py::isinstance<Parameter>(given)) {
    throw no(given, what + ": nn.Parameter(tensor), with requires_grad=False to freeze it");
  }
  ours.set_parameter(key, tensor);
  forget_plain(self, key);
}

void add_module(const py::object& self, const py::str& key, const py::object& module) {
  if (!module.is_none() && !py::isinstance<Module>(module)) {
    throw py::type_error("add_module: " + std::string(py::repr(module)) + " is no Module");
  }
  auto* const ours = dynamic_cast<PythonModule*>(&made(self));
  if (ours && !ours->has_child(key)) check_free(self, key);
  set_attribute(self, key, module);
}

}  // namespace

Module& made(const py::object& self) {
  auto* const instance = reinterpret_cast<py::detail::instance*>(self.ptr());
  if (!instance->get_value_and_holder().holder_constructed()) throw unmade(self);
  return self.cast<Module&>();
}

TensorObject parameter_object(const Tensor& tensor) {
  return TensorObject(tensor.defined() ? py::cast(Parameter(tensor)) : py::none());
}

TensorObject object_of(const Module& module, const Tensor& place) {
  return is_buffer(module, place) ? TensorObject(py::cast(place)) : parameter_object(place);
}

void assign_tensor(Module& module, Tensor& place, const py::object& given, const char* name) {
  const bool parameter = !is_buffer(module, place);
  const std::string what = (parameter ? "parameter '" : "buffer '") + std::string(name) + "' (" +
                           (parameter ? "Parameter" : "Tensor") + " or None expected)";
  if (!given.is_none() && !py::isinstance<Tensor>(given)) throw no(given, what);
  const auto tensor = given.cast<Tensor>();
  if (tensor.defined() && !tensor.is_leaf()) {
    throw GradError(std::string(name) + ": the result of an operator is no parameter: detach() it");
  }
  if (tensor.defined() && place.defined() && !(tensor.shape() == place.shape())) {
    throw ShapeError(std::string(name) + ": " + describe(tensor) + " does not stand for " +
                     describe(place));
  }
  if (tensor.defined() && parameter) {
    check_floating(name, tensor.dtype());
    const bool trained = tensor.requires_grad() || (place.defined() && !place.requires_grad());
    if (!trained && !py::isinstance<Parameter>(given)) {
      throw no(given, what + ": nn.Parameter(tensor), with requires_grad=False to freeze it");
    }
  }
  place = tensor;
}

void bind_attributes(ModuleBase& c) {
  c.def("__setattr__", &set_attribute)
      .def("__getattr__", &get_attribute)
      .def("__delattr__", &delete_attribute)
      .def("register_buffer", &register_buffer, py::arg("name"), py::arg("tensor"))
      .def("register_parameter", &register_parameter, py::arg("name"), py::arg("param"))
      .def("add_module", &add_module, py::arg("name"), py::arg("module"));
}

}  // namespace heed::python
